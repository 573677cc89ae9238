/** Describes why an execution failed, in Hardhat's wording, with details from the ABI and the source. */

import type { CompilerFacts } from '../artifacts/artifact.ts';
import type { DecodedEntry } from '../artifacts/decoding.ts';
import { rootstockPrecompileAt, wellKnown } from '../artifacts/well-known.ts';
import { HALT_REASONS } from '../evm/halt-reasons.ts';
import { type RevertReason, revertReason } from '../evm/revert-reason.ts';
import { grouped } from '../primitives/grouped.ts';
import { toHex } from '../primitives/hex.ts';
import { FIRST_ROOTSTOCK_CONTRACT } from '../protocol/hardforks/precompiles.ts';
import type { RecordedFrame } from './execution-recorder.ts';
import { endedAt, lastCall } from './failing-path.ts';
import type { KnownContract } from './known-contracts.ts';
import { meansNoFunction } from './stack-trace.ts';
import { entryText, GUESSED_BY_SELECTOR } from './value-text.ts';

export interface Failure {
  /** `reverted with custom error 'InsufficientBalance(available: 1, needed: 2)'`. */
  readonly message: string;
  /** The decoded custom error; `null` for other failures and for unknown errors. */
  readonly error: DecodedEntry | null;
  /** True if a well-known ABI decoded the error, because no contract on the path declares it. */
  readonly isGuess: boolean;
  /** `null` if the failure was read from another node's response. */
  readonly cause: FailureCause | null;
}

/** The cause of a failure, for error styles with their own messages. */
export type FailureCause =
  /** `check` is null if no check of the compiler failed, or if the data contain the reason. */
  | { readonly kind: 'revert'; readonly reason: RevertReason; readonly check: FailedCheck | null }
  /** `precompile` is the number of a failed precompile. `isInside` is true if an inner call halted first. */
  | {
      readonly kind: 'halt';
      readonly reason: string;
      readonly precompile: bigint | null;
      readonly isInside: boolean;
    };

/** A check that the compiler adds to a contract. It reverts without data. */
export interface FailedCheck {
  /** `function selector was not recognized and there's no fallback function`. */
  readonly text: string;
  /** Hardhat's text, which calls a constructor a function. */
  readonly hardhatText: string;
}

/**
 * Returns why the frames of the path failed; the last frame failed first. `contracts` has one entry per
 * frame. Errors are looked up in all contracts of the path, because a contract may pass on an error that it
 * does not declare.
 */
export function failureOf(
  path: readonly RecordedFrame[],
  contracts: readonly (KnownContract | null)[],
): Failure {
  const frame = path.at(-1);
  if (frame === undefined) throw new RangeError('a failure without frames');
  const contract = contracts.at(-1) ?? null;
  const { outcome, haltReason, output } = frame.end;
  if (outcome === 'halt') {
    const halted = haltReason ?? 'halted';
    const precompile = halted === HALT_REASONS.precompileFailed ? BigInt(toHex(frame.start.to)) : null;
    const isInside = path.length > 1 || lastCall(frame)?.end.haltReason === halted;
    const cause: FailureCause = { kind: 'halt', reason: halted, precompile, isInside };
    const message = frame.start.isPrecompile
      ? precompileMessage(frame)
      : haltMessage(halted, frame, contract);
    return { ...NO_ERROR, message, cause };
  }
  const reason = revertReason(output);
  const check = reason.kind === 'none' ? checkReason(frame, contract) : null;
  const cause: FailureCause = { kind: 'revert', reason, check };
  switch (reason.kind) {
    case 'text':
      return { ...NO_ERROR, message: `reverted with reason string '${reason.text}'`, cause };
    case 'panic': {
      const code = `0x${reason.panicCode.toString(16)}`;
      return { ...NO_ERROR, message: `reverted with panic code ${code} (${reason.words})`, cause };
    }
    case 'custom': {
      for (const known of [...contracts].reverse()) {
        const error = known?.table.error(output) ?? null;
        if (error !== null) return { message: customErrorText(error), error, isGuess: false, cause };
      }
      const guess = wellKnown.table.error(output);
      if (guess === null) {
        const message = `reverted with an unrecognized custom error (return data: ${shortData(output)})`;
        return { ...NO_ERROR, message, cause };
      }
      const message = `${customErrorText(guess)}${GUESSED_BY_SELECTOR}`;
      return { message, error: guess, isGuess: true, cause };
    }
    case 'none':
      return { ...NO_ERROR, message: check?.text ?? 'reverted without a reason string', cause };
  }
}

const NO_ERROR = { error: null, isGuess: false } as const;

function customErrorText(error: DecodedEntry): string {
  return `reverted with custom error '${entryText(error)}'`;
}

/** Maximum bytes of the data of an unknown error in the message. */
const MAX_DATA_LENGTH = 1024;

function shortData(data: Uint8Array): string {
  const text = toHex(data.subarray(0, MAX_DATA_LENGTH));
  return data.length > MAX_DATA_LENGTH ? `${text}…` : text;
}

