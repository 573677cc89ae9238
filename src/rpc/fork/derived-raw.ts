// Encodings that follow from blocks, transactions and receipts of an upstream. Each is compared with its hash.

import { DerivedHashError, UnservedMethodError } from '../../fork/errors.ts';
import { UpstreamFields } from '../../fork/upstream-block.ts';
import {
  minedTransactionOfUpstream,
  receiptOfUpstream,
  wholeBlockOfUpstream,
} from '../../fork/upstream-body.ts';
import type { Awaitable } from '../../primitives/awaitable.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { fromHex, type Hex, toHex, toQuantity } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { Block } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { headerHash, unclesHash } from '../../protocol/header-encoding.ts';
import { encodeReceipt, type Receipt } from '../../protocol/receipt.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { DerivableCall, ForkCall } from '../method.ts';
import type { RequestDeadline } from '../request-check.ts';
import { hashesOf, listIn, nativeView, readAll, readBlock, readReceipts, rulesAt } from './upstream-reads.ts';

/** A block, the rules that encode it, and the deadline of the request. */
export interface EncodableSource {
  readonly block: Block;
  readonly rules: Pick<RuleSet, 'encoding'>;
  readonly deadline: RequestDeadline;
}

/** The parts of a block that an encoding needs besides the header. */
export type Parts = 'header' | 'transactions' | 'receipts' | 'everything';

function requireHash(call: ForkCall, subject: string, found: Uint8Array, expected: Uint8Array): void {
  if (!equalBytes(found, expected)) throw new DerivedHashError(call.method.name, subject, toHex(expected));
}

async function unclesOf(call: DerivableCall, count: number): Promise<unknown[]> {
  return readAll(
    call,
    Array.from({ length: count }, (_, index) => ({
      method: 'eth_getUncleByBlockNumberAndIndex',
      params: [toQuantity(call.number), toQuantity(index)],
      expects: 'header',
      isThere: true,
    })),
  );
}

function hashIn(transaction: unknown): Uint8Array {
  return new UpstreamFields(transaction, 'transaction').fixed('hash', 32);
}

/** Returns the transaction. Throws a {@link DerivedHashError} unless its encoding has its hash. */
function checkedTransaction(call: ForkCall, json: unknown): Transaction {
  const transaction = minedTransactionOfUpstream(json);
  requireHash(call, 'a transaction', transaction.hash, hashIn(json));
  return transaction;
}

/**
 * Returns the result of `answer` for the block of the call. Rejects with a {@link DerivedHashError} unless the
 * transactions have their hashes, and the header too if it is encoded.
 */
export async function ofBlock(
  call: DerivableCall,
  parts: Parts,
  answer: (source: EncodableSource) => unknown,
): Promise<unknown> {
  const found = await readBlock(call, parts !== 'header');
  const rules = rulesAt(call, found);
  const transactions = listIn(found, 'transactions');
  const receipts = parts === 'receipts' ? await readReceipts(call, hashesOf(transactions)) : [];
  const uncles = parts === 'everything' ? await unclesOf(call, listIn(found, 'uncles').length) : [];
  const body = {
    block: nativeView(found),
    receipts: receipts.map(nativeView),
    uncles: uncles.map(nativeView),
  };
  const block = wholeBlockOfUpstream(body, rules);
  if (parts === 'header' || parts === 'everything')
    requireHash(call, `block ${call.number}`, headerHash(block.header, rules.encoding), block.hash);
  for (const [index, { hash }] of block.transactions.entries())
    requireHash(call, `transaction ${index} of block ${call.number}`, hash, hashIn(transactions[index]));
  if (parts === 'everything') requireBody(call, block, { rules, withdrawals: found.withdrawals });
  return answer({ block, rules, deadline: call.context.deadline });
}

/** Throws unless the uncles have their hash and the block has no withdrawals. Withdrawals are not encoded. */
function requireBody(
  call: DerivableCall,
  { header, uncles }: Block,
  { rules, withdrawals }: { readonly rules: RuleSet; readonly withdrawals: unknown },
): void {
  const found = unclesHash(uncles, rules.encoding);
  requireHash(call, `the list of uncles of block ${call.number}`, found, header.unclesHash);
  if (Array.isArray(withdrawals) && withdrawals.length > 0)
    throw new UnservedMethodError(call.fork.upstream.urls, call.method.name);
}

/**
 * As {@link ofBlock}, for trie nodes of the block's receipts, from a leaf to the root. Also rejects unless the root
 * has its hash: some nodes keep receipts in another kind of trie.
 */
export async function receiptNodes(
  call: DerivableCall,
  answer: (source: EncodableSource) => Awaitable<readonly Hex[] | null>,
): Promise<unknown> {
  return ofBlock(call, 'receipts', async (source) => {
    const nodes = await answer(source);
    const root = nodes?.at(-1);
    const subject = `the receipts trie of block ${call.number}`;
    if (root !== undefined)
      requireHash(call, subject, keccak256(fromHex(root)), source.block.header.receiptsRoot);
    return nodes;
  });
}

/** Returns the encoded transaction at the index in the parameter after the block; `null` if absent. */
export async function transactionAt(call: DerivableCall): Promise<Hex | null> {
  const index = call.params.decoded[1] as number;
  const json = listIn(await readBlock(call, true), 'transactions')[index];
  return json === undefined ? null : toHex(checkedTransaction(call, json).raw);
}

/** Returns the encoded transaction with the hash in the first parameter. */
export async function transaction(call: DerivableCall): Promise<Hex> {
  const found = await call.fork.upstream.transaction(call.params.decoded[0] as Uint8Array);
  return toHex(checkedTransaction(call, found).raw);
}

/** Returns the encoded receipt of the transaction with the hash in the first parameter. */
export async function receipt(call: DerivableCall): Promise<Hex> {
  const hash = call.params.decoded[0] as Uint8Array;
  const found = await call.fork.upstream.transaction(hash);
  const [json] = await readReceipts(call, [toHex(hash)]);
  const own: Receipt = receiptOfUpstream(json);
  const { encoding } = rulesAt(call, await readBlock(call, false));
  const encode = encodeReceipt(own, minedTransactionOfUpstream(found).type, encoding);
  return toHex(await call.context.deadline.run(encode));
}
