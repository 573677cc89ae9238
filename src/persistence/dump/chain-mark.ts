import type { TransactionPool } from '../../chain/pool/pool.ts';
import { type ConditionParts, conditionsOf } from '../../chain/settings/chain-conditions.ts';
import type { Snapshots } from '../../chain/snapshots/snapshots.ts';
import { keyOf } from '../../primitives/hex.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { Wallet } from '../../wallet/wallet.ts';

/** What a mark is made of; all of it belongs to one chain. */
export interface MarkParts extends ConditionParts {
  readonly blockchain: Blockchain;
  readonly pool: TransactionPool;
  readonly snapshots: Snapshots;
  readonly wallet: Wallet;
}

/** A moment of a chain, to tell whether anything has changed since. */
export type ChainMark = readonly unknown[];

/**
 * The mark of the chain as it is now. The parts of a chain replace what changes instead of changing it, so it is made of
 * what stands there, and costs the same however large the chain is.
 */
export function markOf(parts: MarkParts): ChainMark {
  const { blockchain, pool, snapshots, wallet } = parts;
  return [
    keyOf(blockchain.head.hash),
    blockchain.headState.stamp,
    pool.version,
    ...Object.values(conditionsOf(parts)),
    snapshots.lastNumber,
    wallet.version,
    ...snapshots.kept,
  ];
}

/** True when both marks are of the same moment of the same chain, as far as a dump tells. */
export function isSameMark(left: ChainMark, right: ChainMark): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}
