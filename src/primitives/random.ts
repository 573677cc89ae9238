import { randomBytes } from 'node:crypto';

/** The source of randomness: returns `length` bytes. Tests pass a seeded one. */
export type RandomSource = (length: number) => Uint8Array;

export const systemRandom: RandomSource = (length) => new Uint8Array(randomBytes(length));
