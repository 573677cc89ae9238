import { EVMError, type ExecResult } from '@ethereumjs/evm';
import { HALT_REASONS, invalidOpcodeReason } from '../halt-reason.ts';

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

/** An error of the library at that opcode in the words of {@link HALT_REASONS}. */
export function exceptionWords(error: string, opcode: number): string {
  if (error === errorMessages.INVALID_OPCODE) return invalidOpcodeReason(opcode);
  // The library adds where the jump stands.
  if (error.startsWith(errorMessages.INVALID_JUMP)) return HALT_REASONS.invalidJump;
  return WORDS.get(error) ?? error;
}

/**
 * Why a call halted, as {@link exceptionWords} says it. `null` when it did not halt: it succeeded, or reverted.
 */
export function haltReason({ exceptionError, runState }: ExecResult): string | null {
  const error = exceptionError?.error;
  if (error === undefined) return null;
  // Where no code ran, what the library has no common word for is a precompile's; some of these call it a revert.
  if (runState === undefined && !WORDS.has(error)) return HALT_REASONS.precompileFailed;
  if (error === errorMessages.REVERT) return null;
  return exceptionWords(error, runState?.code[runState.programCounter] ?? 0xfe);
}
