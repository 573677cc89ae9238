import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rpcOptionsOf } from '../../../src/config/node-settings.ts';
import { createNode } from '../../../src/index.ts';
import { readOptions } from '../../cli/support/read-options.ts';
import { CHECKS_ARTIFACTS } from '../../support/browser/scene.ts';

const PROJECT = join(CHECKS_ARTIFACTS, '..');
const SOURCES = [
  'contracts/Checks.sol',
  'project/contracts/Checks.sol',
  'contracts/Absent.sol',
  '/etc/passwd',
];
const NONE = { link: null, paths: SOURCES.map(() => null) };

/** Serves a node over HTTP. Returns a function that requests the paths with additional headers. */
async function served(options: object = {}, listening: object = {}, path = '') {
  const node = await createNode({ artifacts: [CHECKS_ARTIFACTS], ...options });
  onTestFinished(() => node.close());
  const { url } = await node.listen(listening);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'inspect_sourcePaths', params: [SOURCES] });
  return async (headers: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return ((await response.json()) as { readonly result: unknown }).result;
  };
}

describe('inspect_sourcePaths', () => {
  it('returns the link and the paths of existing source files to a client on this machine', async () => {
    const ask = await served();
    const file = join(PROJECT, 'contracts/Checks.sol');
    expect(await ask()).toEqual({
      link: 'vscode://file/{path}:{line}:{column}',
      paths: [file, file, null, null],
    });
  });

  it('returns no path if a proxy forwarded the request', async () => {
    const ask = await served();
    expect(await ask({ 'x-forwarded-for': '192.168.1.7' })).toEqual(NONE);
    expect(await ask({ forwarded: 'for=192.168.1.7' })).toEqual(NONE);
  });

  it.each([
    ['--api-key', 'k'],
    ['--hosted', '--api-key', 'k'],
    ['--editor-link', 'none'],
  ])('returns no path with the options %s %s %s', (...args) => {
    const options = readOptions(
      args.filter((each) => each !== undefined),
      {},
    );
    expect(rpcOptionsOf(options).editorLink).toBe(null);
  });

  it('hides the files of inspect_contracts from the clients that receive no paths', async () => {
    const node = await createNode({ artifacts: [CHECKS_ARTIFACTS] });
    onTestFinished(() => node.close());
    const { url } = await node.listen();
    const filesFor = async (headers: Readonly<Record<string, string>>): Promise<unknown[]> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'inspect_contracts', params: [] });
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      const { result } = (await response.json()) as { readonly result: readonly { file: unknown }[] };
      return result.map(({ file }) => file);
    };
    expect(await filesFor({})).toContainEqual(expect.stringContaining(CHECKS_ARTIFACTS));
    expect(new Set(await filesFor({ via: '1.1 proxy' }))).toEqual(new Set([null]));
  });

  it('returns no path if the option is none', async () => {
    const ask = await served({ editorLink: 'none' });
    expect(await ask()).toEqual(NONE);
  });
});
