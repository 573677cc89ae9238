// Reads bundles of signed transactions, in the forms of Flashbots and of MEV-Share. Loaded with the first bundle.

import type { NamedBlob } from '../chain/blobs.ts';
import { LATEST } from '../chain/block-selector.ts';
import type { Bundle, BundleRange, BundleTransaction, FailureRule } from '../chain/pool/bundles.ts';
import { AdmittedTransaction } from '../evm/admission.ts';
import { LOG_BYTES } from '../evm/engine.ts';
import { concatBytes, equalBytes } from '../primitives/bytes.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { type Hex, hexKey, toHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { splitNetworkForm } from '../protocol/blobs.ts';
import type { Log } from '../protocol/receipt.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { yieldToOthers } from '../scheduling/cancel-check.ts';
import {
  type Hint,
  MAX_TRANSACTIONS,
  mevBundle,
  type mevItem,
  type privatePreferences,
  type sentBundle,
} from './codecs/bundles.ts';
import { type Decoded, decode } from './codecs/codec.ts';
import { InvalidParamsError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';
import { decodeSent, verifiedBlobs } from './sending.ts';
import type { SharedTransaction } from './views/bundle-hints.ts';

/** Maximum bytes of the transactions of a bundle, as on Flashbots' relay. */
const MAX_BYTES = 300_000;

/** Maximum bytes of the logs that the event stream gets of a bundle. */
const MAX_LOG_BYTES = 2 ** 20;

/** Maximum nesting of bundles, as in MEV-Share. */
const MAX_DEPTH = 5;

/** Transactions with their blobs. */
interface ReadTransactions {
  readonly transactions: readonly BundleTransaction[];
  readonly blobs: readonly NamedBlob[];
}

/** A bundle to send, with the blobs of its transactions. */
export interface ReadBundle {
  readonly bundle: Bundle;
  readonly blobs: readonly NamedBlob[];
  /** The transactions that the event stream describes; `null` if the bundle is not on the stream. */
  readonly shared: readonly SharedTransaction[] | null;
}

/** Returns the hash of a bundle: the hash of the hashes of its parts. */
export function bundleHash(hashes: readonly Uint8Array[]): Uint8Array {
  return keccak256(concatBytes(...hashes));
}

/** Decodes a transaction of a bundle, without verifying its blobs. Yields, because the signature takes time. */
async function decoded(context: RpcContext, raw: Uint8Array, place: string): Promise<Transaction> {
  if (raw.length === 0) throw new InvalidParamsError(place, 'a signed transaction', 'no bytes');
  await yieldToOthers(context.deadline);
  return decodeSent(context, raw);
}

/** Resolves to the transactions of a bundle for a simulation. Rejects for an empty list. */
export async function decodedTransactions(
  context: RpcContext,
  raws: readonly Uint8Array[] | null,
  place: string,
): Promise<Transaction[]> {
  if (raws === null || raws.length === 0)
    throw new InvalidParamsError(
      place,
      'at least one signed transaction (bundle missing txs)',
      raws === null ? 'nothing' : 'an empty array',
    );
  const transactions: Transaction[] = [];
  for (const [index, raw] of raws.entries())
    transactions.push(await decoded(context, raw, `${place}[${index}]`));
  return transactions;
}

async function readTransaction(
  context: RpcContext,
  raw: Uint8Array,
  place: string,
  ruleOf: (transaction: Transaction) => FailureRule,
): Promise<ReadTransactions> {
  const transaction = await decoded(context, raw, place);
  const { sidecar } = splitNetworkForm(raw);
  const blobs = await verifiedBlobs(context, transaction, sidecar);
  return { transactions: [bundled(context, transaction, ruleOf(transaction))], blobs };
}

function bundled(
  { node: { chain } }: RpcContext,
  transaction: Transaction,
  ifFailed: FailureRule,
): BundleTransaction {
  return { admitted: new AdmittedTransaction(transaction, chain.ruleSet.fees), ifFailed };
}

/** Throws an {@link InvalidParamsError} for a bundle that is empty or too large. */
function checkSize(transactions: readonly BundleTransaction[], place: string): void {
  const { length } = transactions;
  if (length === 0)
    throw new InvalidParamsError(place, 'at least one transaction (bundle missing txs)', 'an empty array');
  if (length > MAX_TRANSACTIONS)
    throw new InvalidParamsError(place, `at most ${MAX_TRANSACTIONS} transactions`, `${length}`);
  const bytes = transactions.reduce((sum, { admitted }) => sum + admitted.transaction.raw.length, 0);
  if (bytes > MAX_BYTES)
    throw new InvalidParamsError(place, `at most ${MAX_BYTES} bytes of transactions`, `${bytes}`);
}

/** Returns a range of blocks. Throws an {@link InvalidParamsError} if it is missing or empty. */
function blockRange(
  first: bigint | null,
  last: bigint | null,
  places: { readonly first: string; readonly last: string },
): Pick<BundleRange, 'firstBlock' | 'lastBlock'> {
  if (first === null)
    throw new InvalidParamsError(places.first, 'a block number (bundle missing blockNumber)', 'nothing');
  if (last !== null && last < first)
    throw new InvalidParamsError(places.last, `a block number from ${first}`, `${last}`);
  return { firstBlock: Number(first), lastBlock: Number(last ?? first) };
}

/** On relays, the timestamp 0 is no limit. */
function limitOf(timestamp: number | null): number | null {
  return timestamp === 0 ? null : timestamp;
}

/** Reads the bundle of eth_sendBundle. Rejects with an {@link InvalidParamsError} or as `decodeSent`. */
export async function readSentBundle(
  context: RpcContext,
  { txs, ...given }: Decoded<typeof sentBundle>,
): Promise<ReadBundle> {
  const range = blockRange(given.blockNumber, given.maxBlock, {
    first: 'bundle.blockNumber',
    last: 'bundle.maxBlock',
  });
  const reverting = new Set((given.revertingTxHashes ?? []).map(hexKey));
  const dropping = new Set((given.droppingTxHashes ?? []).map(hexKey));
  const ruleOf = ({ hash }: Transaction): FailureRule => {
    if (dropping.has(hexKey(hash))) return 'dropped';
    return reverting.has(hexKey(hash)) ? 'included' : 'fails';
  };
  const parts: ReadTransactions[] = [];
  for (const [index, raw] of (txs ?? []).entries())
    parts.push(await readTransaction(context, raw, `bundle.txs[${index}]`, ruleOf));
  const transactions = parts.flatMap((part) => part.transactions);
  checkSize(transactions, 'bundle.txs');
  const bundle = {
    ...range,
    minTimestamp: limitOf(given.minTimestamp),
    maxTimestamp: limitOf(given.maxTimestamp),
    hash: bundleHash(transactions.map(({ admitted }) => admitted.transaction.hash)),
    transactions,
    replacementId: given.replacementUuid ?? given.uuid,
  };
  return { bundle, blobs: parts.flatMap((part) => part.blobs), shared: null };
}

/** The waiting transactions with this hash: of the pool, of a waiting bundle, or a whole waiting bundle. */
function waitingTransactions(
  context: RpcContext,
  hash: Uint8Array,
  place: string,
): readonly BundleTransaction[] {
  const { pool } = context.node.chain;
  const pooled = pool.byHash(hash);
  if (pooled !== undefined) return [bundled(context, pooled, 'fails')];
  for (const { hash: own, transactions } of pool.bundles.all) {
    if (equalBytes(own, hash)) return transactions;
    const found = transactions.find(({ admitted }) => equalBytes(admitted.transaction.hash, hash));
    if (found !== undefined) return [found];
  }
  throw new InvalidParamsError(
    place,
    'the hash of a pending transaction or of a waiting bundle',
    toHex(hash),
  );
}

/** A part of the body of an MEV-Share bundle. */
interface BodyPart extends ReadTransactions {
  readonly hash: Uint8Array;
  /** The range of a nested bundle; `null` for transactions. */
  readonly range: Pick<BundleRange, 'firstBlock' | 'lastBlock'> | null;
  readonly shared: readonly SharedTransaction[];
}

/** The transactions of an MEV-Share bundle, by item of its body. */
export interface ReadMevBundle extends ReadBundle {
  readonly parts: readonly BodyPart[];
}

/** The rules by `revertMode`. */
const FAILURE_RULES: Readonly<Record<'fail' | 'allow' | 'drop', FailureRule>> = {
  fail: 'fails',
  allow: 'included',
  drop: 'dropped',
};

async function readItem(
  context: RpcContext,
  { hash, tx, canRevert, revertMode, bundle }: Decoded<typeof mevItem>,
  place: string,
  depth: number,
  hints: ReadonlySet<Hint>,
): Promise<BodyPart> {
  const given = [hash, tx, bundle].filter((part) => part !== null).length;
  if (given !== 1) throw new InvalidParamsError(place, 'exactly one of tx, hash and bundle', `${given}`);
  if (bundle !== null) {
    if (depth === MAX_DEPTH)
      throw new InvalidParamsError(place, `at most ${MAX_DEPTH} levels of bundles`, 'another level');
    const nested = await context.deadline.run(decode(mevBundle, `${place}.bundle`, bundle));
    const inner = await readMevBundle(context, nested, `${place}.bundle`, depth + 1);
    const { transactions, firstBlock, lastBlock, hash: own } = inner.bundle;
    const shared = inner.shared ?? [];
    return { hash: own, transactions, blobs: inner.blobs, range: { firstBlock, lastBlock }, shared };
  }
  if (hash !== null) {
    const transactions = waitingTransactions(context, hash, `${place}.hash`);
    return { hash, transactions, blobs: [], range: null, shared: [] };
  }
  const rule = FAILURE_RULES[revertMode ?? (canRevert === true ? 'allow' : 'fail')];
  const read = await readTransaction(context, tx ?? new Uint8Array(0), `${place}.tx`, () => rule);
  const shared = read.transactions.map(({ admitted: { transaction } }) => ({ transaction, hints }));
  const own = read.transactions[0]?.admitted.transaction.hash ?? bundleHash([]);
  return { ...read, hash: own, range: null, shared };
}

/**
 * Reads an MEV-Share bundle. Nested bundles become one atomic bundle. Its blocks are the common blocks of all of them.
 * Rejects with an {@link InvalidParamsError} or as `decodeSent`.
 */
export async function readMevBundle(
  context: RpcContext,
  { inclusion, body, privacy, replacementUuid }: Decoded<typeof mevBundle>,
  place = 'bundle',
  depth = 1,
): Promise<ReadMevBundle> {
  const { block = null, maxBlock = null } = inclusion ?? {};
  const range = blockRange(block, maxBlock, {
    first: `${place}.inclusion.block`,
    last: `${place}.inclusion.maxBlock`,
  });
  const hints = new Set(privacy?.hints ?? []);
  const parts: BodyPart[] = [];
  for (const [index, item] of (body ?? []).entries())
    parts.push(await readItem(context, item, `${place}.body[${index}]`, depth, hints));
  const transactions = parts.flatMap((part) => part.transactions);
  checkSize(transactions, `${place}.body`);
  const ranges = [range, ...parts.flatMap((part) => part.range ?? [])];
  const firstBlock = Math.max(...ranges.map((one) => one.firstBlock));
  const lastBlock = Math.min(...ranges.map((one) => one.lastBlock));
  if (lastBlock < firstBlock)
    throw new InvalidParamsError(`${place}.body`, 'nested bundles with a common block', 'none');
  const bundle = {
    firstBlock,
    lastBlock,
    minTimestamp: null,
    maxTimestamp: null,
    hash: bundleHash(parts.map(({ hash }) => hash)),
    transactions,
    replacementId: replacementUuid,
  };
  const shared = hints.has('hash') ? parts.flatMap((part) => part.shared) : null;
  return { bundle, blobs: parts.flatMap((part) => part.blobs), parts, shared };
}

/** The facts that a private transaction shares by default, as on Flashbots' relay. */
const DEFAULT_HINTS: readonly Hint[] = ['hash', 'default_logs'];

/** Further blocks after the next one that try a private transaction by default, as on Flashbots' relay. */
const PRIVATE_BLOCKS = 24;

/** The parameters of a private transaction; `null` if absent. */
interface PrivateTransaction {
  readonly tx: Uint8Array | null;
  readonly maxBlockNumber: bigint | null;
  readonly preferences: Decoded<typeof privatePreferences> | null;
}

/** Reads a private transaction: a bundle of one transaction that may fail. */
async function readPrivateTransaction(
  context: RpcContext,
  { tx, maxBlockNumber, preferences }: PrivateTransaction,
  place: string,
): Promise<ReadBundle> {
  const bytes = tx ?? new Uint8Array(0);
  const { transactions, blobs } = await readTransaction(context, bytes, place, () => 'included');
  const firstBlock = context.node.chain.head().header.number + 1;
  const bundle = {
    firstBlock,
    lastBlock: maxBlockNumber === null ? firstBlock + PRIVATE_BLOCKS : Number(maxBlockNumber),
    minTimestamp: null,
    maxTimestamp: null,
    replacementId: null,
    hash: bundleHash(transactions.map(({ admitted }) => admitted.transaction.hash)),
    transactions,
  };
  const hints = new Set(preferences?.privacy?.hints ?? DEFAULT_HINTS);
  const shared = transactions.map(({ admitted: { transaction } }) => ({ transaction, hints }));
  return { bundle, blobs, shared: hints.has('hash') ? shared : null };
}

/** Sends a private transaction. `place` is its parameter for errors. Resolves to the hash of the transaction. */
export async function sendPrivately(
  context: RpcContext,
  given: PrivateTransaction,
  place: string,
): Promise<Hex> {
  const read = await readPrivateTransaction(context, given, place);
  await sendBundle(context, read);
  const { transactions, hash } = read.bundle;
  return toHex(transactions[0]?.admitted.transaction.hash ?? hash);
}

/** Returns the logs of a transaction in a simulation of the bundle. If it fails, the log of the node reports it. */
async function simulatedLogs(
  { node: { chain }, deadline }: RpcContext,
  { hash, transactions: bundled }: Bundle,
): Promise<(transaction: Transaction) => readonly Log[]> {
  const transactions = bundled.map(({ admitted }) => admitted.transaction);
  let fault: string;
  try {
    const request = { transactions, selector: LATEST, block: {} };
    const { results } = await chain.simulation.signedBundle(request, deadline);
    const logs = new Map(results.map(({ transaction, execution }) => [transaction, execution.logs]));
    const bytes = results
      .flatMap(({ execution }) => execution.logs)
      .reduce((sum, { data }) => sum + LOG_BYTES + data.length, 0);
    if (bytes <= MAX_LOG_BYTES) return (transaction) => logs.get(transaction) ?? [];
    fault = `they take ${bytes} bytes, above the limit of ${MAX_LOG_BYTES}`;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    fault = error.message;
  }
  const notice = `The event stream does not get the logs of bundle ${toHex(hash)}: ${fault}`;
  chain.events.emit('notice', notice);
  return () => [];
}

/** Sends the hints of a bundle to the event stream. */
async function shareHints(context: RpcContext, { bundle, shared }: ReadBundle): Promise<void> {
  const { chain } = context.node;
  const { hintStreams } = context.services;
  if (shared === null || !hintStreams.hasClients(chain)) return;
  const { hintEvent, sharesLogs } = await import('./views/bundle-hints.ts');
  const logsOf = shared.some(sharesLogs) ? await simulatedLogs(context, bundle) : () => [];
  hintStreams.send(chain, hintEvent(bundle.hash, shared, logsOf));
}

/**
 * Sends a bundle. If it waits, the event stream gets its hints. The log warns if it waits for a block after the next
 * one.
 */
export async function sendBundle(
  context: RpcContext,
  read: ReadBundle,
): Promise<{ readonly bundleHash: Hex }> {
  const { chain } = context.node;
  const { call } = context;
  const { bundle, blobs } = read;
  await chain.sendBundle(bundle, call, blobs);
  if (chain.pool.bundles.all.includes(bundle)) await shareHints(context, read);
  if (call?.isLogged === true && chain.pool.bundles.all.includes(bundle)) {
    const next = chain.head().header.number + 1;
    if (bundle.firstBlock > next) {
      const warning = `the bundle waits for block ${bundle.firstBlock}; the next block is ${next}`;
      call.warnings = [...(call.warnings ?? []), warning];
    }
  }
  return { bundleHash: toHex(bundle.hash) };
}
