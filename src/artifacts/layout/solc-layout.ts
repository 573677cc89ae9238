/** Reads solc's `storageLayout` and `transientStorageLayout`. */

import { namesOf } from '../../json/json-writer.ts';
import { type JsonObject, objectOf, textOf } from '../formats/contract-json.ts';
import { containsItself, DEEPEST_LAYOUT, LayoutNodes, tooDeep } from './layout-bound.ts';
import {
  elementaryValue,
  type StorageType,
  type StorageVariable,
  type ValueType,
  valueType,
} from './storage-type.ts';
import type { SyntaxDefinitions } from './syntax-definitions.ts';

const WORD = 32n;
const ADDRESS = 20;
const DECIMAL = /^\d{1,78}$/;
/** The end of an array type's name: `t_array(t_uint16)5_storage`. */
const ARRAY_COUNT = /\)(?<count>\d{1,78})_/;
/** The AST id of a definition, at the end of a type's name: `t_enum(Color)529`. */
const DEFINITION_ID = /\)(?<id>\d+)(?:_storage)?$/;

function integerOf(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
  return typeof value === 'string' && DECIMAL.test(value) ? BigInt(value) : null;
}

/** The types of one layout, created on demand. */
class SolcTypes {
  readonly #types: JsonObject;
  readonly #definitions: SyntaxDefinitions | null;
  readonly #made = new Map<string, StorageType>();
  /** The types under construction, outermost first. */
  readonly #open = new Set<string>();
  readonly #nodes = new LayoutNodes();

  constructor(types: JsonObject, definitions: SyntaxDefinitions | null) {
    this.#types = types;
    this.#definitions = definitions;
  }

  /** Returns the type of that name; an opaque type if it is unknown. Throws {@link LayoutBoundError}. */
  type(id: string): StorageType {
    const known = this.#made.get(id);
    if (known !== undefined) return known;
    if (this.#open.has(id)) throw containsItself(textOf(objectOf(this.#types[id]).label) ?? id);
    if (this.#open.size >= DEEPEST_LAYOUT) throw tooDeep();
    this.#open.add(id);
    const made = this.#make(id);
    this.#open.delete(id);
    this.#nodes.check(made);
    this.#made.set(id, made);
    return made;
  }

  /** Creates all types, also of mapping values and array items. Throws {@link LayoutBoundError}. */
  checkAll(variables: readonly StorageVariable[]): void {
    for (const id of namesOf(this.#types)) this.type(id);
    this.#nodes.checkVariables(variables);
  }

  #make(id: string): StorageType {
    const entry = Object.hasOwn(this.#types, id) ? objectOf(this.#types[id]) : {};
    const label = textOf(entry.label) ?? id;
    const bytes = integerOf(entry.numberOfBytes) ?? WORD;
    const slots = bytes === 0n ? 1n : (bytes + WORD - 1n) / WORD;
    const opaque: StorageType = { kind: 'opaque', label, slots };
    switch (entry.encoding) {
      case 'bytes':
        return { kind: 'bytes', label, isText: label === 'string' };
      case 'dynamic_array': {
        const base = textOf(entry.base);
        return base === null ? opaque : { kind: 'dynamicArray', label, item: () => this.type(base) };
      }
      case 'mapping': {
        const [key, value] = [textOf(entry.key), textOf(entry.value)];
        const keyType = key === null ? null : this.type(key);
        if (value === null || (keyType?.kind !== 'value' && keyType?.kind !== 'bytes')) return opaque;
        return {
          kind: 'mapping',
          label,
          key: keyType,
          value: () => this.type(value),
          order: 'keyFirst',
        };
      }
      case 'inplace':
        return this.#inPlace(id, entry, label, slots) ?? this.#value(id, label, bytes) ?? opaque;
      default:
        return opaque;
    }
  }

  #inPlace(id: string, { base, members }: JsonObject, label: string, slots: bigint): StorageType | null {
    if (Array.isArray(members)) {
      return { kind: 'struct', label, slots, members: this.variables(members) };
    }
    const count = ARRAY_COUNT.exec(id.slice(id.lastIndexOf(')')))?.groups?.count;
    if (typeof base !== 'string' || count === undefined) return null;
    const item = this.type(base);
    return { kind: 'fixedArray', label, slots, count: BigInt(count), item };
  }

  #value(id: string, label: string, bytes: bigint): ValueType | null {
    if (bytes < 1n || bytes > WORD) return null;
    const size = Number(bytes);
    if (label.startsWith('contract ')) return valueType(label, size, size === ADDRESS ? 'address' : 'raw');
    if (label.startsWith('function')) return valueType(label, size, 'function');
    const definition = Number(DEFINITION_ID.exec(id)?.groups?.id ?? Number.NaN);
    if (label.startsWith('enum ')) {
      return valueType(label, size, 'enum', this.#definitions?.enumeration(definition, label) ?? null);
    }
    if (id.startsWith('t_userDefinedValueType')) {
      const underlying = this.#definitions?.underlyingType(definition, label) ?? null;
      const value = underlying === null ? null : elementaryValue(underlying);
      return valueType(label, size, value?.value ?? 'raw');
    }
    const elementary = elementaryValue(label);
    return elementary?.bytes === size ? elementary : valueType(label, size, 'raw');
  }

  variables(entries: readonly unknown[]): StorageVariable[] {
    return entries.flatMap((entry) => {
      const { label, slot, offset, type } = objectOf(entry);
      const [at, below] = [integerOf(slot), integerOf(offset)];
      if (typeof label !== 'string' || typeof type !== 'string' || at === null || below === null) return [];
      const found = this.type(type);
      if (below + BigInt(found.kind === 'value' ? found.bytes : 1) > WORD) return [];
      return [{ name: label, slot: at, offset: Number(below), type: found }];
    });
  }
}

/**
 * Returns the variables of `storageLayout` or `transientStorageLayout`; `null` for another value. The
 * definitions have enum members and the underlying types of user-defined value types. Throws {@link
 * LayoutBoundError}.
 */
export function solcVariables(
  layout: unknown,
  definitions: SyntaxDefinitions | null,
): readonly StorageVariable[] | null {
  const { storage, types } = objectOf(layout);
  if (!Array.isArray(storage)) return null;
  const read = new SolcTypes(objectOf(types), definitions);
  const variables = read.variables(storage);
  read.checkAll(variables);
  return variables;
}
