import { toHex } from '../../primitives/hex.ts';
import { decodeBlock } from '../../protocol/header-decoding.ts';
import { headerHash } from '../../protocol/header-encoding.ts';
import { asObject } from '../../wire/tolerant.ts';
import { type ForkCall, type Method, NOT_UPSTREAM } from '../method.ts';
import { isTraceAt } from '../traces.ts';
import { upstreamAnswer } from './answer-on-fork.ts';
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

/**
 * Returns the traces of an RLP-encoded block of the upstream, as `byHash` returns them for its hash. Not every
 * upstream returns all fields of a header, so the block cannot be encoded again for a comparison.
 */
export async function tracesOfRawBlock(call: ForkCall, byHash: Method): Promise<unknown> {
  const { context, fork, params } = call;
  const { encoding } = context.node.chain.ruleSet;
  const [raw, options] = params.decoded;
  const { header } = decodeBlock(raw as Uint8Array, encoding);
  if (header.number > fork.number) return NOT_UPSTREAM;
  const hash = headerHash(header, encoding);
  if ((await fork.upstream.numberOf(hash)) === undefined) return NOT_UPSTREAM;
  const values = [toHex(hash), ...params.values.slice(1)];
  return upstreamAnswer({ ...call, method: byHash, params: { values, decoded: [hash, options] } });
}