function haltMessage(reason: string, frame: RecordedFrame, contract: KnownContract | null): string {
  const child = lastCall(frame);
  if (reason === HALT_REASONS.codeTooLarge) return 'trying to deploy a contract whose code is too large';
  if (reason === HALT_REASONS.initcodeTooLarge)
    return 'trying to deploy a contract whose initcode is too large';
  if (reason === HALT_REASONS.outOfGas && contract !== null) {
    const inside = child === null || child.end.haltReason !== reason ? '' : ' in a call that it made';
    return `contract call ran out of gas${inside}`;
  }
  return reason;
}

/**
 * Returns `Bridge.receiveHeaders failed: the caller is not a member of the federation; charged 200,000 gas`.
 * For Ethereum's precompiles the subject is Hardhat's: `call to precompile 8`.
 */
function precompileMessage({ start, end, charged }: RecordedFrame): string {
  const address = toHex(start.to);
  const number = BigInt(address);
  const name = number < FIRST_ROOTSTOCK_CONTRACT ? null : wellKnown.nameAt(address);
  const method = rootstockPrecompileAt(address)?.functionNameOf(start.input) ?? null;
  const named = method === null ? name : `${name}.${method}`;
  const subject = named ?? `call to precompile ${number}`;
  const reason = end.precompileFailure ?? end.haltReason ?? 'halted';
  return `${subject} failed: ${reason}; charged ${grouped(charged)} gas`;
}

/** Returns the compiler's check that failed. These checks revert without data. */
function checkReason(frame: RecordedFrame, contract: KnownContract | null): FailedCheck | null {
  if (contract === null) return null;
  const isInBody = frame.endedInStatement && !meansNoFunction(frame, contract);
  const before = isInBody ? null : reasonBeforeBody(frame, contract);
  if (before !== null) return before;
  const child = lastCall(frame);
  if (child !== null && endedAt(frame, contract, child)) {
    if (child.end.outcome === 'success') return checkOf('function returned an unexpected amount of data');
    const { haltReason } = child.end;
    const failed = 'function call failed to execute';
    return { text: haltReason === null ? failed : `${failed} (${haltReason})`, hardhatText: failed };
  }
  const check = frame.codeSizeCheck;
  return check !== null && endedAt(frame, contract, check)
    ? checkOf('function call to a non-contract account')
    : null;
}

function checkOf(text: string, hardhatText = text): FailedCheck {
  return { text, hardhatText };
}

/** Returns the check of a function or of a constructor, which Hardhat calls a function too. */
function checkOfCalled(called: 'function' | 'constructor', textOf: (called: string) => string): FailedCheck {
  return checkOf(textOf(called), textOf('function'));
}

/** Returns the failed check before the body of a function or constructor; `null` for none. */
function reasonBeforeBody({ start, items }: RecordedFrame, contract: KnownContract): FailedCheck | null {
  const { table } = contract;
  const { kind, input } = start;
  const wei = start.value ?? 0n;
  const withValue = (called: string): string => `non-payable ${called} was called with value ${wei}`;
  const withoutParameters = (called: string): string => `${called} was called with incorrect parameters`;
  if (kind === 'CREATE' || kind === 'CREATE2') {
    const isPayable = table.constructorEntry?.stateMutability === 'payable';
    if (wei > 0n && !isPayable) return checkOfCalled('constructor', withValue);
    const { creation } = contract.match.artifact;
    const data = input.subarray(creation?.bytes.length ?? input.length);
    const isRejected = items.length === 0 && table.constructorArguments(data) === null;
    return isRejected ? checkOfCalled('constructor', withoutParameters) : null;
  }
  if (kind === 'CALL' && items.length === 0 && contract.isLibrary)
    return checkOf('library was called directly');
  const called = table.functionOf(input);
  if (called === null) return dispatchReason(contract, input, wei);
  // A library does not check the value, because it is the value of the caller.
  const isPayable = called.stateMutability === 'payable' || contract.isLibrary;
  if (wei > 0n && !isPayable) return checkOfCalled('function', withValue);
  const isRejected = items.length === 0 && table.call(input) === null;
  return isRejected ? checkOfCalled('function', withoutParameters) : null;
}

/** Returns the reason why a call that selected no function failed. */
function dispatchReason(
  { table, match }: KnownContract,
  input: Uint8Array,
  value: bigint,
): FailedCheck | null {
  if (input.length === 0 && table.hasReceive) return null;
  const lacksReceive = input.length === 0 && canHaveReceive(match.artifact.compiler);
  if (table.hasFallback) {
    if (value === 0n || table.isFallbackPayable) return null;
    const missing = lacksReceive ? "there's no receive function, " : '';
    return checkOf(`${missing}fallback function is not payable and was called with value ${value}`);
  }
  const missing = lacksReceive ? 'fallback nor receive function' : 'fallback function';
  return checkOf(`function selector was not recognized and there's no ${missing}`);
}

/** True for compilers that support `receive`: solc from 0.6, or an unknown version. */
function canHaveReceive({ language, version }: CompilerFacts): boolean {
  return language !== 'Vyper' && !/^0\.[45]\./.test(version ?? '');
}
