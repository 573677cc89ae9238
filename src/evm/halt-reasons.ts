/** The halt reasons of frames, and the memory limits of an execution. */

import { toHex } from '../primitives/hex.ts';

const MIB = 2 ** 20;

/**
 * Memory limits of an execution in bytes, regardless of its gas. They are higher than a hundred million gas
 * can use. If a limit is exceeded, the whole message halts. This is not a protocol rule. revm has a similar
 * limit for frame memory (`memory_limit`).
 */
export const MEMORY_LIMITS = {
  /** Frame memories, stacks, accounts, slots, changes, logs and codes. Interpreter only. */
  execution: 384 * MIB,
  /**
   * The total memory of all open frames, and the memory of one frame, which a single instruction may copy.
   * Both are higher than 2^30 gas can buy.
   */
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
  /** The creator has the highest nonce (EIP-2681). */
  nonceOverflow: 'nonce uint64 overflow',
  /** A precompile rejected its input. */
  precompileFailed: 'precompile failed',
  /** Not a protocol rule; see {@link MEMORY_LIMITS}. */
  outOfMemory: `out of memory: the limit is ${MEMORY_LIMITS.execution / MIB} MiB per execution (less with --memory-limit) and ${MEMORY_LIMITS.frame / MIB} MiB per frame`,
} as const;

/** Halt reasons of calls and creations that fail before their frame starts. */
export const UNSTARTED: ReadonlySet<string> = new Set([
  HALT_REASONS.balanceTooLow,
  HALT_REASONS.callTooDeep,
  HALT_REASONS.nonceOverflow,
]);

/** Returns the halt reason for an undefined opcode: `invalid opcode 0xfe`. */
export function invalidOpcodeReason(opcode: number): string {
  return `invalid opcode ${toHex(Uint8Array.of(opcode))}`;
}
