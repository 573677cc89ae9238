import { HALT_REASONS, invalidOpcodeReason } from '../halt-reason.ts';
import type { Machine } from './machine.ts';
import { END } from './protocol.ts';

const WORDS: ReadonlyMap<number, string> = new Map<number, string>([
  [END.outOfGas, HALT_REASONS.outOfGas],
  [END.stackUnderflow, HALT_REASONS.stackUnderflow],
  [END.stackOverflow, HALT_REASONS.stackOverflow],
  [END.invalidJump, HALT_REASONS.invalidJump],
  [END.staticCall, HALT_REASONS.staticCall],
  [END.codeTooLarge, HALT_REASONS.codeTooLarge],
  [END.initcodeTooLarge, HALT_REASONS.initcodeTooLarge],
  [END.codeStartsWithEf, HALT_REASONS.codeStartsWithEf],
  [END.addressTaken, HALT_REASONS.addressTaken],
  [END.balanceOverflow, HALT_REASONS.balanceOverflow],
  [END.balanceTooLow, HALT_REASONS.balanceTooLow],
  [END.callTooDeep, HALT_REASONS.callTooDeep],
  [END.precompileFailed, HALT_REASONS.precompileFailed],
  [END.outOfMemory, HALT_REASONS.outOfMemory],
]);

/** Why a frame halted that ended in that way, in the words of `HALT_REASONS`. */
export function haltWords({ exports }: Machine, end: number): string {
  if (end === END.invalidOpcode) return invalidOpcodeReason(exports.invalidOpcode.value);
  const words = WORDS.get(end);
  if (words === undefined) throw new Error(`a frame cannot end with ${end}`);
  return words;
}
