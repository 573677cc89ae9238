/** A precompile refused its input. The call to it fails, and returns nothing; the rule set determines its cost. */
export class PrecompileError extends Error {
  override get name(): string {
    return 'PrecompileError';
  }
}

/**
 * Returns `length` bytes of the input from `offset` on, padded with zeros when it is too short. A view when it is long
 * enough.
 */
export function slicePadded(input: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset + length <= input.length) return input.subarray(offset, offset + length);
  const padded = new Uint8Array(length);
  if (offset < input.length) padded.set(input.subarray(offset));
  return padded;
}

/** Throws a `PrecompileError` for an input of another length. */
export function requireLength(input: Uint8Array, length: number): void {
  if (input.length !== length)
    throw new PrecompileError(`The input has ${input.length} bytes, not ${length}`);
}

/**
 * Returns how many parts of `length` bytes the input has. Throws a `PrecompileError` when it is not a multiple of that.
 */
export function countParts(input: Uint8Array, length: number): number {
  if (input.length % length !== 0) {
    throw new PrecompileError(`The input has ${input.length} bytes, not a multiple of ${length}`);
  }
  return input.length / length;
}

/** Returns 1 or 0 as a word of 32 bytes. */
export function truthWord(value: boolean): Uint8Array {
  const word = new Uint8Array(32);
  if (value) word[31] = 1;
  return word;
}
