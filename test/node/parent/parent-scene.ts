import { onTestFinished } from 'vitest';
import { createNode, type LocalNode, type LocalNodeOptions, type LocalServer } from '../../../src/index.ts';

/** The Bridge. */
export const BRIDGE = '0x0000000000000000000000000000000001000006';

/** A node with a parent chain, served on a free port. */
export interface ParentScene {
  readonly node: LocalNode;
  readonly server: LocalServer;
  /** Calls a method of the node, on a lane if `lane` is given. */
  rpc(method: string, params?: readonly unknown[], lane?: string): Promise<unknown>;
  /** Calls the Bitcoin RPC of the parent chain, on a lane if `lane` is given. */
  bitcoin(method: string, params?: readonly unknown[], lane?: string): Promise<unknown>;
}

async function post(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** Starts a node with a parent chain. It is closed at the end of the test. */
export async function serveParentChain(options: LocalNodeOptions = {}): Promise<ParentScene> {
  const node = await createNode({ parentChain: true, ...options });
  const server = await node.listen({ lanes: true });
  onTestFinished(() => node.close());
  const pathOf = (lane: string | undefined): string => (lane === undefined ? '' : `/${lane}`);
  return {
    node,
    server,
    rpc: (method, params = [], lane = undefined) => post(`${server.url}${pathOf(lane)}`, method, params),
    bitcoin: (method, params = [], lane = undefined) =>
      post(`${server.url}${pathOf(lane)}/parent`, method, params),
  };
}
