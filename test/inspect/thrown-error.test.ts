import { describe, expect, it } from 'vitest';
import { otherThrow } from '../../src/inspect/failing-path.ts';

const FUNCTION = `function pay(address to, uint256 amount) internal {
  // revert Small(amount) is for others; é
  if (to == address(0)) revert Nobody();
  string memory note = "revert Small(1)";
  if (amount == 0) {
    revert Errors.Small(amount);
  }
  other(amount);
}`;

function textAt(place: number | null, error: string): string | null {
  const found = otherThrow(FUNCTION, place, error);
  const bytes = Buffer.from(FUNCTION);
  return found === null ? null : bytes.subarray(found.start, found.start + found.length).toString();
}

const placeOf = (part: string): number => Buffer.byteLength(FUNCTION.slice(0, FUNCTION.indexOf(part)));

describe('otherThrow', () => {
  it('finds the only revert with the error if the source map points elsewhere', () => {
    expect(textAt(placeOf('Nobody()'), 'Small')).toBe('revert Errors.Small(');
    expect(textAt(placeOf('revert Nobody()'), 'Small')).toBe('revert Errors.Small(');
    expect(textAt(null, 'Small')).toBe('revert Errors.Small(');
    expect(textAt(null, 'Nobody')).toBe('revert Nobody(');
  });

  it('returns null if the source map points to the error, or to code without a revert', () => {
    expect(textAt(placeOf('revert Nobody()'), 'Nobody')).toBeNull();
    expect(textAt(placeOf('other(amount)'), 'Small')).toBeNull();
    expect(textAt(placeOf('function'), 'Small')).toBeNull();
  });

  it('returns null if the error is absent, ambiguous or not in a revert', () => {
    expect(textAt(null, 'Absent')).toBeNull();
    expect(otherThrow(`${FUNCTION} revert Small(2)`, null, 'Small')).toBeNull();
    expect(otherThrow('require(ok, Small(1)); revert Nobody();', null, 'Small')).toBeNull();
    expect(otherThrow(`revert Small(1) ${' '.repeat(100_000)}`, null, 'Small')).toBeNull();
  });
});
