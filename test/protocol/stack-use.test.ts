import { describe, expect, it } from 'vitest';
import { STACK_USE } from '../../src/protocol/hardforks/opcodes.ts';

/** First opcode, member numbers and stack items of each opcode family (Yellow Paper, appendix H). */
const FAMILIES: readonly [
  name: string,
  first: number,
  numbers: readonly [from: number, to: number],
  use: (number: number) => { readonly taken: number; readonly left: number },
][] = [
  ['PUSH', 0x60, [1, 32], () => ({ taken: 0, left: 1 })],
  ['DUP', 0x80, [1, 16], (number) => ({ taken: number, left: number + 1 })],
  ['SWAP', 0x90, [1, 16], (number) => ({ taken: number + 1, left: number + 1 })],
  ['LOG', 0xa0, [0, 4], (number) => ({ taken: number + 2, left: 0 })],
];

describe('STACK_USE', () => {
  it.each(FAMILIES)('matches the Yellow Paper for each %s', (_, first, [from, to], use) => {
    for (let number = from; number <= to; number++)
      expect(STACK_USE[first + number - from], `${number}`).toEqual(use(number));
  });
});
