import { CodedError } from '../../primitives/coded-error.ts';
import { toHex } from '../../primitives/hex.ts';

/** A parent-chain block that a miner submits and the node does not take; code and words are the network's. */
export abstract class BlockSubmissionError extends CodedError {
  readonly code = -33000;
}

/** The parent-chain block commits to a hash that no recent work had; the network says nothing else either. */
export class UnknownWorkError extends BlockSubmissionError {
  constructor(hash: Uint8Array) {
    super(`Cannot publish block, could not find hash ${toHex(hash)} in the cache`);
  }
}

/**
 * The parent-chain block commits to work on a state that was changed by hand since it was handed out. The network, where
 * no caller can do that, has no words for it.
 */
export class OutdatedWorkError extends BlockSubmissionError {
  constructor(hash: Uint8Array) {
    super(`Cannot publish block, the state that the work with hash ${toHex(hash)} is on was changed by hand`);
  }
}

/** The parent-chain block does not prove the work. */
export class InvalidSolutionError extends BlockSubmissionError {
  /** `fault` says in words what is wrong. */
  constructor(fault: string) {
    super(`Invalid block supplied by miner: ${fault}`);
  }
}

/** Blocks are not mined with a parent chain under the rules of an Ethereum hardfork. */
export class NoParentChainError extends BlockSubmissionError {
  constructor(ruleSetName: string) {
    super(`Blocks have no parent chain under the rule set ${ruleSetName}; choose rootstock with --hardfork`);
  }
}

/** A partial Merkle tree without hashes. */
export class EmptyMerkleHashesError extends BlockSubmissionError {
  constructor() {
    super("The list of merkle hashes can't be empty");
  }
}
