/** Follows the variables of all frames of an execution, step by step. */

import type { ProgramVariable, ProgramVariables } from '../../artifacts/artifact.ts';
import type { DecodedParameter } from '../../artifacts/decoding.ts';
import { type JsonObject, objectOf, textOf } from '../../artifacts/formats/contract-json.ts';
import { elementaryValue, type ValueType, valueType } from '../../artifacts/layout/storage-type.ts';
import type { ExecutionStep } from '../../evm/observer.ts';
import { bigIntToFixedBytes, padLeft } from '../../primitives/bytes.ts';
import { fromHex, toHex } from '../../primitives/hex.ts';
import type { ContractsOfFrames, KnownContract } from '../known-contracts.ts';
import { valueIn } from '../storage/storage-value.ts';
import { FrameVariables, type VariablePlaces, variablePlaces } from './frame-variables.ts';
import {
  NOT_AVAILABLE,
  type OptimizedPlaces,
  OptimizedVariables,
  optimizedPlaces,
} from './optimized-variables.ts';
import { type PointedBytes, type PointedMachine, pointedBytes } from './program-pointer.ts';
import { variableValue } from './variable-value.ts';

const WORD = 32;
const ADDRESS_SIZE = 20;
/** The value of a variable whose pointer is not supported. */
const UNKNOWN = 'unknown';

/** Returns the name of the type in Solidity. */
function labelOf(type: JsonObject): string {
  const kind = textOf(type.kind) ?? '';
  const name = textOf(objectOf(type.definition).name);
  if (kind === 'uint' || kind === 'int') return `${kind}${String(type.bits)}`;
  if (kind === 'bytes') return type.size === undefined ? 'bytes' : `bytes${String(type.size)}`;
  return name === null ? kind : `${kind} ${name}`;
}

/** Returns the type of a value of at most one word; `null` for other types. */
function valueTypeOf(type: JsonObject, label: string): ValueType | null {
  if (type.kind === 'contract') return valueType(label, ADDRESS_SIZE, 'address');
  if (type.kind === 'enum') {
    const names = Array.isArray(type.values) ? type.values.map(String) : null;
    return valueType(label, 1, 'enum', names);
  }
  return elementaryValue(label);
}

/** Returns the bytes as a word: numbers right-aligned, fixed bytes left-aligned. */
function wordOf(type: ValueType, bytes: Uint8Array): Uint8Array {
  const word = new Uint8Array(WORD);
  word.set(bytes, type.value === 'bytes' ? 0 : WORD - bytes.length);
  return word;
}

function shown(type: JsonObject, label: string, { bytes, length }: PointedBytes): string | boolean {
  const value = valueTypeOf(type, label);
  if (value !== null && bytes.length <= WORD) {
    const size = value.value === 'bytes' ? WORD : value.bytes;
    return valueIn({ ...value, bytes: size }, wordOf(value, bytes), 0);
  }
  const text = type.kind === 'string' ? Buffer.from(bytes).toString('utf8') : toHex(bytes);
  return length > bytes.length ? `${text}… (${length} bytes)` : text;
}

function decoded({ name, type, pointer }: ProgramVariable, machine: PointedMachine): DecodedParameter {
  const described = objectOf(type);
  const label = labelOf(described);
  // The compiler gives a removed variable no location.
  if (pointer === null) return { name, type: label, value: NOT_AVAILABLE };
  const found = pointedBytes(pointer, machine);
  return { name, type: label, value: found === null ? UNKNOWN : shown(described, label, found) };
}

class FrameProgram {
  readonly #variables: ProgramVariables;
  #now: readonly ProgramVariable[] = [];
  #next: readonly ProgramVariable[];

  constructor(variables: ProgramVariables) {
    this.#variables = variables;
    this.#next = variables.before;
  }

  /** Call before each opcode. The program lists the variables after each instruction. */
  step(pc: number): void {
    this.#now = this.#next;
    this.#next = this.#variables.after.get(pc) ?? [];
  }

  /** Returns the variables before the last followed opcode. */
  values(machine: PointedMachine): DecodedParameter[] {
    return this.#now.map((variable) => decoded(variable, machine));
  }
}

