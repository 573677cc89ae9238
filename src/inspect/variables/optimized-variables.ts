/**
 * The variables of code from the optimizer or the IR pipeline. Only provable values are shown: constants, and
 * parameters that the message passes and the function never assigns.
 */

import type { DecodedParameter } from '../../artifacts/decoding.ts';
import type { StorageType, ValueType } from '../../artifacts/layout/storage-type.ts';
import type { SourceRange } from '../../artifacts/source-map.ts';
import { bytesToBigInt } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import type { KnownContract } from '../known-contracts.ts';
import { calldataValue, headSize, isDynamic } from './calldata-value.ts';
import { rangeFinder } from './range-finder.ts';
import { type ScopedFunction, scopedFunctions } from './scoped-variables.ts';
import type { DeclaredVariable } from './syntax-nodes.ts';
import { type Read, sizeOf, type Value, WORD, wordAt, wordValue } from './word-value.ts';

/** The value of a variable whose value is not provable. */
export const NOT_AVAILABLE = '<not available: optimized>';

const SELECTOR_SIZE = 4;

/** The functions of one code, by program counter. */
export interface OptimizedPlaces {
  readonly functions: ReadonlyMap<number, ScopedFunction>;
  /** The source ranges of opcodes in functions. */
  readonly ranges: ReadonlyMap<number, SourceRange>;
  readonly side: KnownContract['side'];
}

/**
 * Resolves to the functions of a contract's code; `null` without a syntax tree or source map, and for other
 * languages.
 */
export async function optimizedPlaces(contract: KnownContract): Promise<OptimizedPlaces | null> {
  const { map, match, side } = contract;
  const { bytes } = match.artifact[side] ?? {};
  if (map === null || bytes === undefined || match.artifact.compiler.language !== 'Solidity') return null;
  const scoped = await scopedFunctions(contract);
  if (scoped === null) return null;
  const functions = new Map<number, ScopedFunction>();
  const ranges = new Map<number, SourceRange>();
  const functionAround = rangeFinder(scoped, (one) => one.range);
  for (let pc = 0; pc < bytes.length; pc++) {
    const range = map.rangeAt(pc);
    if (range === null) continue;
    const around = functionAround(range);
    if (around === null) continue;
    functions.set(pc, around);
    ranges.set(pc, range);
  }
  return { functions, ranges, side };
}

/** Follows the source place of one frame. */
export class OptimizedVariables {
  readonly #places: OptimizedPlaces;
  #function: ScopedFunction | null = null;
  /** The first byte of the last statement. */
  #place = 0;

  constructor(places: OptimizedPlaces) {
    this.#places = places;
  }

  /** Call before each opcode. */
  step(pc: number): void {
    const found = this.#places.functions.get(pc);
    const range = this.#places.ranges.get(pc);
    if (found === undefined || range === undefined) return;
    // The start and the end of a function have the place of the whole function.
    const isWhole = range.start === found.range.start;
    if (found !== this.#function || !isWhole) this.#place = range.start;
    this.#function = found;
  }

  /** Returns the variables at the last place. `input` is the call data of the frame. */
  values(input: Uint8Array): DecodedParameter[] {
    const running = this.#function;
    if (running === null) return [];
    const passed = this.#places.side === 'creation' ? NOTHING : passedValues(running, input);
    return running.variables
      .filter(({ scope, from }) => from <= this.#place && isInside(scope, this.#place))
      .map(({ variable, constant }) => ({
        name: variable.name,
        type: variable.label,
        value: constant ?? passed.get(variable.range.start) ?? NOT_AVAILABLE,
      }));
  }
}

function isInside({ start, length }: SourceRange, place: number): boolean {
  return place >= start && place < start + length;
}

const NOTHING: ReadonlyMap<number, Value> = new Map();

/** Returns the provable values of a function's parameters, by the start of their declaration. */
function passedValues(
  { messageParameters, selector }: ScopedFunction,
  input: Uint8Array,
): ReadonlyMap<number, Value> {
  const isCalled = selector !== null && toHex(input.subarray(0, SELECTOR_SIZE)) === `0x${selector}`;
  if (messageParameters === null || !isCalled) return NOTHING;
  const data = input.subarray(SELECTOR_SIZE);
  const values = new Map<number, Value>();
  let place = 0;
  for (const { variable, isConstant } of messageParameters) {
    // The place of later parameters depends on the type.
    if (variable === null || variable.type === null) break;
    const size = sizeInHead(variable, variable.type);
    const value =
      isConstant && place + size <= data.length ? passedValue(variable, variable.type, place, data) : null;
    if (value !== null) values.set(variable.range.start, value);
    place += size;
  }
  return values;
}

/** A storage pointer of a library function is one word. */
function sizeInHead({ location }: DeclaredVariable, type: StorageType): number {
  return location === 'storage' ? WORD : headSize(type);
}

/** Returns the value of a parameter; `null` if code can change it, or if the encoding is invalid. */
function passedValue(
  { location }: DeclaredVariable,
  type: StorageType,
  place: number,
  data: Uint8Array,
): Value | null {
  const read: Read = (from, count) => data.subarray(from, from + count);
  const word = wordAt(read, place);
  if (location === 'stack')
    return type.kind === 'value' && isClean(type, word) ? wordValue(type, word) : null;
  if (location !== 'calldata') return null;
  if (!isDynamic(type)) return calldataValue(type, place, null, read);
  const start = sizeOf(bytesToBigInt(word));
  return start === null || start + WORD > data.length ? null : calldataValue(type, start, null, read);
}

/** Returns true if the unused bytes of a word have the value that Solidity gives them. */
function isClean(type: ValueType, word: Uint8Array): boolean {
  const { value, size } = type;
  if (value === 'function' || value === 'raw') return false;
  if (value === 'bytes') return word.subarray(size).every((byte) => byte === 0);
  const number = bytesToBigInt(word);
  if (value === 'int') return BigInt.asUintN(256, BigInt.asIntN(8 * size, number)) === number;
  if (value === 'bool') return number <= 1n;
  if (value === 'enum') return type.names === null ? number < 256n : number < BigInt(type.names.length);
  return number < 1n << BigInt(8 * size);
}
