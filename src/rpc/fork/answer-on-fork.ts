import type { BlockSelector } from '../../chain/block-selector.ts';
import type { Chain } from '../../chain/chain.ts';
import { OfflineError, UnservedMethodError } from '../../fork/errors.ts';
import type { Fork } from '../../fork/fork.ts';
import { isUnserved } from '../../fork/served-methods.ts';
import { type AnswerKind, questionOf, type UpstreamCall } from '../../fork/upstream/upstream-call.ts';
import { blockNumberOf } from '../../fork/upstream-block.ts';
import { firstUpstreamBlock } from '../../fork/upstream-chain.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { fetchingState } from '../../state/state-source.ts';
import { BLOCK_QUANTITIES } from '../../wire/block.ts';
import { type FieldNames, HEADER_QUANTITIES } from '../../wire/header.ts';
import { LOG_QUANTITIES } from '../../wire/log.ts';
import { RECEIPT_QUANTITIES } from '../../wire/receipt.ts';
import { asObject, tolerantFixedData, tolerantQuantity } from '../../wire/tolerant.ts';
import { TRANSACTION_QUANTITIES } from '../../wire/transaction.ts';
import { type ForkCall, type ForkReading, type ForkRule, NOT_UPSTREAM } from '../method.ts';

/**
 * Members of blocks, transactions, receipts and logs that are quantities, in any notation of the upstream.
 */
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

/** Kinds of results that are not converted, because their member names have other meanings. */
const AS_IT_IS: ReadonlySet<AnswerKind> = new Set([
  'anything',
  'data',
  'dataOrNull',
  'feeHistory',
  'traces',
  'tracesOrNull',
]);

/**
 * Converts a result of the upstream to this node's notation: quantities without leading zeros, and the
 * requested names of merged-mining fields. Other members are unchanged, and absent members stay absent.
 */
export function upstreamView(kind: AnswerKind, answer: unknown, fieldNames: FieldNames): unknown {
  if (AS_IT_IS.has(kind)) return answer;
  if (kind === 'quantity' || kind === 'count') return quantityView(answer);
  return kind === 'word' ? wordView(answer) : objectView(answer, fieldNames);
}

const BLOCKS: ReadonlySet<AnswerKind> = new Set([
  'blockOfHash',
  'blockOfNumber',
  'header',
  'headerOfHash',
  'headerOfNumber',
]);

/**
 * Adds the base fee of the chain's rules to a block without base fee. If the newest block lacks the base fee, clients
 * send no transactions of type 2.
 */
function withShownBaseFee(kind: AnswerKind, block: unknown, { fees }: Pick<RuleSet, 'fees'>): unknown {
  const fields = fees.name === 'two fees' && BLOCKS.has(kind) ? asObject(block) : undefined;
  if (fields === undefined || typeof fields.baseFeePerGas === 'string') return block;
  return { ...fields, baseFeePerGas: toQuantity(fees.baseFee(null) ?? 0n) };
}

/** The rule of a method that one of the chains answers alone. */
type SideRule = Exclude<ForkRule, { readonly kind: 'range' | 'own' }>;

/** The rule of a method that finds a transaction. */
type SearchRule = Extract<ForkRule, { readonly kind: 'search' }>;

/** The rule of a method with a parameter that selects the chain. */
type PlaceRule = Extract<ForkRule, { readonly at: number }>;

/** Returns the selector in a decoded parameter. Methods by hash decode only the hash. */
function selectorOf(decoded: unknown): BlockSelector | undefined {
  if (decoded instanceof Uint8Array) return { hash: decoded };
  const fields = asObject(decoded);
  return fields?.selector === undefined ? (fields as BlockSelector | undefined) : selectorOf(fields.selector);
}

/** Returns the number of a block on either chain; `undefined` if unknown or pending. */
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
  const number = chain.numberOfTag(selector);
  if (number >= fork.number) return number;
  // The forked chain can start above block 0.
  return Math.max(number, (await firstUpstreamBlock(fork.upstream)).number);
}

/**
 * Returns the upstream's result, as it sends it. If the upstream does not serve the method, returns the result of
 * `derive`; later calls then send no request. Rejects with the error of the upstream, with an `UpstreamError`, or
 * with an {@link UnservedMethodError}.
 */
export async function askedOrDerived(
  { method, fork: { upstream } }: ForkReading,
  question: UpstreamCall,
  derive: (() => Promise<unknown>) | null,
): Promise<unknown> {
  const known = upstream.answers.get(questionOf(question));
  if (known !== undefined) return known;
  if (derive === null || upstream.served.mayServe(question.method)) {
    try {
      return await upstream.ask(question);
    } catch (error) {
      if (error instanceof OfflineError && derive !== null) return derivedOffline(derive, error);
      if (!isUnserved(error)) throw error;
      if (derive === null) throw new UnservedMethodError(upstream.urls, question.method, method.name);
      upstream.served.drop(question.method);
    }
  }
  return derive();
}

/** Derives a result from the cache. Rejects with `missing` if the cache lacks data for the derivation too. */
function derivedOffline(derive: () => Promise<unknown>, missing: OfflineError): Promise<unknown> {
  return derive().catch((error: unknown) => {
    throw error instanceof OfflineError ? missing : error;
  });
}

function upstreamNameOf({ method }: ForkCall, { upstreamName = method.name }: SideRule): string {
  return upstreamName;
}

