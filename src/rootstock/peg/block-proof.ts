// Proofs that a transaction is in a block of the parent chain.

import { PrecompileError } from '../../evm/precompiles/precompiled-contract.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { BitcoinFormatError } from '../bitcoin/byte-reader.ts';
import { parsePartialMerkleTree, provenIds } from '../bitcoin/partial-merkle-tree.ts';
import type { BridgeCall } from '../bridge/bridge-method.ts';
import type { ParentHeader } from '../bridge/parent-chain.ts';
import type { PegRecords } from './peg-records.ts';
import { confirmationsRemark } from './pegin-remarks.ts';
import { hasNoInputs } from './verify-transaction.ts';

/**
 * Returns the root of a partial Merkle tree that proves an id; `null` if it proves only other ids. Throws
 * `BitcoinFormatError` for a malformed tree.
 */
export function provenRoot(tree: Uint8Array, id: Uint8Array): Uint8Array | null {
  const { root, ids } = provenIds(parsePartialMerkleTree(tree));
  return ids.some((each) => equalBytes(each, id)) ? root : null;
}

/** Returns true for the root of the txids of a block, or the registered root of its wtxids (RSKIP-143). */
export function isRootOfBlock(
  pegs: Pick<PegRecords, 'witnessRoot'>,
  root: Uint8Array,
  { hash, merkleRoot }: ParentHeader,
): boolean {
  const witnessRoot = pegs.witnessRoot(hash);
  return equalBytes(root, merkleRoot) || (witnessRoot !== undefined && equalBytes(root, witnessRoot));
}

/** A serialized transaction, the height of its block, and the partial Merkle tree that proves it. */
export interface TransactionProof {
  readonly bytes: Uint8Array;
  /** The id of the bytes. */
  readonly id: Uint8Array;
  readonly height: number;
  readonly tree: Uint8Array;
}

/**
 * Returns true if the block at the height has enough confirmations and contains the transaction. Throws
 * `PrecompileError` or `BitcoinFormatError` if the proof is malformed.
 */
export function isProven(call: BridgeCall, { bytes, id, height, tree }: TransactionProof): boolean {
  const { account, constants } = call;
  const { parentChain } = call.state;
  const { peginConfirmations } = constants;
  if (height < 0 || parentChain.head.height - height + 1 < peginConfirmations) {
    account.remark(confirmationsRemark(height, parentChain.head.height, peginConfirmations));
    return false;
  }
  const root = provenRoot(tree, id);
  if (root === null) {
    account.remark('not registered: the proof is for another transaction');
    return false;
  }
  if (hasNoInputs(bytes)) throw new BitcoinFormatError('the Bitcoin transaction has no inputs');
  const block = parentChain.findByHeight(height);
  if (block === undefined) throw new PrecompileError('the block of the parent chain is too old');
  if (isRootOfBlock(call.state.pegs, root, block.header)) return true;
  account.remark(`not registered: the proof does not match block ${height} of the parent chain`);
  return false;
}
