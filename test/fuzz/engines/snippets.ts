import { bigIntToBytes, concatBytes } from '../../../src/primitives/bytes.ts';
import { OPCODES } from '../../../src/protocol/hardforks/opcodes.ts';

/** One to many opcodes with their operands. */
export type Snippet = Uint8Array;

const { PUSH1, CODECOPY, RETURN, STOP } = OPCODES;
export const PUSH2 = PUSH1 + 1;

/** Pushes a number of at most 256 bits. */
export function push(value: bigint): Snippet {
  return pushBytes(value === 0n ? Uint8Array.of(0) : bigIntToBytes(value));
}

/** Pushes 1 to 32 bytes. */
export function pushBytes(bytes: Uint8Array): Snippet {
  return concatBytes(Uint8Array.of(PUSH1 - 1 + bytes.length), bytes);
}

/** Pushes the operands so that the first is on top, then the opcode. */
export function operation(opcode: number, ...operands: readonly Snippet[]): Snippet {
  return concatBytes(...[...operands].reverse(), Uint8Array.of(opcode));
}

/** Initcode that deploys the code. */
export function deploying(code: Uint8Array): Uint8Array {
  const [high, low] = [code.length >> 8, code.length & 0xff];
  // CODECOPY the rest to 0 and return it; 15 bytes precede it.
  const copied = Uint8Array.of(PUSH2, high, low, PUSH1, 15, PUSH1, 0, CODECOPY);
  return concatBytes(copied, Uint8Array.of(PUSH2, high, low, PUSH1, 0, RETURN, STOP), code);
}
