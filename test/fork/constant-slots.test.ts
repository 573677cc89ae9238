import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { constantSlots } from '../../src/fork/constant-slots.ts';
import { code } from '../reference/scene.ts';
import { wordBytes } from '../support/words.ts';

describe('the slots with constant keys', () => {
  it.each([
    ['a key before SLOAD', '6005 54 00', [5]],
    ['a key that is duplicated before SLOAD', '6007 80 54 00', [7]],
    ['a key of two bytes', '610102 54 00', [0x102]],
    ['each key once', '6005 54 6005 54 6006 54', [5, 6]],
    ['no key that is computed', '6005 6006 01 54', []],
    ['no key inside the data of a PUSH', '65600554000000 54', [0x600554000000]],
    ['no key of a PUSH that the code ends in', '7f00', []],
  ])('contain %s', (_, program, slots) => {
    expect(constantSlots(code(program))).toEqual(slots.map((slot) => wordBytes(slot)));
  });

  it('are at most 24 words, for any code', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        const slots = constantSlots(bytes);
        expect(slots.length).toBeLessThanOrEqual(24);
        for (const slot of slots) expect(slot).toHaveLength(32);
      }),
    );
  });
});
