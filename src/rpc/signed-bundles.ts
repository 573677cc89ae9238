// Reads bundles of signed transactions, in the forms of Flashbots and of MEV-Share. Loaded with the first bundle.

import type { NamedBlob } from '../chain/blobs.ts';
import type { Bundle, BundleRange, BundleTransaction, FailureRule } from '../chain/pool/bundles.ts';
import { AdmittedTransaction } from '../evm/admission.ts';
import { concatBytes, equalBytes } from '../primitives/bytes.ts';
import { type Hex, hexKey, toHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { splitNetworkForm } from '../protocol/blobs.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { yieldToOthers } from '../scheduling/cancel-check.ts';
import { MAX_TRANSACTIONS, mevBundle, type mevItem, type sentBundle } from './codecs/bundles.ts';
import { type Decoded, decode } from './codecs/codec.ts';
import { InvalidParamsError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';
import { decodeSent, verifiedBlobs } from './sending.ts';

/** Maximum bytes of the transactions of a bundle, as on Flashbots' relay. */
const MAX_BYTES = 300_000;

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
  return { bundle, blobs: parts.flatMap((part) => part.blobs) };
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
}

/** The transactions of an MEV-Share bundle, by item of its body. */
export interface ReadMevBundle extends ReadBundle {
  readonly parts: readonly BodyPart[];
}

async function readItem(
  context: RpcContext,
  { hash, tx, canRevert, bundle }: Decoded<typeof mevItem>,
  place: string,
  depth: number,
): Promise<BodyPart> {
  const given = [hash, tx, bundle].filter((part) => part !== null).length;
  if (given !== 1) throw new InvalidParamsError(place, 'exactly one of tx, hash and bundle', `${given}`);
  if (bundle !== null) {
    if (depth === MAX_DEPTH)
      throw new InvalidParamsError(place, `at most ${MAX_DEPTH} levels of bundles`, 'another level');
    const nested = await context.deadline.run(decode(mevBundle, `${place}.bundle`, bundle));
    const inner = await readMevBundle(context, nested, `${place}.bundle`, depth + 1);
    const { transactions, firstBlock, lastBlock, hash: own } = inner.bundle;
    return { hash: own, transactions, blobs: inner.blobs, range: { firstBlock, lastBlock } };
  }
  if (hash !== null) {
    const transactions = waitingTransactions(context, hash, `${place}.hash`);
    return { hash, transactions, blobs: [], range: null };
  }
  const rule: FailureRule = canRevert === true ? 'included' : 'fails';
  const read = await readTransaction(context, tx ?? new Uint8Array(0), `${place}.tx`, () => rule);
  return { ...read, hash: read.transactions[0]?.admitted.transaction.hash ?? bundleHash([]), range: null };
}

/**
 * Reads an MEV-Share bundle. Nested bundles become one atomic bundle. Its blocks are the common blocks of all of them.
 * Rejects with an {@link InvalidParamsError} or as `decodeSent`.
 */
export async function readMevBundle(
  context: RpcContext,
  { inclusion, body }: Decoded<typeof mevBundle>,
  place = 'bundle',
  depth = 1,
): Promise<ReadMevBundle> {
  const { block = null, maxBlock = null } = inclusion ?? {};
  const range = blockRange(block, maxBlock, {
    first: `${place}.inclusion.block`,
    last: `${place}.inclusion.maxBlock`,
  });
  const parts: BodyPart[] = [];
  for (const [index, item] of (body ?? []).entries())
    parts.push(await readItem(context, item, `${place}.body[${index}]`, depth));
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
    replacementId: null,
  };
  return { bundle, blobs: parts.flatMap((part) => part.blobs), parts };
}

/** Reads a private transaction: a bundle of one transaction that may fail. */
export async function readPrivateTransaction(
  context: RpcContext,
  raw: Uint8Array | null,
  range: Pick<BundleRange, 'firstBlock' | 'lastBlock'>,
): Promise<ReadBundle> {
  const bytes = raw ?? new Uint8Array(0);
  const { transactions, blobs } = await readTransaction(context, bytes, 'transaction.tx', () => 'included');
  const hash = bundleHash(transactions.map(({ admitted }) => admitted.transaction.hash));
  const limits = { minTimestamp: null, maxTimestamp: null, replacementId: null };
  return { bundle: { ...range, ...limits, hash, transactions }, blobs };
}

/** Sends a bundle. The log warns if the bundle waits for a block after the next one. */
export async function sendBundle(
  { node: { chain }, call }: RpcContext,
  { bundle, blobs }: ReadBundle,
): Promise<{ readonly bundleHash: Hex }> {
  await chain.sendBundle(bundle, call, blobs);
  if (call?.isLogged === true && chain.pool.bundles.all.includes(bundle)) {
    const next = chain.head().header.number + 1;
    if (bundle.firstBlock > next) {
      const warning = `the bundle waits for block ${bundle.firstBlock}; the next block is ${next}`;
      call.warnings = [...(call.warnings ?? []), warning];
    }
  }
  return { bundleHash: toHex(bundle.hash) };
}