/** Returns the upstream's result in this node's notation, or derives it (see {@link askedOrDerived}). */
async function forward(
  call: ForkCall,
  rule: SideRule,
  values: readonly unknown[],
  derive: (() => Promise<unknown>) | null,
): Promise<unknown> {
  const { answer: expects, counts } = rule;
  const params = Array.from(values, (value) => value ?? null);
  while (params.length > 0 && params.at(-1) === null) params.pop();
  const question = { method: upstreamNameOf(call, rule), params, expects };
  const counted = counts === undefined ? question : { ...question, counts };
  const answer = await askedOrDerived(call, counted, derive);
  const { settings, node } = call.context;
  return withShownBaseFee(expects, upstreamView(expects, answer, settings.fieldNames), node.chain.ruleSet);
}

/** Returns the derivation of a result about this block; `null` if the rule has none. */
function derivationAt(
  call: ForkCall,
  { derive }: PlaceRule,
  number: number,
): (() => Promise<unknown>) | null {
  return derive === undefined ? null : () => derive({ ...call, number });
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
  // Tags select other blocks on the upstream, and not every node supports an object with a number.
  if (!('hash' in selector)) {
    values[at] = withBlockNumber(values[at], params.decoded[at], kind, toQuantity(number));
  }
  if (rule.executes !== true) return forward(call, rule, values, derivationAt(call, rule, number));
  const { executeAtBlock, servedOr } = await import('./executed-answers.ts');
  return servedOr(
    call,
    upstreamNameOf(call, rule),
    () =>
      forward(call, rule, values, null).catch(async (error: unknown) => {
        throw (await import('./upstream-reverts.ts')).localRevert(context.settings.compat, error);
      }),
    () => executeAtBlock(call, at, number, kind === 'block'),
  );
}

/** Returns the parameter with the block number in place of its selector. */
function withBlockNumber(value: unknown, decoded: unknown, kind: PlaceRule['kind'], number: string): unknown {
  if (asObject(decoded)?.selector === undefined) return number;
  const name = kind === 'execution' ? 'block' : 'blockNumber';
  return { ...asObject(value), [name]: number };
}

/** The execution of a debugger: a transaction, a call on a state, or a failure of this chain. */
async function answerOfExecution(call: ForkCall, rule: PlaceRule): Promise<unknown> {
  const target = call.params.decoded[rule.at];
  if (target instanceof Uint8Array) return answerOnTransaction(call, rule);
  return asObject(target)?.selector === undefined ? NOT_UPSTREAM : answerAtBlock(call, rule);
}

async function answerOnTransaction(call: ForkCall, rule: PlaceRule): Promise<unknown> {
  const { context, fork, params } = call;
  const hash = params.decoded[rule.at];
  if (!(hash instanceof Uint8Array) || hash.length === 0) return NOT_UPSTREAM;
  const { chain } = context.node;
  if (chain.transaction(hash) !== undefined || chain.pool.byHash(hash) !== undefined) return NOT_UPSTREAM;
  const found = await fork.upstream.transaction(hash);
  const number = blockNumberOf(found);
  if (number === undefined) return NOT_UPSTREAM;
  if (rule.executes !== true) return forward(call, rule, params.values, derivationAt(call, rule, number));
  const { executeTransaction, servedOr } = await import('./executed-answers.ts');
  return servedOr(
    call,
    upstreamNameOf(call, rule),
    () => forward(call, rule, params.values, null),
    () => executeTransaction(call, found),
  );
}

/** Returns the local result, else the upstream's, unless the transaction is newer than the fork block. */
async function answerOfSearch(call: ForkCall, rule: SearchRule): Promise<unknown> {
  const own = await fetchingState(() => call.method.answerRead(call.context, call.params));
  if (own !== null && own !== undefined) return own;
  const { derive } = rule;
  const derived = derive === undefined ? null : () => derive(call);
  const found = await forward(call, rule, call.params.values, derived);
  const hash = tolerantFixedData(asObject(found)?.hash ?? found, 32);
  if (hash === undefined) return null;
  return (await call.fork.upstream.transaction(hash)) === null ? null : found;
}

async function answerOfRange(call: ForkCall, answer: (call: ForkCall) => Promise<unknown>): Promise<unknown> {
  try {
    return await answer(call);
  } catch (error) {
    if (!isUnserved(error)) throw error;
    throw new UnservedMethodError(call.fork.upstream.urls, call.method.name);
  }
}

/** Returns the result of the upstream, or of its data; {@link NOT_UPSTREAM} if the local chain must answer. */
export async function upstreamAnswer(call: ForkCall): Promise<unknown> {
  const rule = call.method.fork;
  return rule === undefined ? NOT_UPSTREAM : answerByRule(call, rule);
}

/** As {@link upstreamAnswer}, by this rule. */
export async function answerByRule(call: ForkCall, rule: ForkRule): Promise<unknown> {
  if (rule.kind === 'own') return NOT_UPSTREAM;
  if (rule.kind === 'range') return answerOfRange(call, rule.answer);
  if (rule.kind === 'search') return answerOfSearch(call, rule);
  if (rule.kind === 'execution') return answerOfExecution(call, rule);
  return rule.kind === 'transaction' ? answerOnTransaction(call, rule) : answerAtBlock(call, rule);
}

/**
 * Returns the result of a forked chain. The upstream returns data up to the fork block; later data is local.
 * Ranges across the fork block are merged. Missing state is fetched from the upstream.
 */
export async function answerOnFork(call: ForkCall, name: string): Promise<unknown> {
  const { method, context, params } = call;
  const answer = await upstreamAnswer(call);
  if (answer !== NOT_UPSTREAM) return method.shaped(answer, context, name);
  const { current } = context.node.fork;
  // The base has moved meanwhile. A local block can now be one of the forked chain.
  if (current !== null && current !== call.fork) return answerOnFork({ ...call, fork: current }, name);
  // Methods that change the chain first wait for their turn, and read state before they change it.
  return fetchingState(() => method.answerRead(context, params, name) as Promise<unknown>);
}
