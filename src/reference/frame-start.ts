// Converts frames and halt reasons of ethereumjs.

import type { Common } from '@ethereumjs/common';
import { EVMError, type ExecResult, type Message as LibraryMessage } from '@ethereumjs/evm';
import { generateAddress, generateAddress2 } from '@ethereumjs/util';
import { HALT_REASONS, invalidOpcodeReason } from '../evm/halt-reasons.ts';
import type { FrameKind, FrameStart } from '../evm/observer.ts';
import { isCreation } from '../evm/observer.ts';
import { bigIntToBytes, bigIntToFixedBytes, EMPTY_BYTES } from '../primitives/bytes.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import { HIGHEST_NONCE } from '../protocol/transaction.ts';
import type { Overlay } from '../state/overlay.ts';
import type { RunState } from './reference-step.ts';

const { errorMessages } = EVMError;

const WORDS: ReadonlyMap<string, string> = new Map<string, string>([
  [errorMessages.OUT_OF_GAS, HALT_REASONS.outOfGas],
  [errorMessages.STACK_UNDERFLOW, HALT_REASONS.stackUnderflow],
  [errorMessages.STACK_OVERFLOW, HALT_REASONS.stackOverflow],
  [errorMessages.STATIC_STATE_CHANGE, HALT_REASONS.staticCall],
  [errorMessages.CODESIZE_EXCEEDS_MAXIMUM, HALT_REASONS.codeTooLarge],
  [errorMessages.INITCODE_SIZE_VIOLATION, HALT_REASONS.initcodeTooLarge],
  [errorMessages.INVALID_BYTECODE_RESULT, HALT_REASONS.codeStartsWithEf],
  [errorMessages.CREATE_COLLISION, HALT_REASONS.addressTaken],
  [errorMessages.VALUE_OVERFLOW, HALT_REASONS.balanceOverflow],
]);

/** Returns the {@link HALT_REASONS} entry for an error of ethereumjs at this opcode. */
export function exceptionMessage(error: string, opcode: number): string {
  if (error === errorMessages.INVALID_OPCODE) return invalidOpcodeReason(opcode);
  // ethereumjs appends the position of the jump.
  if (error.startsWith(errorMessages.INVALID_JUMP)) return HALT_REASONS.invalidJump;
  return WORDS.get(error) ?? error;
}

type HaltedRun = NonNullable<ExecResult['runState']>;

/**
 * Returns the opcode that halted the frame. For undefined opcodes, ethereumjs reports INVALID without
 * advancing the program counter.
 */
function haltedAt({ opCode, code, programCounter }: HaltedRun): number {
  return opCode === OPCODES.INVALID ? (code[programCounter] ?? opCode) : opCode;
}

/** Returns the halt reason of a call as in {@link exceptionMessage}; `null` if it succeeded or reverted. */
export function haltReason({ exceptionError, runState }: ExecResult): string | null {
  const error = exceptionError?.error;
  if (error === undefined) return null;
  if (exceptionError instanceof MemoryLimitError) return HALT_REASONS.outOfMemory;
  // Without a frame, an error not in `WORDS` comes from a precompile. Some precompiles report their failure
  // as a revert.
  if (runState === undefined && !WORDS.has(error)) return HALT_REASONS.precompileFailed;
  if (error === errorMessages.REVERT) return null;
  return exceptionMessage(error, runState === undefined ? OPCODES.INVALID : haltedAt(runState));
}

/** The halt of a frame that exceeds the memory limit. ethereumjs treats it as out of gas. */
export class MemoryLimitError extends EVMError {
  constructor() {
    super(errorMessages.OUT_OF_GAS);
  }
}

/** Returns true if the frame can transfer value from its caller. */
function sendsValue(kind: FrameKind): boolean {
  return isCreation(kind) || kind === 'CALL' || kind === 'CALLCODE';
}

/** Returns the address in the lower 20 bytes of a word. */
function addressIn(word: bigint | undefined): Uint8Array {
  return bigIntToFixedBytes(BigInt.asUintN(160, word ?? 0n), 20);
}

