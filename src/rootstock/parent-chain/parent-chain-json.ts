// The stored form of a parent chain: blocks as bytes, so that they are only appended, and the rest as JSON.

import { hexKey, readDigits } from '../../primitives/hex.ts';
import type { MempoolEntry } from './mempool.ts';
import { blockBytes, type ParentBlock, readBlock } from './parent-block.ts';
import type { ParentChainState } from './parent-chain.ts';
import { readTransaction } from './parent-transaction.ts';
import type { ParentWallet } from './wallet/parent-wallet.ts';

/** The state without its blocks, fit for JSON. */
export interface ParentChainJson {
  /** The hash of the best block. */
  readonly tip: string;
  readonly seed: string;
  readonly mempool: readonly MempoolEntryJson[];
  readonly wallets: readonly ParentWallet[];
}

interface MempoolEntryJson {
  /** The transaction with witness, as digits. */
  readonly transaction: string;
  /** In satoshis. */
  readonly fee: string;
  /** In seconds. */
  readonly time: number;
  readonly height: number;
}

export { blockBytes as parentBlockToBytes };

/** Restores a block from its bytes on its parent. Throws a `RangeError` if it has another parent. */
export function parentBlockFromBytes(parent: ParentBlock, bytes: Uint8Array): ParentBlock {
  const block = readBlock(bytes);
  if (block.header.parentHash !== parent.hash) {
    throw new RangeError(
      `the parent of block ${block.hash}: expected ${parent.hash}, got ${block.header.parentHash}`,
    );
  }
  return { ...block, parent, height: parent.height + 1 };
}

export function parentChainToJson({ tip, mempool, wallets, seed }: ParentChainState): ParentChainJson {
  return {
    tip: tip.hash,
    seed,
    mempool: mempool.map(({ transaction, fee, time, height }) => ({
      transaction: hexKey(transaction.bytes),
      fee: fee.toString(),
      time,
      height,
    })),
    wallets,
  };
}

/** Restores a state on its best block. Throws an error if a transaction is invalid or the block differs. */
export function parentChainFromJson(tip: ParentBlock, json: ParentChainJson): ParentChainState {
  if (json.tip !== tip.hash) throw new RangeError(`the best block: expected ${json.tip}, got ${tip.hash}`);
  return { tip, seed: json.seed, mempool: json.mempool.map(entryFromJson), wallets: json.wallets };
}

function entryFromJson({ transaction, fee, time, height }: MempoolEntryJson): MempoolEntry {
  const bytes = readDigits(transaction);
  if (bytes === undefined) throw new RangeError('a transaction of the mempool is not hexadecimal');
  return { transaction: readTransaction(bytes), fee: BigInt(fee), time, height };
}
