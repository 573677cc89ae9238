/**
 * Computes the traits of each opcode as bits, and tracks the stack of source functions during an execution. A
 * step costs one array read.
 */

import type { SourceMap } from '../artifacts/source-map.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';

/** How precise the source place of an opcode is. */
export const PLACE = { none: 0, contract: 1, definition: 2, statement: 3 } as const;
/** The number of low bits that hold one of `PLACE`. */
export const PLACE_BITS = 2;
const PLACE_MASK = (1 << PLACE_BITS) - 1;

/** The effect of an opcode on the function stack, in bits. */
export const TRAIT = {
  /** One of `PLACE`. */
  place: PLACE_MASK,
  /** The opcode runs as part of a statement. */
  runsStatement: 1 << 2,
  /** Set for all jumps; the next three bits are set in addition. */
  jumps: 1 << 3,
  decides: 1 << 4,
  enters: 1 << 5,
  leaves: 1 << 6,
} as const;

const { JUMP, JUMPI, JUMPDEST, PUSH0, PUSH1, PUSH32 } = OPCODES;

/** Returns the traits by program counter. `places` are packed by program counter; see {@link PLACE_BITS}. */
export function traitsOf(code: Uint8Array, map: SourceMap, places: Int32Array): Uint8Array {
  const traits = new Uint8Array(code.length);
  for (let pc = 0; pc < code.length; pc++) {
    const opcode = code[pc] ?? 0;
    const place = (places[pc] ?? 0) & PLACE_MASK;
    // The optimizer moves constants away from their statements and shares the starts of blocks. Both do not
    // show the running statement.
    const isMovable = opcode === JUMPDEST || (opcode >= PUSH0 && opcode <= PUSH32);
    let found = place;
    if (place === PLACE.statement && !isMovable) found |= TRAIT.runsStatement;
    if (opcode === JUMP || opcode === JUMPI) {
      const kind = map.jumpAt(pc);
      found |= TRAIT.jumps;
      if (opcode === JUMPI) found |= TRAIT.decides;
      if (kind === 'into') found |= TRAIT.enters;
      else if (kind === 'out') found |= TRAIT.leaves;
    }
    traits[pc] = found;
    if (opcode >= PUSH1 && opcode <= PUSH32) pc += opcode - PUSH1 + 1;
  }
  return traits;
}

/** An entered source function. It links to its caller; the chain ends at the message itself. */
export interface InternalCall {
  /** Program counter of the jump into the function; `null` for the function that the message called. */
  readonly pc: number | null;
  /** The guide's number of the function; 0 for a function of the compiler. */
  readonly definition: number;
  readonly outer: InternalCall | null;
  readonly depth: number;
  /** Program counter of the last opcode of a statement in the function itself; `null` for none. */
  lastOwnPc: number | null;
}

/** Returns the innermost entered source function; 0 for none. */
export function definitionAround(call: InternalCall | null): number {
  for (let at = call; at !== null; at = at.outer) if (at.definition !== 0) return at.definition;
  return 0;
}

/** Returns the innermost source function if it has that definition; otherwise `null`. */
export function ownerOf(within: InternalCall | null, definition: number): InternalCall | null {
  let call = within;
  while (call !== null && call.definition === 0) call = call.outer;
  return call?.definition === definition ? call : null;
}
