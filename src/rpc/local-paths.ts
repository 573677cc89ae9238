import type { RpcContext } from './rpc-context.ts';

/**
 * Returns true if the client may receive absolute paths: it is on this machine, without a proxy. No client may
 * with API keys, with `--hosted` and with `--editor-link none`.
 */
export function mayReceivePaths({
  connection,
  settings,
}: Pick<RpcContext, 'connection' | 'settings'>): boolean {
  const isLocal = connection.isLocal === true || connection.transport === 'in-process';
  return isLocal && settings.editorLink !== null;
}
