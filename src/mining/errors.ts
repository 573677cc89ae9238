import { CodedError } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';

/** A parent-chain block that a miner submits and the node does not take; code and words are the network's. */
export abstract class BlockSubmissionError extends CodedError {
  readonly code = -33000;
}

/** The parent-chain block commits to a hash that no recent work had. */
export class UnknownWorkError extends BlockSubmissionError {
  constructor(hash: Uint8Array) {
    super(`Cannot publish block, could not find hash ${toHex(hash)} in the cache`);
  }
}

/** The parent-chain block commits to work of this node, which makes its blocks without miners. */
export class SubmissionsNotTakenError extends BlockSubmissionError {
  constructor(hash: Uint8Array) {
    super(
      `Cannot publish block ${toHex(hash)}, this node makes its blocks itself and takes none from miners; mine with evm_mine`,
    );
  }
}

/** A partial Merkle tree without hashes. */
export class EmptyMerkleHashesError extends BlockSubmissionError {
  constructor() {
    super("The list of merkle hashes can't be empty");
  }
}
