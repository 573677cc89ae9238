import { toHex } from '../primitives/hex.ts';

/** The words in which every engine says why an execution halted; an invalid opcode is named besides. */
export const HALT_REASONS = {
  outOfGas: 'out of gas',
  stackUnderflow: 'stack underflow',
  stackOverflow: 'stack overflow',
  invalidJump: 'invalid jump destination',
  staticCall: 'static call changed state',
  codeTooLarge: 'contract code too large',
  initcodeTooLarge: 'initcode too large',
  codeStartsWithEf: 'contract code starts with 0xef',
  addressTaken: 'contract address is taken',
  balanceOverflow: 'balance overflow',
  balanceTooLow: 'insufficient balance for transfer',
  callTooDeep: 'max call depth exceeded',
  /** A precompile cannot work on its input. */
  precompileFailed: 'precompile failed',
  /** No rule of the chain: the engine has no room for what the execution would keep. */
  outOfMemory: 'out of memory',
} as const;

/** Why code halted that ran into a byte which is no opcode under its rule set: `invalid opcode 0xfe`. */
export function invalidOpcodeReason(opcode: number): string {
  return `invalid opcode ${toHex(Uint8Array.of(opcode))}`;
}
