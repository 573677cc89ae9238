import type { BlockSelector } from '../../chain/block-selector.ts';
import type { Chain } from '../../chain/chain.ts';
import type { Fork } from '../../fork/fork.ts';
import type { AnswerKind } from '../../fork/upstream/upstream-call.ts';
import { firstUpstreamBlock } from '../../fork/upstream-chain.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { fetchingState } from '../../state/state-source.ts';
import { BLOCK_QUANTITIES } from '../../wire/block.ts';
import { type FieldNames, HEADER_QUANTITIES } from '../../wire/header.ts';
import { LOG_QUANTITIES } from '../../wire/log.ts';
import { RECEIPT_QUANTITIES } from '../../wire/receipt.ts';
import { asObject, tolerantFixedData, tolerantQuantity } from '../../wire/tolerant.ts';
import { TRANSACTION_QUANTITIES } from '../../wire/transaction.ts';
import { type ForkCall, type ForkRule, NOT_UPSTREAM } from '../method.ts';

/** Members of blocks, transactions, receipts and logs that are quantities, whatever the upstream makes of them. */
const QUANTITIES: ReadonlySet<string> = new Set([
  ...HEADER_QUANTITIES,
  ...BLOCK_QUANTITIES,
  ...TRANSACTION_QUANTITIES,
  ...RECEIPT_QUANTITIES,
  ...LOG_QUANTITIES,
]);

const MERGED_MINING = /^(?:parentchain|bitcoin)(?=MergedMining)/;
const PREFIXES: Readonly<Record<FieldNames, string>> = { service: 'parentchain', native: 'bitcoin' };

function quantityView(value: unknown): unknown {
  const quantity = typeof value === 'string' ? tolerantQuantity(value) : undefined;
  return quantity === undefined ? value : toQuantity(quantity);
}

function fieldView(name: string, value: unknown, fieldNames: FieldNames): unknown {
  return QUANTITIES.has(name) ? quantityView(value) : objectView(value, fieldNames);
}

function objectView(value: unknown, fieldNames: FieldNames): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => objectView(item, fieldNames));
  const fields = asObject(value);
  if (fields === undefined) return value;
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name.replace(MERGED_MINING, PREFIXES[fieldNames]),
      fieldView(name, field, fieldNames),
    ]),
  );
}

function wordView(value: unknown): unknown {
  const word = tolerantFixedData(value, 32);
  return word === undefined ? value : toHex(word);
}

/** Kinds of answers that are passed on as they are: traces and the like have members of the same names with other meanings. */
const AS_IT_IS: ReadonlySet<AnswerKind> = new Set([
  'anything',
  'data',
  'dataOrNull',
  'feeHistory',
  'traces',
  'tracesOrNull',
]);

/**
 * An answer of the upstream as this node would spell it: quantities without leading zeros, merged-mining fields by the
 * names that are asked for. Other members of the upstream stay, and members that it does not have are not made up.
 */
export function upstreamView(kind: AnswerKind, answer: unknown, fieldNames: FieldNames): unknown {
  if (AS_IT_IS.has(kind)) return answer;
  if (kind === 'quantity' || kind === 'count') return quantityView(answer);
  return kind === 'word' ? wordView(answer) : objectView(answer, fieldNames);
}

/** The rule of a method that one side alone answers. */
type SideRule = Exclude<ForkRule, { readonly kind: 'range' | 'own' }>;

/** The rule of a method with a parameter that decides which side answers. */
type PlaceRule = Extract<ForkRule, { readonly at: number }>;

/** The selector that a decoded parameter is or holds; the codecs of methods by hash give the hash alone. */
function selectorOf(decoded: unknown): BlockSelector | undefined {
  if (decoded instanceof Uint8Array) return { hash: decoded };
  const fields = asObject(decoded);
  return fields?.selector === undefined ? (fields as BlockSelector | undefined) : selectorOf(fields.selector);
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
  if (selector.tag === 'earliest') return (await firstUpstreamBlock(fork.upstream)).number;
  return chain.head().header.number;
}

