import { CodedError, type ErrorEntry, type FilledEntry, fill } from '../primitives/coded-error.ts';
import { codedError, type ErrorBase, errorBase } from '../primitives/error-class.ts';
import { toHex } from '../primitives/hex.ts';
import { RULE_SET_NAMES, ruleSetNamed } from './hardforks/registry.ts';
import type { RuleSet } from './hardforks/rule-set.ts';

/** A raw transaction is malformed, or its signature is invalid. */
export class InvalidTransactionError extends codedError({
  name: 'InvalidTransaction',
  code: -32602,
  message: 'Invalid input: {reason}',
  page: 'protocol',
}) {
  constructor(reason: string) {
    super({ reason });
  }
}

/** The bytes are not a single list with the number of items of a transaction. */
export class MisshapenTransactionError extends InvalidTransactionError {}

/** A transaction to sign has a signature. */
export class SignedTransactionError extends InvalidTransactionError {
  constructor() {
    super('the transaction is already signed; send it with eth_sendRawTransaction');
  }
}

/** A transaction was signed for another chain. */
export class InvalidChainIdError extends codedError({
  name: 'InvalidChainId',
  code: -32602,
  message: 'Invalid chainId: {given}, expected {expected}',
  page: 'protocol',
}) {
  constructor(
    readonly given: bigint,
    expected: number,
  ) {
    super({ given, expected });
  }
}

/** Returns advice for a transaction type that the rule set lacks. */
function typeAdvice(type: number, { transactionTypes }: RuleSet): string {
  const last = transactionTypes.at(-1);
  const others = transactionTypes.slice(0, -1).join(', ');
  const known = others === '' ? 'send a legacy transaction' : `send one of type ${others} or ${last}`;
  const hasType = (other: RuleSet) => other.transactionTypes.some((candidate) => candidate === type);
  const isSomewhere = RULE_SET_NAMES.some((name) => hasType(ruleSetNamed(name)));
  return isSomewhere ? `${known}, or choose another --hardfork` : known;
}

/** The type of the unsigned deposit transactions of OP Stack chains. */
const OP_STACK_DEPOSIT = 0x7e;

/** Formats a transaction type for error messages, with the chains that define it. */
export function transactionTypeName(type: number): string {
  return type === OP_STACK_DEPOSIT ? '0x7e (a deposit of an OP Stack chain)' : String(type);
}

function rejectedTypeMessage(type: number, ruleSet: RuleSet): string {
  // Legacy transactions have type 0 under all rule sets, but no envelope has this type.
  if (type === 0)
    return 'the first byte is 0x00; a legacy transaction (type 0) is an RLP list without a type byte';
  return `type ${transactionTypeName(type)} does not exist in hardfork ${ruleSet.name}; ${typeAdvice(type, ruleSet)}`;
}

/** The rule set lacks the transaction type, or the bytes are an envelope of a legacy transaction. */
export class TransactionTypeError extends codedError({
  name: 'UnsupportedTransactionType',
  code: -32000,
  message: 'transaction type not valid: {type}',
  page: 'protocol',
}) {
  constructor(type: number, ruleSet: RuleSet) {
    super({ type: rejectedTypeMessage(type, ruleSet) });
  }
}

/** The envelope has one of Rootstock's own types (RSKIP-543). No proposal defines this type. */
export class OwnTransactionTypeError extends codedError({
  name: 'UndefinedRootstockType',
  code: -32000,
  message: 'transaction type not supported: 0x02{type} is a Rootstock type that no RSKIP defines (RSKIP-543)',
  page: 'protocol',
}) {
  constructor(type: number) {
    super({ type: type.toString(16).padStart(2, '0') });
  }
}

/** The bytes are not a header or block in the requested encoding. */
export class HeaderDecodingError extends codedError({
  name: 'InvalidHeader',
  code: -32602,
  message: 'Invalid input: {reason}',
  page: 'protocol',
}) {
  constructor(reason: string) {
    super({ reason });
  }
}

/** The node rejects a parent chain block submitted by a miner. Code and message are the same as in rskj. */
abstract class BlockSubmissionError extends CodedError {}

/** Returns the base class of an error that rejects a submitted block. */
function blockSubmissionError<const Entry extends ErrorEntry>(
  entry: Entry,
): ErrorBase<Entry, BlockSubmissionError> {
  return errorBase<Entry, BlockSubmissionError>(BlockSubmissionError, entry);
}

/** The parent chain block commits to a hash without recent work. The message is the same as in rskj. */
export class UnknownWorkError extends blockSubmissionError({
  name: 'UnknownWork',
  code: -33000,
  message: 'Cannot publish block, could not find hash {hash} in the cache',
  page: 'protocol',
}) {
  constructor(hash: Uint8Array) {
    super({ hash: toHex(hash) });
  }
}

/**
 * The parent chain block commits to work on a state that was changed through the RPC meanwhile. Rootstock
 * lacks this error, because clients cannot change its state.
 */
export class OutdatedWorkError extends blockSubmissionError({
  name: 'OutdatedWork',
  code: -33000,
  message:
    'Cannot publish block, the state below the work with hash {hash} was changed; get new work with mnr_getWork',
  page: 'protocol',
}) {
  constructor(hash: Uint8Array) {
    super({ hash: toHex(hash) });
  }
}

/** The proof of work of the parent chain block is invalid. */
export class InvalidSolutionError extends blockSubmissionError({
  name: 'InvalidSolution',
  code: -33000,
  message: 'Invalid block supplied by miner: {fault}',
  page: 'protocol',
}) {
  /** `fault` is the reason. */
  constructor(fault: string) {
    super({ fault });
  }
}

/** Blocks of an Ethereum hardfork are not merge-mined. */
export class NoParentChainError extends blockSubmissionError({
  name: 'NoParentChain',
  code: -33000,
  message: 'blocks have no parent chain in hardfork {ruleSetName}; choose rootstock with --hardfork',
  page: 'protocol',
}) {
  constructor(ruleSetName: string) {
    super({ ruleSetName });
  }
}

/** A partial Merkle tree has no hashes. */
export class EmptyMerkleHashesError extends blockSubmissionError({
  name: 'EmptyMerkleHashes',
  code: -33000,
  message: "The list of merkle hashes can't be empty",
  page: 'protocol',
}) {}

/** A failed system call or a malformed deposit invalidates a block (EIP-6110, EIP-7002, EIP-7251). */
export class BlockRequestError extends CodedError {
  static readonly entries = {
    systemCall: {
      name: 'SystemCallFailed',
      code: -32000,
      message: 'the block is invalid: the system call to {address} failed: {reason}',
      page: 'protocol',
    },
    deposit: {
      name: 'MalformedDeposit',
      code: -32000,
      message:
        'the block is invalid: cannot decode an event of the deposit contract in its transaction {transactionIndex}',
      page: 'protocol',
    },
  } as const satisfies Readonly<Record<string, ErrorEntry>>;

  private constructor(
    filled: FilledEntry,
    /** The index of the transaction in the block; `null` for a system call. */
    readonly transactionIndex: number | null,
  ) {
    super(filled);
  }

  static systemCall(address: Uint8Array, reason: string): BlockRequestError {
    return new BlockRequestError(
      fill(BlockRequestError.entries.systemCall, { address: toHex(address), reason }),
      null,
    );
  }

  static deposit(transactionIndex: number): BlockRequestError {
    return new BlockRequestError(
      fill(BlockRequestError.entries.deposit, { transactionIndex }),
      transactionIndex,
    );
  }
}
