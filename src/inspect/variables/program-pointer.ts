/**
 * Resolves ETHDebug pointers (`ethdebug/format/pointer`) to the bytes of a variable. Only pointers to single
 * regions are supported.
 */

import { type JsonObject, objectOf, textOf } from '../../artifacts/formats/contract-json.ts';
import { bytesToBigInt, concatBytes } from '../../primitives/bytes.ts';

const WORD = 32;
/** Maximum nesting of expressions. */
const DEEPEST = 16;
/** Maximum evaluated regions and expressions per pointer. Regions can refer to other regions repeatedly. */
const MAX_EVALUATIONS = 128;
/** Maximum bytes of a region to read. A longer region is cut. */
const MAX_REGION_LENGTH = 4_096;
const LARGEST = 2n ** 256n;

/** The EVM state of a frame at an opcode. */
export interface PointedMachine {
  readonly stackHeight: number;
  /** Returns a stack item (32 bytes), counted from the top. */
  readonly item: (index: number) => Uint8Array;
  /** Returns bytes of memory; fewer at the end of memory. */
  readonly memory: (start: number, length: number) => Uint8Array;
  /** Returns the value of a slot (32 bytes). */
  readonly slot: (slot: bigint) => Uint8Array;
  /** The call data. */
  readonly input: Uint8Array;
}

/** The bytes that a pointer refers to. */
export interface PointedBytes {
  readonly bytes: Uint8Array;
  /** The length of the whole region in bytes; `bytes` of a long region are cut. */
  readonly length: number;
}

class UnknownPlaceError extends Error {}

function refuse(): never {
  throw new UnknownPlaceError('the pointer is not understood');
}

/** Returns an offset or length as a number. Throws `UnknownPlaceError` if it is too large. */
function sizeOf(number: bigint): number {
  return number <= 0xffffffffn ? Number(number) : refuse();
}

function padded(bytes: Uint8Array, length: number): Uint8Array {
  const filled = new Uint8Array(length);
  filled.set(bytes.subarray(0, length));
  return filled;
}

class Follower {
  readonly #machine: PointedMachine;
  /** The named regions so far. */
  readonly #named = new Map<string, JsonObject>();
  /** The names of regions that expressions refer to. */
  readonly #used = new Set<string>();
  #evaluations = 0;

  constructor(machine: PointedMachine) {
    this.#machine = machine;
  }

  /** Returns the bytes of the variable's region. In a group, no other region refers to this one. */
  follow(pointer: JsonObject): PointedBytes {
    if (!Array.isArray(pointer.group)) return this.#read(pointer, 0);
    const regions = pointer.group.slice(0, DEEPEST).map(objectOf);
    const found = regions.map((region) => {
      const read = this.#read(region, 0);
      const name = textOf(region.name);
      if (name !== null) this.#named.set(name, region);
      return { name, read };
    });
    const [only, ...others] = found.filter(({ name }) => name === null || !this.#used.has(name));
    return only === undefined || others.length > 0 ? refuse() : only.read;
  }

  #read(region: JsonObject, depth: number): PointedBytes {
    const { location, slot, offset, length } = region;
    const size = (value: unknown): number => sizeOf(this.#number(value, depth + 1));
    switch (location) {
      case 'memory':
      case 'calldata': {
        const whole = size(length);
        const [start, count] = [size(offset), Math.min(whole, MAX_REGION_LENGTH)];
        const bytes =
          location === 'memory'
            ? this.#machine.memory(start, count)
            : this.#machine.input.subarray(start, start + count);
        return { bytes: padded(bytes, count), length: whole };
      }
      case 'stack':
      case 'storage': {
        const skipped = offset === undefined ? 0 : size(offset);
        const whole = length === undefined ? WORD - (skipped % WORD) : size(length);
        const first = this.#number(slot, depth + 1) + BigInt(Math.floor(skipped / WORD));
        const count = Math.min(whole, MAX_REGION_LENGTH);
        const start = skipped % WORD;
        const words = Array.from({ length: Math.ceil((start + count) / WORD) }, (_, index) =>
          this.#word(location, first + BigInt(index)),
        );
        return { bytes: concatBytes(...words).subarray(start, start + count), length: whole };
      }
      default:
        return refuse();
    }
  }

  #word(location: 'stack' | 'storage', index: bigint): Uint8Array {
    if (location === 'storage') return index < LARGEST ? this.#machine.slot(index) : refuse();
    return index < BigInt(this.#machine.stackHeight) ? this.#machine.item(Number(index)) : refuse();
  }

  #number(value: unknown, depth: number): bigint {
    if (depth > DEEPEST || this.#evaluations++ > MAX_EVALUATIONS) return refuse();
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
    if (value === '$wordsize') return BigInt(WORD);
    if (typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)) return BigInt(value);
    const [[name, operand] = ['', null], ...others] = Object.entries(objectOf(value));
    if (others.length > 0) return refuse();
    if (name === '$read') return bytesToBigInt(this.#read(this.#region(operand), depth + 1).bytes);
    if (name === '.slot' || name === '.offset' || name === '.length')
      return this.#number(this.#region(operand)[name.slice(1)], depth + 1);
    if (!Array.isArray(operand) || operand.length > DEEPEST) return refuse();
    const result = arithmetic(
      name,
      operand.map((each) => this.#number(each, depth + 1)),
    );
    return result < LARGEST ? result : refuse();
  }

  #region(name: unknown): JsonObject {
    const region = this.#named.get(textOf(name) ?? '');
    if (region === undefined) return refuse();
    this.#used.add(textOf(name) ?? '');
    return region;
  }
}

/** Evaluates an operation on non-negative integers. */
function arithmetic(name: string, operands: readonly bigint[]): bigint {
  const [first = 0n, second = 0n] = operands;
  switch (name) {
    case '$sum':
      return operands.reduce((sum, each) => sum + each, 0n);
    case '$product':
      return operands.reduce((product, each) => product * each, 1n);
    case '$difference':
      return first > second ? first - second : 0n;
    case '$quotient':
      return second === 0n ? refuse() : first / second;
    case '$remainder':
      return second === 0n ? refuse() : first % second;
    default:
      return refuse();
  }
}

/**
 * Returns the bytes that a pointer refers to: a region, or a group's only region without references from
 * others. Returns `null` for any other pointer, for example with lists, conditions, templates or hashes.
 */
export function pointedBytes(pointer: JsonObject, machine: PointedMachine): PointedBytes | null {
  try {
    return new Follower(machine).follow(pointer);
  } catch (error) {
    if (error instanceof UnknownPlaceError) return null;
    throw error;
  }
}
