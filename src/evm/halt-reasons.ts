/** The reasons for which frames halt, in words, and the bounds of memory that are one of them. */

import { toHex } from '../primitives/hex.ts';

const MIB = 2 ** 20;

/**
 * The most memory in bytes that an execution may have, whatever its gas pays for: more than a hundred million gas buy. Beyond it the whole
 * message halts. The rules know no such limit; revm has one (`memory_limit`), for the memories of frames alone.
 */
export const MEMORY_LIMITS = {
  /** For everything: memories and stacks of frames, accounts, slots, changes, logs, codes. The interpreter's alone. */
  execution: 384 * MIB,
  /** For the memories of all frames at a time, and for that of one, all of which a single instruction may copy: more than 2 ** 30 gas buy. */
  frames: 256 * MIB,
  frame: 24 * MIB,
} as const;

/** The halt reasons of all engines, except for invalid opcodes, whose reason includes the opcode. */
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
  /** A precompile refused its input. */
  precompileFailed: 'precompile failed',
  /** Not a rule of the chain: see {@link MEMORY_LIMITS}. */
  outOfMemory: `out of memory: the limit is ${MEMORY_LIMITS.execution / MIB} MiB per execution and ${MEMORY_LIMITS.frame / MIB} MiB per frame`,
} as const;

/** Returns the halt reason for a byte that is no opcode under the rule set: `invalid opcode 0xfe`. */
export function invalidOpcodeReason(opcode: number): string {
  return `invalid opcode ${toHex(Uint8Array.of(opcode))}`;
}
