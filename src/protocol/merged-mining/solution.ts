import { equalBytes } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { doubleSha256 } from '../../primitives/sha256.ts';
import type { MergedMining } from '../block.ts';
import { InvalidSolutionError } from '../errors.ts';
import type { BitcoinBlock } from './parent-chain-block.ts';
import { compressCoinbase, encodeBranch, firstBranch } from './proof-of-work.ts';

/** A parent-chain header and the coinbase transaction of its block, as miners submit them. */
export interface ParentChainHead {
  /** 80 bytes. */
  readonly header: Uint8Array;
  /** The transaction without its witness. */
  readonly coinbase: Uint8Array;
}

function proof({ header, coinbase }: ParentChainHead, siblings: readonly Uint8Array[]): MergedMining {
  return { header, coinbaseTransaction: compressCoinbase(coinbase), merkleProof: encodeBranch(siblings) };
}

/** In which order miners write the bytes of the hashes that they submit. */
type HashSpelling = 'as explorers show it' | 'as it is hashed';

function requireCoinbaseFirst(
  coinbase: Uint8Array,
  hashes: readonly Uint8Array[],
  spelling: HashSpelling,
): void {
  const [first] = hashes;
  const expected = doubleSha256(coinbase);
  if (first !== undefined && equalBytes(first, expected)) return;
  const shown = toHex(spelling === 'as it is hashed' ? expected : expected.toReversed()).slice(2);
  throw new InvalidSolutionError(
    `the first hash is not that of the coinbase transaction, spelled ${spelling}: ${shown}`,
  );
}

/** The proof in a whole parent-chain block. */
export function proofOfBlock({ header, transactions }: BitcoinBlock): MergedMining {
  const [coinbase] = transactions;
  return proof({ header, coinbase }, firstBranch(transactions.map(doubleSha256)));
}

/**
 * The proof in a parent-chain block of which all transactions' hashes are known, in the order of their bytes in which they
 * are hashed. Throws {@link InvalidSolutionError} when the first is not the coinbase transaction's.
 */
export function proofOfTransactions(head: ParentChainHead, hashes: readonly Uint8Array[]): MergedMining {
  requireCoinbaseFirst(head.coinbase, hashes, 'as explorers show it');
  return proof(head, firstBranch(hashes));
}

/** Returns the number of siblings from a leaf up to the root of a Merkle tree over so many leaves. */
function treeHeight(count: number): number {
  let height = 0;
  for (let width = count; width > 1; width = Math.ceil(width / 2)) height++;
  return height;
}

/**
 * The proof in a parent-chain block of so many transactions, of which a partial Merkle tree is known: the coinbase
 * transaction's hash and then its siblings on the way up, in the order of their bytes in which they are hashed. Throws
 * {@link InvalidSolutionError} when there is another hash in front or another number of siblings.
 */
export function proofOfPartialTree(
  head: ParentChainHead,
  hashes: readonly Uint8Array[],
  transactionCount: number,
): MergedMining {
  requireCoinbaseFirst(head.coinbase, hashes, 'as it is hashed');
  const siblings = hashes.slice(1);
  const height = treeHeight(transactionCount);
  if (siblings.length !== height) {
    throw new InvalidSolutionError(
      `${siblings.length} hashes follow the coinbase transaction's, but a Merkle tree over ${transactionCount} has ${height}`,
    );
  }
  return proof(head, siblings);
}
