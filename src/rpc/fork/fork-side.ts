import type { BlockSelector } from '../../chain/execution/block-selector.ts';
import type { Fork } from '../../fork/fork.ts';
import type { Chain } from '../../node/chain.ts';
import { toQuantity } from '../../primitives/hex.ts';
import { asObject, tolerantFixedData } from '../../wire/tolerant.ts';
import type { Method, ReadParams } from '../method.ts';
import type { RpcContext } from '../rpc-context.ts';
import type { ForkRoute } from './fork-routes.ts';
import { upstreamView } from './upstream-view.ts';

/** A call of a method on a fork. */
export interface ForkCall {
  readonly method: Method;
  readonly context: RpcContext;
  readonly fork: Fork;
  readonly params: ReadParams;
}

/** The selector that a decoded parameter is or holds; the codecs of methods by hash give the hash alone. */
function selectorOf(decoded: unknown): BlockSelector | undefined {
  if (decoded instanceof Uint8Array) return { hash: decoded };
  const held = asObject(decoded)?.selector;
  if (held !== undefined) return selectorOf(held);
  return typeof decoded === 'object' && decoded !== null ? (decoded as BlockSelector) : undefined;
}

/** The number of the block on either side; `undefined` for one that is on neither, and for the one not mined yet. */
export async function numberOfBlock(
  chain: Chain,
  fork: Fork,
  selector: BlockSelector,
): Promise<number | undefined> {
  if ('number' in selector) return Number(selector.number);
  if ('hash' in selector) {
    const local = await chain.block({ hash: selector.hash });
    return local?.header.number ?? fork.upstream.numberOf(selector.hash);
  }
  if (selector.tag === 'pending') return undefined;
  return selector.tag === 'earliest' ? 0 : chain.head().header.number;
}

/** The method by the name that a node of the network has, which does not know the service's own. */
function upstreamName({ name, aliases }: Method): string {
  return name.startsWith('chain_') ? (aliases.find((alias) => alias.startsWith('rsk_')) ?? name) : name;
}

/** What the upstream answers to the call. Rejects with what the upstream refuses it with, or an `UpstreamError`. */
async function forward(
  { method, context, fork }: Omit<ForkCall, 'params'>,
  values: readonly unknown[],
): Promise<unknown> {
  const given = Array.from(values, (value) => value ?? null);
  while (given.length > 0 && given.at(-1) === null) given.pop();
  const answer = await fork.upstream.ask({ method: upstreamName(method), params: given });
  return upstreamView(method.name, answer, context.settings.fieldNames);
}

async function answerAtBlock(call: ForkCall, { kind, at }: ForkRoute): Promise<unknown> {
  const { context, fork, params } = call;
  const selector = selectorOf(params.decoded[at]);
  const number = selector === undefined ? undefined : await numberOfBlock(context.chain, fork, selector);
  const firstOwn = kind === 'block' ? fork.number + 1 : context.chain.firstBlockNumber();
  if (selector === undefined || number === undefined || number >= firstOwn) return NOT_UPSTREAM;
  const values = [...params.values];
  // Tags mean other blocks there, and an object with a number is not known everywhere.
  if (!('hash' in selector)) {
    const given = asObject(values[at]);
    const holdsSelector = asObject(params.decoded[at])?.selector !== undefined;
    values[at] = holdsSelector ? { ...given, blockNumber: toQuantity(number) } : toQuantity(number);
  }
  return forward(call, values);
}

async function answerOnTransaction(call: ForkCall, at: number): Promise<unknown> {
  const { context, fork, params } = call;
  const hash = params.decoded[at];
  if (!(hash instanceof Uint8Array)) return NOT_UPSTREAM;
  const { chain } = context;
  if ((await chain.transaction(hash)) !== undefined || chain.pool.byHash(hash) !== undefined)
    return NOT_UPSTREAM;
  const found = await fork.upstream.find('eth_getTransactionByHash', hash);
  return found === null ? NOT_UPSTREAM : forward(call, params.values);
}

/** What the upstream finds, unless it came there after the fork. */
async function answerOfSearch(call: ForkCall): Promise<unknown> {
  const found = await forward(call, call.params.values);
  const hash = tolerantFixedData(asObject(found)?.hash ?? found, 32);
  if (hash === undefined) return null;
  return (await call.fork.upstream.find('eth_getTransactionByHash', hash)) === null ? null : found;
}

/** Says that the answer is not the upstream's to give. */
export const NOT_UPSTREAM: unique symbol = Symbol('not the upstream');

/** The upstream's answer to a call whose answer is before the fork; {@link NOT_UPSTREAM} for any other. */
export async function answerOfUpstream(call: ForkCall, route: ForkRoute): Promise<unknown> {
  if (route.kind === 'transaction') return answerOnTransaction(call, route.at);
  if (route.kind !== 'search') return answerAtBlock(call, route);
  return answerOfSearch(call);
}
