/** Follows the variables of one frame by the ETHDebug program of its code. */

import type { ProgramVariable, ProgramVariables } from '../../artifacts/artifact.ts';
import type { DecodedParameter } from '../../artifacts/decoding.ts';
import { type JsonObject, objectOf, textOf } from '../../artifacts/formats/contract-json.ts';
import { elementaryValue, type ValueType, valueType } from '../../artifacts/layout/storage-type.ts';
import { toHex } from '../../primitives/hex.ts';
import { valueIn } from '../storage/storage-value.ts';
import { type PointedBytes, type PointedMachine, pointedBytes } from './program-pointer.ts';

const WORD = 32;
const ADDRESS_SIZE = 20;
/** The value of a variable that has none at an opcode, or one that is not found. */
const UNKNOWN = 'unknown';

/** Returns how Solidity would write the type. */
function labelOf(type: JsonObject): string {
  const kind = textOf(type.kind) ?? '';
  const name = textOf(objectOf(type.definition).name);
  if (kind === 'uint' || kind === 'int') return `${kind}${String(type.bits)}`;
  if (kind === 'bytes') return type.size === undefined ? 'bytes' : `bytes${String(type.size)}`;
  return name === null ? kind : `${kind} ${name}`;
}

/** Returns the type of a value that takes one word at most; `null` for another. */
function valueTypeOf(type: JsonObject, label: string): ValueType | null {
  if (type.kind === 'contract') return valueType(label, ADDRESS_SIZE, 'address');
  if (type.kind === 'enum') {
    const names = Array.isArray(type.values) ? type.values.map(String) : null;
    return valueType(label, 1, 'enum', names);
  }
  return elementaryValue(label);
}

/** Returns the bytes as a word: numbers at its end, fixed bytes at its beginning. */
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
  const found = pointer === null ? null : pointedBytes(pointer, machine);
  return { name, type: label, value: found === null ? UNKNOWN : shown(described, label, found) };
}

/** The variables of a frame. */
export class FrameProgram {
  readonly #variables: ProgramVariables;
  #now: readonly ProgramVariable[] = [];
  #next: readonly ProgramVariable[];

  constructor(variables: ProgramVariables) {
    this.#variables = variables;
    this.#next = variables.before;
  }

  /** Called before each opcode. The program says of an instruction what there is when it has run. */
  step(pc: number): void {
    this.#now = this.#next;
    this.#next = this.#variables.after.get(pc) ?? [];
  }

  /** Returns the variables before the opcode that was followed last. */
  values(machine: PointedMachine): DecodedParameter[] {
    return this.#now.map((variable) => decoded(variable, machine));
  }
}
