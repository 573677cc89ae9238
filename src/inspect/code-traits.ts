/**
 * The functions of the source that an execution is in, as a chain from the innermost to the message itself, and the effect of each opcode on
 * them, as bits computed once, so that a step costs one look.
 */

import type { SourceMap } from '../artifacts/source-map.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';

/** The extent of the place of an opcode in the source. */
export const PLACE = { none: 0, contract: 1, definition: 2, statement: 3 } as const;
/** Bits of a packed place that hold one of `PLACE`. */
export const PLACE_BITS = 2;
const PLACE_MASK = (1 << PLACE_BITS) - 1;

/** The effect of an opcode on the functions that are open, in bits. */
export const TRAIT = {
  /** One of `PLACE`. */
  place: PLACE_MASK,
  /** Its place is one of a statement that runs there. */
  runsStatement: 1 << 2,
  /** A jump: with others of the same. */
  jumps: 1 << 3,
  decides: 1 << 4,
  enters: 1 << 5,
  leaves: 1 << 6,
} as const;

const { JUMP, JUMPI, JUMPDEST, PUSH0, PUSH1, PUSH32 } = OPCODES;

/** Returns the traits of the opcodes by program counter; `places` by the same are packed, see {@link PLACE_BITS}. */
export function traitsOf(code: Uint8Array, map: SourceMap, places: Int32Array): Uint8Array {
  const traits = new Uint8Array(code.length);
  for (let pc = 0; pc < code.length; pc++) {
    const opcode = code[pc] ?? 0;
    const place = (places[pc] ?? 0) & PLACE_MASK;
    // Constants are moved away from their statements, and the starts of blocks are shared, so that they do not show what runs.
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

/** The functions of the source that an execution is in, as a chain from the innermost to the message itself. */

/** A function of the source that was entered and not left: the innermost of a chain that ends at the message itself. */
export interface InternalCall {
  /** The program counter of the jump into the function; `null` for the function that the message called. */
  readonly pc: number | null;
  /** The number that the guide gives the function; 0 for one of the compiler's own. */
  readonly definition: number;
  readonly outer: InternalCall | null;
  readonly depth: number;
  /** The program counter of the last opcode of a statement that stands in the function itself; `null` for none. */
  lastOwnPc: number | null;
}

/** Returns the innermost function of the source that was entered; 0 for none. */
export function definitionAround(call: InternalCall | null): number {
  for (let at = call; at !== null; at = at.outer) if (at.definition !== 0) return at.definition;
  return 0;
}

/** Returns the innermost function of the source if it is the one with that definition; else `null`. */
export function ownerOf(within: InternalCall | null, definition: number): InternalCall | null {
  let call = within;
  while (call !== null && call.definition === 0) call = call.outer;
  return call?.definition === definition ? call : null;
}
