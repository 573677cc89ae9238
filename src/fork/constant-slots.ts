// The storage slots that a contract reads by constant keys.

import { OPCODES } from '../protocol/hardforks/opcodes.ts';

const { PUSH1, PUSH32, DUP1, SLOAD } = OPCODES;
/** Maximum slots of one code. Most contracts have fewer; a request for each costs the user's quota. */
const MAX_SLOTS = 24;

/**
 * Returns the slots (32 bytes) that the code reads by a constant key: a PUSH before SLOAD, or before DUP1 and
 * SLOAD. Compilers place state variables without keys there.
 */
export function constantSlots(code: Uint8Array): readonly Uint8Array[] {
  const slots = new Map<string, Uint8Array>();
  for (let pc = 0; pc < code.length && slots.size < MAX_SLOTS; pc++) {
    const opcode = code[pc] ?? 0;
    if (opcode < PUSH1 || opcode > PUSH32) continue;
    const start = pc + 1;
    pc += opcode - PUSH1 + 1;
    const next = code[pc + 1] === DUP1 ? pc + 2 : pc + 1;
    if (code[next] !== SLOAD) continue;
    const slot = new Uint8Array(32);
    slot.set(code.subarray(start, pc + 1), 32 - (pc + 1 - start));
    slots.set(slot.join(), slot);
  }
  return [...slots.values()];
}
