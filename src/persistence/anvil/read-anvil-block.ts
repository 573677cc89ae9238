// Reads blocks, transactions and receipts of Anvil's state files, in all versions of the format.

import { EMPTY_BYTES, equalBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { finish, type Steps } from '../../primitives/steps.ts';
import type { Block, BlockHeader } from '../../protocol/block.ts';
import { createdAddress } from '../../protocol/contract-address.ts';
import { InvalidTransactionError } from '../../protocol/errors.ts';
import { effectiveGasPrice } from '../../protocol/fees.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { encodeBlock, headerHash } from '../../protocol/header-encoding.ts';
import { encodeReceipt, RECEIPT_DEFAULTS, type Receipt } from '../../protocol/receipt.ts';
import { isTransactionType, type Transaction, type TransactionRequest } from '../../protocol/transaction.ts';
import { decodeTransaction } from '../../protocol/transaction-decoding.ts';
import { withoutSignature, withSignatureValues } from '../../protocol/transaction-encoding.ts';
import { orderedTrieRoot } from '../../state/trie/ordered-trie.ts';
import { FILED_WORK } from '../../wire/block-file.ts';
import { readAnvilHeader } from '../../wire/header.ts';
import { readAnvilReceipt } from '../../wire/receipt-file.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import { type ReadMember, readSignatureValues, readTransactionRequest } from '../../wire/transaction.ts';

const ENCODING = 'ethereum';

/** Thrown for a block that this node cannot store. The message (a clause) has the block and the reason. */
export class LeftOutBlockError extends Error {
  override readonly name = 'LeftOutBlockError';
}

/** The mined transactions in order, by block hash as `hexKey` formats it. Anvil stores them separately. */
export type MinedTransactions = ReadonlyMap<string, readonly StrictValue[]>;

/** Reads the mined transactions. Files before July 2024 have none. Throws an `InvalidDumpError`. */
export function minedTransactions(transactions: StrictValue): MinedTransactions {
  const byBlock = new Map<string, StrictValue[]>();
  for (const mined of transactions.isNothing ? [] : transactions.items()) {
    const key = hexKey(mined.field('block_hash').bytes(32));
    const known = byBlock.get(key) ?? [];
    known[mined.field('info').field('transaction_index').count()] = mined;
    byBlock.set(key, known);
  }
  return byBlock;
}

export interface AnvilHeader {
  readonly value: StrictValue;
  readonly header: BlockHeader;
  readonly hash: Uint8Array;
}

/**
 * Returns the headers in file order. Before v0.3, Anvil encoded a header with blob fields and without a
 * withdrawals root with an empty root. Later versions omit the root. The right encoding is the one whose hash
 * occurs elsewhere in the file, or else the encoding of the other headers. Throws an `InvalidDumpError`.
 */
export function readAnvilHeaders(blocks: readonly StrictValue[], mined: MinedTransactions): AnvilHeader[] {
  const named = new Set(mined.keys());
  const read = blocks.map((value) => ({ value, header: headerOf(value) }));
  for (const { header } of read) named.add(hexKey(header.parentHash));
  const isNamed = (header: BlockHeader): boolean => named.has(hexKey(headerHash(header, ENCODING)));
  const hasEmptyRoots = read.some(({ header }) => lacksRoot(header) && isNamed(withEmptyRoot(header)));
  return read.map(({ value, header }) => {
    const isPadded = lacksRoot(header) && !isNamed(header) && hasEmptyRoots;
    const own = isPadded ? withEmptyRoot(header) : header;
    return { value, header: own, hash: headerHash(own, ENCODING) };
  });
}

function headerOf(value: StrictValue): BlockHeader {
  return { ...readAnvilHeader(value.field('header')), uncleCount: value.field('ommers').items().length };
}

function lacksRoot({ ethereum }: BlockHeader): boolean {
  return ethereum.withdrawalsRoot === null && ethereum.blobGasUsed !== null;
}

function withEmptyRoot(header: BlockHeader): BlockHeader {
  return { ...header, ethereum: { ...header.ethereum, withdrawalsRoot: EMPTY_BYTES } };
}

/** The types of the block's transactions (EIP-2718), or Anvil's type names. Throws an `InvalidDumpError`. */
export function typesInAnvilBlock(value: StrictValue): (number | string)[] {
  const items = value.field('transactions').items();
  return items.map((item) => typedTransaction(item).type);
}

/** The type names of Anvil before December 2025. */
const TYPE_NAMES: ReadonlyMap<string, number> = new Map([
  ['Legacy', 0],
  ['EIP2930', 1],
  ['EIP1559', 2],
  ['EIP4844', 3],
  ['EIP7702', 4],
]);

/**
 * Returns the transaction and its type. Since July 2024, files wrap each transaction with its impersonated
 * sender. Until December 2025 the type is the name of the only field; later it is in a field `type`.
 */
function typedTransaction(item: StrictValue): {
  readonly value: StrictValue;
  readonly type: number | string;
} {
  const wrapped = item.field('transaction');
  const value = wrapped.isNothing ? item : wrapped;
  const [name = '', ...others] = value.names();
  if (others.length > 0) return { value, type: value.field('type').count() };
  return { value: value.field(name), type: TYPE_NAMES.get(name) ?? name };
}

/**
 * Reads a block with its receipts. Yields between transactions. Throws an `InvalidDumpError`, and a
 * {@link LeftOutBlockError} if the file lacks a required part of the block.
 */
export function* readAnvilBlock(
  { value, header, hash }: AnvilHeader,
  parent: Block | null,
  mined: MinedTransactions,
  ruleSet: RuleSet,
): Steps<Block> {
  const items = value.field('transactions').items();
  const facts = mined.get(hexKey(hash)) ?? [];
  const transactions: Transaction[] = [];
  const receipts: Receipt[] = [];
  for (const [index, item] of items.entries()) {
    const known = facts[index];
    const transaction =
      known === undefined
        ? readSignedTransaction(item, header.number, ruleSet)
        : readAnvilTransaction(item, known.field('info').field('from').bytes(20));
    const price = effectiveGasPrice(transaction, header.ethereum.baseFeePerGas);
    transactions.push(transaction);
    receipts.push(
      known === undefined
        ? provenReceipt(transaction, header, items.length, price)
        : yield* readAnvilReceipt(known, price),
    );
    yield FILED_WORK;
  }
  const uncles = value.field('ommers').items().map(readAnvilHeader);
  const difficulty = uncles.reduce((sum, uncle) => sum + uncle.difficulty, header.difficulty);
  return {
    header,
    hash,
    transactions,
    receipts,
    uncles,
    totalDifficulty: (parent?.totalDifficulty ?? 0n) + difficulty,
    size: encodeBlock({ header, transactions, uncles }, ENCODING).length,
  };
}

/** Reads the members of an object. All are required, except members that not all transactions have. */
function memberReader(value: StrictValue): ReadMember {
  return (name, codec, necessity, otherName) => {
    const field = value.either(name, otherName);
    return field.isNothing && necessity === 'nowhere' ? codec.blank : codec.read(field, 'anvil');
  };
}

function readRequest(item: StrictValue): TransactionRequest {
  const { value, type } = typedTransaction(item);
  if (!isTransactionType(type)) return value.field('type').refuse('one of the transaction types 0 to 4');
  return readTransactionRequest(memberReader(value), type);
}

/** Converts a signature. Anvil writes the parity, `v` of EIP-155, or `v` of 27 and 28. */
function readSignature(
  item: StrictValue,
  { type, chainId }: TransactionRequest,
): { readonly v: bigint; readonly r: bigint; readonly s: bigint } {
  const { value } = typedTransaction(item);
  const names = type === 0 ? (['v', 'yParity'] as const) : (['yParity', 'v'] as const);
  const { v, r, s } = readSignatureValues(memberReader(value), names);
  if (type > 0) return { v: v < 27n ? v : v - 27n, r, s };
  if (v > 1n) return { v, r, s };
  return { v: v + (chainId === null ? 27n : 35n + 2n * chainId), r, s };
}

function readAnvilTransaction(item: StrictValue, sender: Uint8Array): Transaction {
  const request = readRequest(item);
  if (!item.field('impersonated_sender').isNothing) return withoutSignature(request, sender);
  return withSignatureValues(request, readSignature(item, request), sender);
}

/**
 * Recovers the sender from the signature. Old files do not name impersonated senders. Anvil then uses the
 * address that its placeholder signature (equal `r` and `s`) recovers to, and so does this function. Throws a
 * {@link LeftOutBlockError} if recovery fails.
 */
function readSignedTransaction(item: StrictValue, block: number, ruleSet: RuleSet): Transaction {
  const impersonated = item.field('impersonated_sender').orNull((address) => address.bytes(20));
  if (impersonated !== null) return readAnvilTransaction(item, impersonated);
  const request = readRequest(item);
  const values = readSignature(item, request);
  const { raw } = withSignatureValues(request, values, EMPTY_BYTES);
  try {
    return decodeTransaction(raw, ruleSet, Number(request.chainId ?? 0n));
  } catch (error) {
    if (!(error instanceof InvalidTransactionError)) throw error;
    if (values.r !== values.s) throw item.fault(`a valid transaction: ${error.message}`);
    throw new LeftOutBlockError(
      `block ${block} has a transaction whose impersonated sender is not in the file`,
    );
  }
}

/**
 * Returns the receipt of a block's only transaction, as far as the header proves it. A transaction with logs
 * succeeded, but its logs are unknown and omitted. Throws a {@link LeftOutBlockError} for several
 * transactions, because the header does not prove their results.
 */
function provenReceipt(
  transaction: Transaction,
  header: BlockHeader,
  count: number,
  effectiveGasPrice: bigint,
): Receipt {
  const { gasUsed, logsBloom } = header;
  const results = count > 1 ? [] : [true, false];
  const receipts = results.map((succeeded) => ({
    ...RECEIPT_DEFAULTS,
    succeeded,
    cumulativeGasUsed: gasUsed,
    gasUsed,
    effectiveGasPrice,
    logs: [],
    logsBloom,
    contractAddress: transaction.to === null ? createdAddress(transaction.sender, transaction.nonce) : null,
  }));
  const proven = lacksLogs(header, receipts.slice(0, 1))
    ? receipts[0]
    : receipts.find((receipt) =>
        equalBytes(
          finish(orderedTrieRoot([finish(encodeReceipt(receipt, transaction.type, ENCODING))])),
          header.receiptsRoot,
        ),
      );
  if (proven === undefined) {
    throw new LeftOutBlockError(`the receipts of block ${header.number} are missing`);
  }
  return proven;
}

/** True if the block's bloom has logs but its receipts have none. */
export function lacksLogs({ logsBloom }: BlockHeader, receipts: readonly Pick<Receipt, 'logs'>[]): boolean {
  const hasLogs = logsBloom.some((byte) => byte !== 0);
  return hasLogs && receipts.length > 0 && receipts.every(({ logs }) => logs.length === 0);
}