/** Returns the frame of a message before its execution, but after the creator's nonce was incremented. */
export function frameOfMessage(
  message: LibraryMessage,
  kind: FrameKind,
  state: Overlay,
  isPrecompile: boolean,
): FrameStart {
  const { caller, to, depth, data: input, gasLimit: gas, value, salt } = message;
  const frame = { kind, depth, input, gas, isPrecompile };
  if (to === undefined) {
    const nonce = (state.account(caller.bytes)?.nonce ?? 1n) - 1n;
    const created =
      salt === undefined
        ? generateAddress(caller.bytes, bigIntToBytes(nonce))
        : generateAddress2(caller.bytes, salt, input);
    return { ...frame, from: caller.bytes, to: created, value };
  }
  // For a DELEGATECALL, ethereumjs sets the caller of the enclosing frame.
  const from = kind === 'DELEGATECALL' ? to : caller;
  return {
    ...frame,
    from: from.bytes,
    to: message.codeAddress.bytes,
    value: kind === 'STATICCALL' ? null : value,
  };
}

/** The operands of a call or creation, from stack and memory. */
interface Operands {
  /** The address to call; `undefined` for a creation. */
  readonly to: bigint | undefined;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly salt: bigint | undefined;
}

function operandsOf(kind: FrameKind, { stack, memory }: RunState): Operands {
  const read = (offset = 0n, length = 0n): Uint8Array =>
    length === 0n ? EMPTY_BYTES : memory.read(Number(offset), Number(length), true);
  if (isCreation(kind)) {
    const [value = 0n, offset, length, salt] = stack.peek(kind === 'CREATE' ? 3 : 4);
    return { to: undefined, value, input: read(offset, length), salt };
  }
  if (sendsValue(kind)) {
    const [, to, value = 0n, offset, length] = stack.peek(5);
    return { to, value, input: read(offset, length), salt: undefined };
  }
  const [, to, offset, length] = stack.peek(4);
  return { to, value: 0n, input: read(offset, length), salt: undefined };
}

/**
 * Returns true if the creation halts the enclosing frame, because its initcode is too long (EIP-3860). This
 * check precedes the others.
 */
export function hasTooMuchInitcode(
  kind: FrameKind,
  { interpreter, stack }: RunState,
  common: Common,
): boolean {
  if (!isCreation(kind) || !common.isActivatedEIP(3860)) return false;
  if (interpreter._evm.allowUnlimitedInitCodeSize === true) return false;
  return (stack.peek(3)[2] ?? 0n) > common.param('maxInitCodeSize');
}

/**
 * Returns the reason why ethereumjs creates no message for the next call or creation. The reasons are the
 * depth limit, a balance below the value, and the highest nonce. Returns `null` if it creates one, or if the creation is a fault of the enclosing
 * frame.
 */
export function frameRejection(kind: FrameKind, runState: RunState, common: Common): string | null {
  const { env, stack } = runState;
  if (hasTooMuchInitcode(kind, runState, common)) return null;
  if (env.depth >= Number(common.param('stackLimit'))) return HALT_REASONS.callTooDeep;
  if (!sendsValue(kind)) return null;
  const value = stack.peek(isCreation(kind) ? 1 : 3).at(-1) ?? 0n;
  if (env.contract.balance < value) return HALT_REASONS.balanceTooLow;
  return isCreation(kind) && env.contract.nonce >= HIGHEST_NONCE ? HALT_REASONS.nonceOverflow : null;
}

/** Returns the frame of a call or creation that ethereumjs will reject. */
export function rejectedFrame(kind: FrameKind, runState: RunState, common: Common): FrameStart {
  const { env, messageGasLimit = 0n } = runState;
  const { to, value, input, salt } = operandsOf(kind, runState);
  const from = env.address.bytes;
  const frame = { kind, depth: env.depth + 1, from, input, isPrecompile: false };
  if (isCreation(kind)) {
    const created =
      salt === undefined
        ? generateAddress(from, bigIntToBytes(env.contract.nonce))
        : generateAddress2(from, bigIntToFixedBytes(salt, 32), input);
    return { ...frame, to: created, value, gas: messageGasLimit };
  }
  const stipend = value > 0n ? common.param('callStipendGas') : 0n;
  const inherited = kind === 'DELEGATECALL' ? env.callValue : value;
  return {
    ...frame,
    to: addressIn(to),
    value: kind === 'STATICCALL' ? null : inherited,
    gas: messageGasLimit + stipend,
  };
}

/** Returns the frame of the SELFDESTRUCT that will be executed next. */
export function selfdestructFrame({ env, stack }: RunState): FrameStart {
  return {
    kind: 'SELFDESTRUCT',
    depth: env.depth + 1,
    from: env.address.bytes,
    to: addressIn(stack.peek(1)[0]),
    input: EMPTY_BYTES,
    gas: 0n,
    value: env.contract.balance,
    isPrecompile: false,
  };
}
