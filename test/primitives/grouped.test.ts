import { expect, it } from 'vitest';
import { grouped } from '../../src/primitives/grouped.ts';

it.each([
  [0, '0'],
  [999n, '999'],
  [1_000, '1,000'],
  [30_000_000n, '30,000,000'],
  ['10000', '10,000'],
  ['1234.5678', '1,234.5678'],
])('groups the digits of %s before the decimal point', (amount, text) => {
  expect(grouped(amount)).toBe(text);
});
