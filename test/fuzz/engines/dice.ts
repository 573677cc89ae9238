/** A seeded random generator (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count);
  }

  /** True once in `count` throws. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  /** Any of the values. */
  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new RangeError('there is nothing to pick from');
    return value;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }

  /** An unsigned integer of 256 bits; small ones, powers of two and their neighbours come often. */
  word(): bigint {
    const kind = this.below(6);
    if (kind === 0) return BigInt(this.below(4));
    if (kind === 1) return BigInt(this.below(300));
    if (kind === 2) return BigInt.asUintN(256, (1n << BigInt(this.below(257))) + BigInt(this.below(3)) - 1n);
    if (kind === 3) return BigInt.asUintN(256, -BigInt(this.below(300)));
    const length = kind === 4 ? 32 : 1 + this.below(32);
    return BigInt(`0x${Buffer.from(this.bytes(length)).toString('hex')}`);
  }
}
