import { expect, it } from 'vitest';
import { hexKey } from '../../../src/primitives/hex.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import { compileArithmetic, FREE_MEMORY } from './arithmetic-module.ts';
import { SeededNumbers } from './arithmetic-operands.ts';

const LONGEST = 1_000;

it(`hashes messages of 0 to ${LONGEST} bytes at any address like keccak256 of the node`, async () => {
  const module = await compileArithmetic();
  const hash = module.operation('keccak256');
  const memory = new Uint8Array(module.memory.buffer);
  const random = new SeededNumbers(33);
  const out = FREE_MEMORY + 4 * LONGEST;
  for (let length = 0; length <= LONGEST; length++) {
    const message = Uint8Array.from({ length }, () => random.below(256));
    const address = FREE_MEMORY + (length % 9);
    memory.set(message, address);
    hash(address, length, out);
    expect(hexKey(memory.subarray(out, out + 32))).toBe(hexKey(keccak256(message)));
  }
});
