import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';
import { RULE_SET_NAMES, ruleSetNamed } from './hardforks/registry.ts';
import type { RuleSet } from './hardforks/rule-set.ts';

/** A raw transaction whose bytes are not one, or whose signature cannot be accepted (service code -32602). */
export class InvalidTransactionError extends CodedError {
  static readonly entry = {
    name: 'InvalidTransaction',
    code: -32602,
    message: 'Invalid input: {reason}',
    page: 'protocol',
  } as const satisfies ErrorEntry;

  constructor(reason: string) {
    super(fill(InvalidTransactionError.entry, { reason }));
  }
}

/** Bytes that are no single list of the items that a transaction has, whatever the items are. */
export class MisshapenTransactionError extends InvalidTransactionError {}

/** A transaction signed for another chain. */
export class InvalidChainIdError extends CodedError {
  static readonly entry = {
    name: 'InvalidChainId',
    code: -32602,
    message: 'Invalid chainId: {given}, expected {expected}',
    page: 'protocol',
  } as const satisfies ErrorEntry;

  constructor(
    readonly given: bigint,
    expected: number,
  ) {
    super(fill(InvalidChainIdError.entry, { given, expected }));
  }
}

/** Returns advice for a sender of that type, which the rule set does not have. */
function typeAdvice(type: number, { transactionTypes }: RuleSet): string {
  const last = transactionTypes.at(-1);
  const others = transactionTypes.slice(0, -1).join(', ');
  const known = others === '' ? 'send a legacy transaction' : `send one of type ${others} or ${last}`;
  const hasType = (other: RuleSet) => other.transactionTypes.some((candidate) => candidate === type);
  const isSomewhere = RULE_SET_NAMES.some((name) => hasType(ruleSetNamed(name)));
  return isSomewhere ? `${known}, or choose another --hardfork` : known;
}

/** The type of the transactions with which the OP Stack brings deposits of another chain, without a signature. */
const OP_STACK_DEPOSIT = 0x7e;

/** Returns words for a transaction type, which say whose it is where a chain that can be forked has it for itself. */
export function transactionTypeWords(type: number): string {
  return type === OP_STACK_DEPOSIT ? '0x7e (a deposit of an OP Stack chain)' : String(type);
}

function refusedTypeWords(type: number, ruleSet: RuleSet): string {
  // Under every rule set, legacy transactions are of type 0, but no envelope is.
  if (type === 0)
    return 'the first byte is 0x00; a legacy transaction (type 0) is an RLP list without a type byte';
  return `type ${transactionTypeWords(type)} does not exist in hardfork ${ruleSet.name}; ${typeAdvice(type, ruleSet)}`;
}

/** A transaction type that the rule set does not have, or the envelope of a legacy transaction. The words are those that clients recognise. */
export class TransactionTypeError extends CodedError {
  static readonly entry = {
    name: 'UnsupportedTransactionType',
    code: -32000,
    message: 'transaction type not valid: {type}',
    page: 'protocol',
  } as const satisfies ErrorEntry;

  constructor(type: number, ruleSet: RuleSet) {
    super(fill(TransactionTypeError.entry, { type: refusedTypeWords(type, ruleSet) }));
  }
}

/** Bytes that are no header or no block in the encoding asked for. */
export class HeaderDecodingError extends CodedError {
  static readonly entry = {
    name: 'InvalidHeader',
    code: -32602,
    message: 'Invalid input: {reason}',
    page: 'protocol',
  } as const satisfies ErrorEntry;

  constructor(reason: string) {
    super(fill(HeaderDecodingError.entry, { reason }));
  }
}

/** A parent-chain block that a miner submits and the node does not take; code and words are the network's. */
abstract class BlockSubmissionError extends CodedError {}

/** The parent-chain block commits to a hash that no recent work had; the network says nothing else either. */
export class UnknownWorkError extends BlockSubmissionError {
  static readonly entry = {
    name: 'UnknownWork',
    code: -33000,
    message: 'Cannot publish block, could not find hash {hash} in the cache',
    page: 'protocol',
  } as const satisfies ErrorEntry;

  constructor(hash: Uint8Array) {
    super(fill(UnknownWorkError.entry, { hash: toHex(hash) }));
  }
}

/**
 * The parent-chain block commits to work on a state that was changed by hand since it was handed out. The network, where
 * no caller can do that, has no words for it.
 */
export class OutdatedWorkError extends BlockSubmissionError {
  static readonly entry = {
    name: 'OutdatedWork',
    code: -33000,
    message:
      'Cannot publish block, the state below the work with hash {hash} was changed; get new work with mnr_getWork',
    page: 'protocol',
  } as const satisfies ErrorEntry;

  constructor(hash: Uint8Array) {
    super(fill(OutdatedWorkError.entry, { hash: toHex(hash) }));
  }
}

/** The parent-chain block does not prove the work. */
export class InvalidSolutionError extends BlockSubmissionError {
  static readonly entry = {
    name: 'InvalidSolution',
    code: -33000,
    message: 'Invalid block supplied by miner: {fault}',
    page: 'protocol',
  } as const satisfies ErrorEntry;

  /** `fault` says in words what is wrong. */
  constructor(fault: string) {
    super(fill(InvalidSolutionError.entry, { fault }));
  }
}

/** Blocks are not mined with a parent chain under the rules of an Ethereum hardfork. */
export class NoParentChainError extends BlockSubmissionError {
  static readonly entry = {
    name: 'NoParentChain',
    code: -33000,
    message: 'blocks have no parent chain in hardfork {ruleSetName}; choose rootstock with --hardfork',
    page: 'protocol',
  } as const satisfies ErrorEntry;

  constructor(ruleSetName: string) {
    super(fill(NoParentChainError.entry, { ruleSetName }));
  }
}

/** A partial Merkle tree without hashes. */
export class EmptyMerkleHashesError extends BlockSubmissionError {
  static readonly entry = {
    name: 'EmptyMerkleHashes',
    code: -33000,
    message: "The list of merkle hashes can't be empty",
    page: 'protocol',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(EmptyMerkleHashesError.entry));
  }
}
