import { toHex } from '../../primitives/hex.ts';
import { asObject } from '../../wire/tolerant.ts';
import { type ForkCall, NOT_UPSTREAM } from '../method.ts';
import { isTraceAt } from '../traces.ts';
import { executeTransaction, servedOr } from './executed-answers.ts';

/**
 * Returns one trace of an upstream transaction by its trace address (second parameter). It reads all traces
 * of the transaction, because rskj's `trace_get` expects another kind of index.
 */
export async function traceAt(call: ForkCall): Promise<unknown> {
  const { context, fork, params } = call;
  const { chain } = context.node;
  const [hash, path] = params.decoded as [Uint8Array, readonly number[]];
  if (chain.transaction(hash) !== undefined || chain.pool.byHash(hash) !== undefined) return NOT_UPSTREAM;
  const found = await fork.upstream.transaction(hash);
  if (found === null) return NOT_UPSTREAM;
  const question = { method: 'trace_transaction', params: [toHex(hash)], expects: 'tracesOrNull' } as const;
  const ask = async (): Promise<unknown> => {
    const traces = await fork.upstream.ask(question);
    if (!Array.isArray(traces)) return null;
    return traces.find((trace) => isTraceAt(asObject(trace)?.traceAddress, path)) ?? null;
  };
  return servedOr(call, question.method, ask, () => executeTransaction(call, found));
}
