// Checks blocks from outside, and connects them.

import { concatBytes, equalBytes } from '../../primitives/bytes.ts';
import type { Steps } from '../../primitives/steps.ts';
import { verifyScripts } from './accept-transaction.ts';
import { type Coin, coinsOf } from './chain-index.ts';
import { heightPush, subsidy, WITNESS_TAG, witnessCommitment } from './create-block.ts';
import { RejectedBlockError, RejectedTransactionError } from './errors.ts';
import {
  type DetachedBlock,
  medianTimePast,
  meetsRegtestTarget,
  merkleRootOfBlock,
  type ParentBlock,
  REGTEST_BITS,
  readBlock,
} from './parent-block.ts';
import type { ParentChain } from './parent-chain.ts';
import { isCoinbase, outpointKey, type ParentTransaction } from './parent-transaction.ts';
import { checkForm, feeOfInputs, isFinal, meetsSequenceLocks } from './transaction-checks.ts';

const MAX_BLOCK_WEIGHT = 4_000_000;
const MAX_BLOCK_SIZE = 4_000_000;
/** The maximum time of a block ahead of the clock, in seconds. */
const MAX_FUTURE = 2 * 60 * 60;
const HEADER_WEIGHT = 4 * 80;

function checkHeader({ header, hash }: DetachedBlock, chain: ParentChain): void {
  if (header.bits !== REGTEST_BITS) throw new RejectedBlockError('bad-diffbits', 'incorrect proof of work');
  if (!meetsRegtestTarget(hash)) throw new RejectedBlockError('high-hash', 'proof of work failed');
  if (header.time <= medianTimePast(chain.tip)) {
    throw new RejectedBlockError('time-too-old', "block's timestamp is too early");
  }
  if (header.time > chain.clock.now() + MAX_FUTURE) {
    throw new RejectedBlockError('time-too-new', 'block timestamp too far in the future');
  }
}

function checkCoinbase(transactions: readonly ParentTransaction[], height: number): ParentTransaction {
  const [coinbase, ...others] = transactions;
  if (coinbase === undefined || !isCoinbase(coinbase)) throw new RejectedBlockError('bad-cb-missing');
  if (others.some(isCoinbase)) throw new RejectedBlockError('bad-cb-multiple');
  const expected = heightPush(height);
  const script = coinbase.inputs[0]?.script ?? new Uint8Array(0);
  if (!equalBytes(script.subarray(0, expected.length), expected))
    throw new RejectedBlockError('bad-cb-height');
  checkWitnessCommitment(coinbase, others);
  return coinbase;
}

function checkWitnessCommitment(coinbase: ParentTransaction, others: readonly ParentTransaction[]): void {
  const commitment = coinbase.outputs.findLast(
    ({ script }) => script.length >= 38 && equalBytes(script.subarray(0, WITNESS_TAG.length), WITNESS_TAG),
  );
  if (commitment === undefined) {
    const hasWitness = [coinbase, ...others].some(({ inputs }) =>
      inputs.some(({ witness }) => witness.length > 0),
    );
    if (hasWitness) throw new RejectedBlockError('unexpected-witness');
    return;
  }
  const witness = coinbase.inputs[0]?.witness ?? [];
  const [nonce] = witness;
  if (witness.length !== 1 || nonce?.length !== 32) throw new RejectedBlockError('bad-witness-nonce-size');
  const expected = concatBytes(WITNESS_TAG, witnessCommitment(others, nonce));
  if (!equalBytes(commitment.script.subarray(0, 38), expected)) {
    throw new RejectedBlockError('bad-witness-merkle-match');
  }
}

/** Returns the output that each input spends, on the chain or earlier in the block. Throws {@link RejectedBlockError}. */
function spentCoins(
  transaction: ParentTransaction,
  created: ReadonlyMap<string, Coin>,
  spent: Set<string>,
  chain: ParentChain,
): Coin[] {
  return transaction.inputs.map((input) => {
    const key = outpointKey(input);
    const coin = created.get(key) ?? chain.index.coin(key);
    if (coin === undefined || spent.has(key)) throw new RejectedBlockError('bad-txns-inputs-missingorspent');
    spent.add(key);
    return coin;
  });
}

/** Checks the transactions on the best block. Throws {@link RejectedBlockError} or {@link RejectedTransactionError}. */
function* checkTransactions(transactions: readonly ParentTransaction[], chain: ParentChain): Steps<void> {
  const height = chain.tip.height + 1;
  const medianTime = medianTimePast(chain.tip);
  const created = new Map<string, Coin>();
  const spent = new Set<string>();
  let fees = 0n;
  for (const transaction of transactions) {
    checkForm(transaction);
    if (!isFinal(transaction, height, medianTime)) throw new RejectedBlockError('bad-txns-nonfinal');
    if (!isCoinbase(transaction)) {
      const coins = spentCoins(transaction, created, spent, chain);
      if (!meetsSequenceLocks(transaction, coins, chain)) throw new RejectedBlockError('bad-txns-nonfinal');
      fees += feeOfInputs(transaction, coins, height);
      yield* verifyScripts(transaction, coins, 'consensus');
    }
    for (const coin of coinsOf(transaction, height)) created.set(outpointKey(coin), coin);
    yield transaction.bytes.length;
  }
  const reward = transactions[0]?.outputs.reduce((sum, { value }) => sum + value, 0n) ?? 0n;
  const limit = subsidy(height) + fees;
  if (reward > limit) {
    throw new RejectedBlockError(
      'bad-cb-amount',
      `coinbase pays too much (actual=${reward} vs limit=${limit})`,
    );
  }
}

/**
 * Connects a serialized block to the best block. Returns `null`, or the reason why it is not connected, as
 * `submitblock` of bitcoind. Throws `BitcoinFormatError` for other bytes.
 */
export function* submitBlock(chain: ParentChain, bytes: Uint8Array): Steps<string | null> {
  if (bytes.length > MAX_BLOCK_SIZE) return 'bad-blk-length';
  const block = yield* readBlock(bytes);
  for (;;) {
    const { tip } = chain;
    if (chain.index.block(block.hash) !== undefined) return 'duplicate';
    if (block.header.parentHash !== tip.hash) return 'inconclusive';
    try {
      yield* checkBlock(block, chain);
    } catch (error) {
      if (error instanceof RejectedBlockError || error instanceof RejectedTransactionError)
        return error.reason;
      throw error;
    }
    // The chain may have changed between the steps.
    if (chain.tip !== tip) continue;
    const connected: ParentBlock = { ...block, parent: tip, height: tip.height + 1 };
    chain.connect(connected);
    return null;
  }
}

function* checkBlock(block: DetachedBlock, chain: ParentChain): Steps<void> {
  const { header, transactions } = block;
  checkHeader(block, chain);
  if (merkleRootOfBlock(transactions) !== header.merkleRoot) {
    throw new RejectedBlockError('bad-txnmrklroot', 'hashMerkleRoot mismatch');
  }
  if (new Set(transactions.map(({ txid }) => txid)).size < transactions.length) {
    throw new RejectedBlockError('bad-txns-duplicate', 'duplicate transaction');
  }
  const weight = transactions.reduce((sum, transaction) => sum + transaction.weight, HEADER_WEIGHT);
  if (weight > MAX_BLOCK_WEIGHT) throw new RejectedBlockError('bad-blk-weight');
  checkCoinbase(transactions, chain.tip.height + 1);
  yield* checkTransactions(transactions, chain);
}
