import { MethodNotFoundError } from '../../src/rpc/errors.ts';
import { createExampleChain, type ExampleChain } from '../rpc/example-chain.ts';
import type { RpcHarness } from '../rpc/rpc-harness.ts';
import { createForkScene, type ForkScene, type ForkSceneOptions } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

/** The methods of a hosted Rootstock service that a fork uses. */
export const SERVED: ReadonlySet<string> = new Set([
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getStorageAt',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
]);

/** A fork, its upstream, and the node that answers for the upstream. */
export interface ServiceScene {
  readonly node: RpcHarness;
  readonly upstream: ScriptedUpstream;
  readonly scene: ForkScene;
}

/** Changes a result of the upstream; may throw to reject the call. */
type Change = (method: string, result: unknown, params: readonly unknown[]) => unknown;

export interface ServiceOptions extends ForkSceneOptions {
  readonly served?: ReadonlySet<string>;
  readonly change?: Change;
  /** Default: the example chain. */
  readonly node?: RpcHarness;
}

/** A fork of an upstream that serves only some methods, by default {@link SERVED}. */
export async function serviceScene({
  served = SERVED,
  change = (_, result) => result,
  node: given,
  ...options
}: ServiceOptions = {}): Promise<ServiceScene> {
  const node: RpcHarness | ExampleChain = given ?? (await createExampleChain());
  const upstream = new ScriptedUpstream(async (method, params) => {
    if (!served.has(method)) throw new MethodNotFoundError(method);
    return change(method, await node.call(method, params), params);
  });
  return { node, upstream, scene: await createForkScene(upstream, options) };
}