/** Returns the upstream's answer. Rejects with what the upstream refuses the call with, or with an `UpstreamError`. */
async function forward(
  { method, context, fork }: ForkCall,
  { answer: expects, counts, upstreamName = method.name }: SideRule,
  values: readonly unknown[],
): Promise<unknown> {
  const params = Array.from(values, (value) => value ?? null);
  while (params.length > 0 && params.at(-1) === null) params.pop();
  const question = { method: upstreamName, params, expects };
  const answer = await fork.upstream.ask(counts === undefined ? question : { ...question, counts });
  return upstreamView(expects, answer, context.settings.fieldNames);
}

async function answerAtBlock(call: ForkCall, rule: PlaceRule): Promise<unknown> {
  const { context, fork, params } = call;
  const { kind, at } = rule;
  const selector = selectorOf(params.decoded[at]);
  const number = selector === undefined ? undefined : await numberOfBlock(context.node.chain, fork, selector);
  const firstOwn = kind === 'block' ? fork.number + 1 : context.node.chain.blocks.first;
  const isOwn = number !== undefined && (number >= firstOwn || context.node.chain.blocks.isPruned(number));
  if (selector === undefined || number === undefined || isOwn) return NOT_UPSTREAM;
  const values = [...params.values];
  // Tags mean other blocks there, and an object with a number is not known everywhere.
  if (!('hash' in selector)) {
    const given = asObject(values[at]);
    const holdsSelector = asObject(params.decoded[at])?.selector !== undefined;
    values[at] = holdsSelector ? { ...given, blockNumber: toQuantity(number) } : toQuantity(number);
  }
  return forward(call, rule, values);
}

async function answerOnTransaction(call: ForkCall, rule: PlaceRule): Promise<unknown> {
  const { context, fork, params } = call;
  const hash = params.decoded[rule.at];
  if (!(hash instanceof Uint8Array)) return NOT_UPSTREAM;
  const {
    node: { chain },
  } = context;
  if (chain.transaction(hash) !== undefined || chain.pool.byHash(hash) !== undefined) return NOT_UPSTREAM;
  const found = await fork.upstream.transaction(hash);
  return found === null ? NOT_UPSTREAM : forward(call, rule, params.values);
}

/** Returns what the chain itself finds, or else the upstream, unless it came there after the fork. */
async function answerOfSearch(call: ForkCall, rule: SideRule): Promise<unknown> {
  const own = await fetchingState(() => call.method.answerRead(call.context, call.params));
  if (own !== null && own !== undefined) return own;
  const found = await forward(call, rule, call.params.values);
  const hash = tolerantFixedData(asObject(found)?.hash ?? found, 32);
  if (hash === undefined) return null;
  return (await call.fork.upstream.transaction(hash)) === null ? null : found;
}

async function upstreamAnswer(call: ForkCall): Promise<unknown> {
  const rule = call.method.fork;
  if (rule === undefined || rule.kind === 'own') return NOT_UPSTREAM;
  if (rule.kind === 'range') return rule.answer(call);
  if (rule.kind === 'search') return answerOfSearch(call, rule);
  return rule.kind === 'transaction' ? answerOnTransaction(call, rule) : answerAtBlock(call, rule);
}

/**
 * Returns the answer of a chain that is a fork of another one: data from before the fork come from there, data from after it
 * are the chain's own, and ranges on both sides are put together. State from before the fork that the chain's own answer
 * needs is fetched on the way.
 */
export async function answerOnFork(call: ForkCall, name: string): Promise<unknown> {
  const { method, context, params } = call;
  const answer = await upstreamAnswer(call);
  if (answer !== NOT_UPSTREAM) return method.shaped(answer, context, name);
  // Methods that change the chain wait their turn first, and read state before they change anything there.
  return fetchingState(() => method.answerRead(context, params, name) as Promise<unknown>);
}
