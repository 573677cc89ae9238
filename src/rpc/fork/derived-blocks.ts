// Results that follow from the JSON of blocks, transactions and receipts of an upstream.

import { UnservedMethodError } from '../../fork/errors.ts';
import { blockQuestion } from '../../fork/upstream/upstream-call.ts';
import { headerOfUpstream } from '../../fork/upstream-body.ts';
import { toQuantity } from '../../primitives/hex.ts';
import { encodeHeader } from '../../protocol/header-encoding.ts';
import { BLOCK_QUANTITIES } from '../../wire/block.ts';
import { asObject, type JsonObject, tolerantQuantity } from '../../wire/tolerant.ts';
import type { DerivableCall } from '../method.ts';
import { upstreamView } from './answer-on-fork.ts';
import { hashesOf, listIn, nativeView, read, readBlock, readReceipts, rulesAt } from './upstream-reads.ts';

function without(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

function viewed(call: DerivableCall, value: unknown): unknown {
  return upstreamView('fields', value, call.context.settings.fieldNames);
}

/** Returns the index of a transaction or uncle: the parameter after the block. */
function indexOf({ params }: DerivableCall): number {
  return params.decoded[1] as number;
}

/** The members of a block that its header lacks. */
const BODY = ['transactions', 'uncles', ...BLOCK_QUANTITIES];

/** Returns the header of a block: its members without the body. */
export async function header(call: DerivableCall): Promise<unknown> {
  return without(await readBlock(call, false), BODY);
}

export async function transactionCount(call: DerivableCall): Promise<unknown> {
  return toQuantity(listIn(await readBlock(call, false), 'transactions').length);
}

export async function uncleCount(call: DerivableCall): Promise<unknown> {
  return toQuantity(listIn(await readBlock(call, false), 'uncles').length);
}

/** Returns the transaction at the index; `null` if absent. */
export async function transactionAt(call: DerivableCall): Promise<unknown> {
  return listIn(await readBlock(call, true), 'transactions')[indexOf(call)] ?? null;
}

/** Returns an empty list; `null` if the block has blobs, because blocks contain only their hashes. */
export async function blobs(call: DerivableCall): Promise<readonly never[] | null> {
  const hasBlobs = listIn(await readBlock(call, true), 'transactions').some((transaction) => {
    const hashes = asObject(transaction)?.blobVersionedHashes;
    return Array.isArray(hashes) && hashes.length > 0;
  });
  return hasBlobs ? null : [];
}

/**
 * Returns the uncle at the index; `null` if absent. Rejects with an {@link UnservedMethodError} if the upstream does
 * not return uncles by hash.
 */
export async function uncleAt(call: DerivableCall): Promise<unknown> {
  const hash = listIn(await readBlock(call, false), 'uncles')[indexOf(call)];
  if (hash === undefined) return null;
  const uncle = asObject(await read(call, blockQuestion(hash, false)));
  if (uncle === undefined) throw new UnservedMethodError(call.fork.upstream.urls, call.method.name);
  const rules = rulesAt(call, uncle);
  const encoded = encodeHeader(headerOfUpstream(nativeView(uncle), rules), rules.encoding);
  // As in local results, the size is the size of the header, because only the header is in the chain.
  return { ...without(uncle, ['transactions']), size: toQuantity(encoded.length), uncles: [] };
}

export async function blockReceipts(call: DerivableCall): Promise<unknown> {
  return readReceipts(call, listIn(await readBlock(call, false), 'transactions'));
}

/** The number of hexadecimal characters of a selector, with its prefix. */
const SELECTOR_LENGTH = 10;

/** Returns a block in the form of Otterscan: no bloom, and only the number of transactions. */
function slimBlock(block: JsonObject): JsonObject {
  return {
    ...without(block, ['transactions']),
    logsBloom: null,
    transactionCount: listIn(block, 'transactions').length,
  };
}

function feeOf(receipt: unknown): bigint {
  const { gasUsed, effectiveGasPrice } = asObject(receipt) ?? {};
  return (tolerantQuantity(gasUsed) ?? 0n) * (tolerantQuantity(effectiveGasPrice) ?? 0n);
}

/** Returns a block with the fees of its transactions. The rewards are 0, as for local blocks. */
export async function otterscanDetails(call: DerivableCall): Promise<unknown> {
  const block = await readBlock(call, false);
  const receipts =
    block.paidFees === undefined ? await readReceipts(call, listIn(block, 'transactions')) : [];
  const paid = receipts.reduce((sum: bigint, receipt) => sum + feeOf(receipt), 0n);
  return {
    block: viewed(call, slimBlock(block)),
    issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
    totalFees: toQuantity(tolerantQuantity(block.paidFees) ?? paid),
  };
}

function shortInput(transaction: unknown): unknown {
  const fields = asObject(transaction) ?? {};
  const { input } = fields;
  return typeof input === 'string' ? { ...fields, input: input.slice(0, SELECTOR_LENGTH) } : fields;
}

/** Returns a page of a block's transactions and receipts, counted from the last one, without long data. */
export async function otterscanTransactions(call: DerivableCall): Promise<unknown> {
  const [, page, size] = call.params.decoded as [unknown, number, number];
  const block = await readBlock(call, true);
  const all = listIn(block, 'transactions');
  const end = Math.max(0, all.length - page * size);
  const transactions = all.slice(Math.max(0, end - size), end);
  const receipts = await readReceipts(call, hashesOf(transactions));
  return viewed(call, {
    fullblock: { ...slimBlock(block), transactions: transactions.map(shortInput) },
    receipts: receipts.map((receipt) => ({ ...asObject(receipt), logs: null, logsBloom: null })),
  });
}
