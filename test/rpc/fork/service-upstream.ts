import { MethodNotFoundError } from '../../../src/rpc/errors.ts';
import { METHODS } from '../../../src/rpc/method-table.ts';
import { ScriptedUpstream } from '../../fork/scripted-upstream.ts';
import type { RpcHarness } from '../rpc-harness.ts';

/** The few methods that every node serves. Results of all others must be derived. */
export const BASIC_METHODS: ReadonlySet<string> = new Set([
  'eth_chainId',
  'eth_blockNumber',
  'eth_getBalance',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'eth_getCode',
  'eth_getProof',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_call',
  'eth_estimateGas',
  'eth_getLogs',
]);

/** An upstream that serves only these methods of a node. */
export function upstreamServing(
  served: ReadonlySet<string>,
  { call }: Pick<RpcHarness, 'call'>,
): ScriptedUpstream {
  return new ScriptedUpstream((method, params) => {
    if (!served.has(method)) throw new MethodNotFoundError(method);
    return call(method, params);
  });
}

/** The methods that an upstream may answer, by their fork rule. */
export function forkedMethods(): readonly (typeof METHODS)[number][] {
  return METHODS.filter(({ fork }) => fork !== undefined && fork.kind !== 'own');
}
