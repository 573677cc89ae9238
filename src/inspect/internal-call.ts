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
