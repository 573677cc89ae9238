// Error messages of failed frames in the format of geth and Parity.

import { fromHex } from '../../primitives/hex.ts';
import { HALT_REASONS } from '../halt-reasons.ts';
import type { FrameEnd } from '../observer.ts';
import { opcodeName } from '../observer.ts';

const INVALID_OPCODE = /^invalid opcode (0x[0-9a-f]{2})$/;

const GETH_WORDS: ReadonlyMap<string, string> = new Map([
  [HALT_REASONS.staticCall, 'write protection'],
  [HALT_REASONS.codeTooLarge, 'max code size exceeded'],
  [HALT_REASONS.initcodeTooLarge, 'max initcode size exceeded'],
  [HALT_REASONS.codeStartsWithEf, 'invalid code: must not begin with 0xef'],
  [HALT_REASONS.addressTaken, 'contract address collision'],
]);

const PARITY_WORDS: ReadonlyMap<string, string> = new Map([
  [HALT_REASONS.outOfGas, 'Out of gas'],
  [HALT_REASONS.codeTooLarge, 'Out of gas'],
  [HALT_REASONS.invalidJump, 'Bad jump destination'],
  [HALT_REASONS.stackUnderflow, 'Stack underflow'],
  [HALT_REASONS.stackOverflow, 'Out of stack'],
  [HALT_REASONS.staticCall, 'Mutable Call In Static Context'],
]);

/** Returns geth's message for one of `HALT_REASONS`. */
export function gethReason(reason: string): string {
  const [, opcode] = INVALID_OPCODE.exec(reason) ?? [];
  if (opcode !== undefined) return `invalid opcode: ${opcodeName(fromHex(opcode)[0] ?? 0)}`;
  return GETH_WORDS.get(reason) ?? reason;
}

/** Returns geth's error message of a frame; `null` if the frame succeeded. */
export function gethError({ outcome, haltReason }: FrameEnd): string | null {
  if (outcome === 'success') return null;
  return haltReason === null ? 'execution reverted' : gethReason(haltReason);
}

/** Returns Parity's error message, or else the halt reason; `null` if the frame succeeded. */
export function parityError({ outcome, haltReason }: FrameEnd): string | null {
  if (outcome === 'success') return null;
  if (haltReason === null) return 'Reverted';
  return INVALID_OPCODE.test(haltReason) ? 'Bad instruction' : (PARITY_WORDS.get(haltReason) ?? haltReason);
}
