/** Describes why an execution failed, in the words that developers know from Hardhat, with what the contract's own ABI and source add. */

import type { CompilerFacts } from '../artifacts/artifact.ts';
import type { DecodedEntry } from '../artifacts/decoding.ts';
import { nativeContractAt, wellKnown } from '../artifacts/well-known.ts';
import { HALT_REASONS } from '../evm/halt-reasons.ts';
import { revertReason } from '../evm/revert-reason.ts';
import { toHex } from '../primitives/hex.ts';
import type { RecordedFrame } from './execution-recorder.ts';
import { endedAt, lastCall } from './failing-path.ts';
import type { KnownContract } from './known-contracts.ts';
import { meansNoFunction } from './stack-trace.ts';
import { entryText, GUESSED_BY_SELECTOR } from './value-text.ts';

/** The reason why an execution failed. */
export interface Failure {
  /** `reverted with custom error 'InsufficientBalance(available: 1, needed: 2)'`. */
  readonly message: string;
  /** The custom error with its values; `null` for other failures and for errors that are not known. */
  readonly error: DecodedEntry | null;
  /** True when the error was decoded by what is well known, as no contract that it passed through declares it. */
  readonly isGuess: boolean;
}

/** The reason of a failure that the compiler's own checks gave no data for. */
type CheckReason = string | null;

/**
 * Returns why the frames of the path failed, of which the last failed first. `contracts` are those of the path. Errors are
 * looked up in all contracts of the path, since they pass through those that do not define them.
 */
export function failureOf(
  path: readonly RecordedFrame[],
  contracts: readonly (KnownContract | null)[],
): Failure {
  const frame = path.at(-1);
  if (frame === undefined) throw new RangeError('a failure without frames');
  const contract = contracts.at(-1) ?? null;
  const { outcome, haltReason, output } = frame.end;
  if (outcome === 'halt' && frame.start.isPrecompile) return withoutError(precompileMessage(frame));
  if (outcome === 'halt') return withoutError(haltMessage(haltReason ?? 'halted', frame, contract));
  const reason = revertReason(output);
  switch (reason.kind) {
    case 'text':
      return withoutError(`reverted with reason string '${reason.text}'`);
    case 'panic':
      return withoutError(`reverted with panic code 0x${reason.panicCode.toString(16)} (${reason.words})`);
    case 'custom': {
      for (const known of [...contracts].reverse()) {
        const error = known?.table.error(output) ?? null;
        if (error !== null) return { message: customErrorText(error), error, isGuess: false };
      }
      const guess = wellKnown.table.error(output);
      if (guess === null)
        return withoutError(`reverted with an unrecognized custom error (return data: ${shortData(output)})`);
      return { message: `${customErrorText(guess)}${GUESSED_BY_SELECTOR}`, error: guess, isGuess: true };
    }
    case 'none':
      return withoutError(checkReason(frame, contract) ?? 'reverted without a reason string');
  }
}

function withoutError(message: string): Failure {
  return { message, error: null, isGuess: false };
}

function customErrorText(error: DecodedEntry): string {
  return `reverted with custom error '${entryText(error)}'`;
}

/** Digits of data that are shown of an error that is not known. */
const LONGEST_DATA = 1024;

function shortData(data: Uint8Array): string {
  const text = toHex(data.subarray(0, LONGEST_DATA));
  return data.length > LONGEST_DATA ? `${text}…` : text;
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
 * Returns `Bridge.receiveHeaders failed: the caller is not a member of the federation; charged 200,000 gas`. The subject of
 * Ethereum's precompiles is that of Hardhat: `call to precompile 8`.
 */
function precompileMessage({ start, end, charged }: RecordedFrame): string {
  const address = toHex(start.to);
  const number = BigInt(address);
  const name = number < FIRST_ROOTSTOCK_CONTRACT ? null : wellKnown.nameAt(address);
  const method = nativeContractAt(address)?.functionNameOf(start.input) ?? null;
  const named = method === null ? name : `${name}.${method}`;
  const subject = named ?? `call to precompile ${number}`;
  const reason = end.precompileFailure ?? end.haltReason ?? 'halted';
  return `${subject} failed: ${reason}; charged ${grouped(charged)} gas`;
}

/** The precompiles that only Rootstock has are from this address on. */
const FIRST_ROOTSTOCK_CONTRACT = 0x1000000n;

/** Returns the digits in groups of three. */
function grouped(amount: bigint): string {
  return amount.toString().replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Returns which of the compiler's own checks, which revert without data, failed. */
function checkReason(frame: RecordedFrame, contract: KnownContract | null): CheckReason {
  if (contract === null) return null;
  const isInBody = frame.endedInStatement && !meansNoFunction(frame, contract);
  const before = isInBody ? null : reasonBeforeBody(frame, contract);
  if (before !== null) return before;
  const child = lastCall(frame);
  if (child !== null && endedAt(frame, contract, child)) {
    if (child.end.outcome === 'success') return 'function returned an unexpected amount of data';
    const { haltReason } = child.end;
    return `function call failed to execute${haltReason === null ? '' : ` (${haltReason})`}`;
  }
  const check = frame.codeSizeCheck;
  return check !== null && endedAt(frame, contract, check) ? 'function call to a non-contract account' : null;
}

/** Returns which of the checks before the body of a function or constructor failed; `null` for none. */
function reasonBeforeBody({ start, items }: RecordedFrame, contract: KnownContract): CheckReason {
  const { table } = contract;
  const { kind, input } = start;
  const wei = start.value ?? 0n;
  if (kind === 'CREATE' || kind === 'CREATE2') {
    const isPayable = table.constructorEntry?.stateMutability === 'payable';
    if (wei > 0n && !isPayable) return `non-payable constructor was called with value ${wei}`;
    const { creation } = contract.match.artifact;
    const data = input.subarray(creation?.bytes.length ?? input.length);
    const isRefused = items.length === 0 && table.constructorArguments(data) === null;
    return isRefused ? 'constructor was called with incorrect parameters' : null;
  }
  if (kind === 'CALL' && items.length === 0 && contract.isLibrary) return 'library was called directly';
  const called = table.functionOf(input);
  if (called === null) return dispatchReason(contract, input, wei);
  // Libraries do not look at the value, which is that of their caller.
  const isPayable = called.stateMutability === 'payable' || contract.isLibrary;
  if (wei > 0n && !isPayable) return `non-payable function was called with value ${wei}`;
  const isRefused = items.length === 0 && table.call(input) === null;
  return isRefused ? 'function was called with incorrect parameters' : null;
}

/** The reason of a call that meant no function of the contract. */
function dispatchReason({ table, match }: KnownContract, input: Uint8Array, value: bigint): CheckReason {
  if (input.length === 0 && table.hasReceive) return null;
  const lacksReceive = input.length === 0 && canHaveReceive(match.artifact.compiler);
  if (table.hasFallback) {
    if (value === 0n || table.isFallbackPayable) return null;
    const missing = lacksReceive ? "there's no receive function, " : '';
    return `${missing}fallback function is not payable and was called with value ${value}`;
  }
  const missing = lacksReceive ? 'fallback nor receive function' : 'fallback function';
  return `function selector was not recognized and there's no ${missing}`;
}

/** True for a compiler whose contracts may have a function `receive`: solc from 0.6 on, or one that the tool does not name. */
function canHaveReceive({ language, version }: CompilerFacts): boolean {
  return language !== 'Vyper' && !/^0\.[45]\./.test(version ?? '');
}
