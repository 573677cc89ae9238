import { expect } from 'vitest';

/**
 * True if two byte arrays of the same class have the same bytes. Vitest's comparison lists all indexes as
 * property names, which takes most of the time of tests that compare blocks, states and proofs.
 */
function areEqualBytes(left: unknown, right: unknown): boolean | undefined {
  if (!(left instanceof Uint8Array && right instanceof Uint8Array)) return undefined;
  if (left.constructor !== right.constructor) return undefined;
  return Buffer.compare(left, right) === 0;
}

// Vitest runs this before each test file, and the thread keeps the function.
const { bytesAreCompared } = globalThis as { bytesAreCompared?: boolean };
if (bytesAreCompared !== true) {
  Object.assign(globalThis, { bytesAreCompared: true });
  expect.addEqualityTesters([areEqualBytes]);
}