/** The variables of a code: from its ETHDebug program, or from source places; `null` without a syntax tree. */
type CodeVariables =
  | { readonly kind: 'program'; readonly program: ProgramVariables }
  | { readonly kind: 'places'; readonly places: VariablePlaces }
  | { readonly kind: 'optimized'; readonly places: OptimizedPlaces }
  | null;

/** The variables' locations, by index of the frame. */
export type VariablesOfFrames = readonly CodeVariables[];

async function variablesOf(contract: KnownContract): Promise<CodeVariables> {
  const program = contract.match.artifact[contract.side]?.variables ?? null;
  if (program !== null) return { kind: 'program', program };
  const places = await variablePlaces(contract);
  if (places !== null) return { kind: 'places', places };
  const optimized = await optimizedPlaces(contract);
  return optimized === null ? null : { kind: 'optimized', places: optimized };
}

/** A cache of variable locations by contract. */
export class KnownVariablePlaces {
  readonly #known = new WeakMap<KnownContract, Promise<CodeVariables>>();

  /** Resolves to the locations of the contracts' variables, by index of the frame. */
  of(contracts: ContractsOfFrames): Promise<VariablesOfFrames> {
    return Promise.all(
      contracts.map((contract) => {
        if (contract === null) return null;
        const places = this.#known.get(contract) ?? variablesOf(contract);
        this.#known.set(contract, places);
        return places;
      }),
    );
  }
}

const DIGITS_OF_WORD = 64;

/** Returns bytes of a memory that is given as words. */
function bytesOfWords(words: readonly string[], start: number, length: number): Uint8Array {
  const first = Math.floor(start / WORD);
  const digits = words.slice(first, Math.ceil((start + length) / WORD)).join('');
  const skipped = (DIGITS_OF_WORD / WORD) * (start - first * WORD);
  return fromHex(`0x${digits.slice(skipped, skipped + 2 * length)}`);
}

interface OpenFrame {
  readonly variables: FrameVariables | FrameProgram | OptimizedVariables | null;
  readonly input: Uint8Array;
}

function followed(variables: CodeVariables): OpenFrame['variables'] {
  if (variables === null) return null;
  switch (variables.kind) {
    case 'program':
      return new FrameProgram(variables.program);
    case 'places':
      return new FrameVariables(variables.places);
    case 'optimized':
      return new OptimizedVariables(variables.places);
  }
}

export class StepVariables {
  readonly #places: VariablesOfFrames;
  readonly #open: OpenFrame[] = [];
  #began = 0;

  constructor(places: VariablesOfFrames) {
    this.#places = places;
  }

  /** Call at the start of a frame. The input is copied. */
  open(input: Uint8Array): void {
    const variables = followed(this.#places[this.#began++] ?? null);
    this.#open.push({ variables, input: variables === null ? input : input.slice() });
  }

  /** Call at the end of the innermost frame. */
  close(): void {
    this.#open.pop();
  }

  /** Call before each opcode. */
  follow({ pc, stackHeight }: ExecutionStep): void {
    this.#open.at(-1)?.variables?.step(pc, stackHeight);
  }

  /** Returns the named variables before the last followed opcode; `null` if unknown. */
  before(step: ExecutionStep, words: readonly string[]): readonly DecodedParameter[] | null {
    const { variables, input } = this.#open.at(-1) ?? {};
    if (variables === null || variables === undefined || input === undefined) return null;
    const { stackHeight } = step;
    const memory = (start: number, length: number): Uint8Array => bytesOfWords(words, start, length);
    if (variables instanceof FrameProgram) {
      return variables.values({
        stackHeight,
        item: (index) => bigIntToFixedBytes(step.stackItem(index) ?? 0n, WORD),
        memory,
        slot: (slot) => padLeft(step.storageAt(bigIntToFixedBytes(slot, WORD)), WORD),
        input,
      });
    }
    if (variables instanceof OptimizedVariables) return variables.values(input);
    const item = (index: number): bigint => step.stackItem(stackHeight - 1 - index) ?? 0n;
    return variables.live
      .filter(({ variable }) => variable.name !== '')
      .map((live) => variableValue(live, { item, memory, input }));
  }
}
