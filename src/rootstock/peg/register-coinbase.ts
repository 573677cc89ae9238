import { PrecompileError } from '../../evm/precompiles/precompiled-contract.ts';
import { concatBytes, equalBytes } from '../../primitives/bytes.ts';
import { doubleSha256 } from '../../primitives/sha256.ts';
import { reversed } from '../bitcoin/byte-reader.ts';
import { OP } from '../bitcoin/script.ts';
import { type BitcoinTransaction, idOfBytes } from '../bitcoin/transaction.ts';
import type { BridgeCall } from '../bridge/bridge-method.ts';
import { provenRoot } from './block-proof.ts';
import { isCoinbase, parseVerifiedTransaction } from './verify-transaction.ts';

/** The start of an output script that commits to the wtxids of a block (BIP-141). */
const COMMITMENT_PREFIX = Uint8Array.of(OP.RETURN, 36, 0xaa, 0x21, 0xa9, 0xed);
const COMMITMENT_END = COMMITMENT_PREFIX.length + 32;

/** Returns the commitment to the wtxids in the last output that has one; `undefined` if none has. */
function witnessCommitment({ outs }: BitcoinTransaction): Uint8Array | undefined {
  return outs
    .map(({ script }) => script)
    .filter(
      (script) =>
        script.length >= COMMITMENT_END &&
        equalBytes(script.subarray(0, COMMITMENT_PREFIX.length), COMMITMENT_PREFIX),
    )
    .at(-1)
    ?.subarray(COMMITMENT_PREFIX.length, COMMITMENT_END);
}

/** The arguments of `registerBtcCoinbaseTransaction`. Hashes are in text order. */
export interface CoinbaseProof {
  readonly bytes: Uint8Array;
  readonly blockHash: Uint8Array;
  readonly tree: Uint8Array;
  readonly witnessRoot: Uint8Array;
  readonly reservedValue: Uint8Array;
}

/**
 * Registers the root of a block's wtxids (RSKIP-143). Proofs of transactions with witness can use it. Does
 * nothing if the tree does not prove the coinbase. Throws `BitcoinFormatError` and `PrecompileError`.
 */
export function registerCoinbase(
  { state, account }: BridgeCall,
  { bytes, blockHash, tree, witnessRoot, reservedValue }: CoinbaseProof,
): void {
  const root = provenRoot(tree, idOfBytes(bytes));
  if (root === null) {
    account.remark('not registered: the proof is for another transaction');
    return;
  }
  const block = state.parentChain.block(blockHash);
  if (block === undefined) throw new PrecompileError('the block of the parent chain is not registered');
  if (!equalBytes(root, block.header.merkleRoot)) {
    account.remark('not registered: the proof does not match the block');
    return;
  }
  const transaction = parseVerifiedTransaction(bytes);
  if (!isCoinbase(transaction))
    throw new PrecompileError('the transaction does not create the coins of a block');
  const commitment = witnessCommitment(transaction);
  const expected = doubleSha256(concatBytes(reversed(witnessRoot), reservedValue));
  if (commitment === undefined || !equalBytes(commitment, expected)) {
    throw new PrecompileError('the transaction does not commit to this witness root');
  }
  state.pegs.setWitnessRoot(block.header.hash, witnessRoot);
}
