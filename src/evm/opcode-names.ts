import { OPCODES } from '../protocol/hardforks/opcodes.ts';

const NAMED: ReadonlyMap<number, string> = new Map(
  Object.entries(OPCODES).map(([name, opcode]) => [opcode, name]),
);

function spelled(opcode: number): string {
  if (opcode >= 0x60 && opcode <= 0x7f) return `PUSH${opcode - 0x5f}`;
  if (opcode >= 0x80 && opcode <= 0x8f) return `DUP${opcode - 0x7f}`;
  if (opcode >= 0x90 && opcode <= 0x9f) return `SWAP${opcode - 0x8f}`;
  if (opcode >= 0xa0 && opcode <= 0xa4) return `LOG${opcode - 0xa0}`;
  return NAMED.get(opcode) ?? `opcode 0x${opcode.toString(16)} not defined`;
}

const NAMES: readonly string[] = Array.from({ length: 256 }, (_, opcode) => spelled(opcode));

/** The name of an opcode as debuggers know it (`PUSH1`, `SSTORE`); `opcode 0xc not defined` for a byte that is none. */
export function opcodeName(opcode: number): string {
  return NAMES[opcode] ?? spelled(opcode);
}
