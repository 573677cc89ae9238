/** Reads Vyper's storage layouts, with types in Vyper's syntax: `HashMap[address, DynArray[uint256, 3]]`. */

import { namesOf } from '../../json/json-writer.ts';
import type { Steps } from '../../primitives/steps.ts';
import { objectOf, textOf } from '../formats/contract-json.ts';
import { LayoutNodes, MAX_LAYOUT_NODES, tooManyNodes } from './layout-bound.ts';
import {
  type BytesType,
  elementaryValue,
  type StorageType,
  type StorageVariable,
  slotsOf,
  slotsOfItems,
  type ValueType,
  valueType,
} from './storage-type.ts';

const WORD = 32;
/** Maximum nesting of types. */
const DEEPEST = 32;
/** Maximum characters of a type's name. */
const MAX_TYPE_LENGTH = 4096;
/** Maximum characters of all type names of one layout, including nested ones. */
const MAX_TYPE_CHARACTERS = 2 ** 22;
/** Units of work per source line. */
const LINE_WORK = 32;
/** The suffix of a struct's name in Vyper before 0.4. */
const DECLARATION = / declaration object$/;
const COUNT = /^\d{1,30}$/;

/** The declaration of a type in the source: a struct with its members, a flag, or an interface. */
export type VyperDefinition =
  | { readonly kind: 'struct'; readonly members: readonly { readonly name: string; readonly type: string }[] }
  | { readonly kind: 'flag' }
  | { readonly kind: 'interface' };

const DEFINITION = /^(?<kind>struct|flag|enum|interface)[ \t]+(?<name>\w+)[ \t]*:(?<rest>[^\n]*)$/;
const MEMBER = /^[ \t]+(?<name>\w+)[ \t]*:[ \t]*(?<type>[^#]+)/;

/** Reads the structs, flags and interfaces of a Vyper source, by name. Yields between time slices. */
export function* vyperDefinitions(text: string): Steps<Map<string, VyperDefinition>> {
  const found = new Map<string, VyperDefinition>();
  let members: { readonly name: string; readonly type: string }[] | null = null;
  for (let start = 0, end = 0; start <= text.length; start = end + 1) {
    const lineBreak = text.indexOf('\n', start);
    end = lineBreak < 0 ? text.length : lineBreak;
    yield LINE_WORK + end - start;
    const line = text.slice(start, end);
    const groups = DEFINITION.exec(line)?.groups;
    if (groups?.name !== undefined) {
      members = groups.kind === 'struct' ? [] : null;
      if (members !== null) found.set(groups.name, { kind: 'struct', members });
      else found.set(groups.name, { kind: groups.kind === 'interface' ? 'interface' : 'flag' });
    } else if (members !== null) {
      const member = MEMBER.exec(line)?.groups;
      if (member?.name !== undefined && member.type !== undefined) {
        members.push({ name: member.name, type: member.type.trim() });
      } else if (/^\S/.test(line) && !line.startsWith('#')) members = null;
    }
  }
  return found;
}

/** Returns the value type, extended to a whole slot. */
function wholeSlot(value: ValueType): ValueType {
  return { ...value, bytes: WORD };
}

/** Splits at commas outside brackets. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '[' || character === '(') depth++;
    else if (character === ']' || character === ')') depth--;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim());
}

/** The types of one contract. */
class VyperTypes {
  readonly #definitions: ReadonlyMap<string, VyperDefinition>;
  /** A cache of defined types; `null` if a type is unknown or contains itself. */
  readonly #defined = new Map<string, StorageType | null>();
  readonly #nodes = new LayoutNodes();
  #charactersLeft = MAX_TYPE_CHARACTERS;

  constructor(definitions: ReadonlyMap<string, VyperDefinition>) {
    this.#definitions = definitions;
  }

  /** Returns the type of that name; `null` if unknown. */
  type(name: string, depth = 0): StorageType | null {
    if (depth > DEEPEST || name.length > MAX_TYPE_LENGTH) return null;
    this.#charactersLeft -= name.length;
    if (this.#charactersLeft < 0) throw tooManyNodes();
    const label = name.replace(DECLARATION, '').trim();
    if (label.endsWith(']')) return this.#indexed(label, depth);
    if (label === 'decimal') return { ...valueType(label, WORD, 'decimal'), size: 21 };
    if (label === 'nonreentrant lock') return valueType(label, WORD, 'uint');
    const value = elementaryValue(label);
    if (value !== null) return wholeSlot(value);
    return this.#definedType(label, depth);
  }

  /** Returns a type with brackets: a mapping, text, or an array. */
  #indexed(label: string, depth: number): StorageType | null {
    const open = openingOf(label);
    const subject = label.slice(0, open);
    const [first = '', second = ''] = partsOf(label.slice(open + 1, -1));
    if (subject === 'HashMap') {
      const key = this.#key(first, depth);
      const value = this.type(second, depth + 1);
      if (key === null || value === null) return null;
      return { kind: 'mapping', label, key, value: () => value, order: 'slotFirst' };
    }
    if (subject === 'String' || subject === 'Bytes') {
      if (!COUNT.test(first)) return null;
      const slots = 1n + (BigInt(first) + 31n) / 32n;
      return { kind: 'boundedBytes', label, slots, isText: subject === 'String' };
    }
    const isDynamic = subject === 'DynArray';
    const item = this.type(isDynamic ? first : subject, depth + 1);
    const length = isDynamic ? second : first;
    if (item === null || !COUNT.test(length)) return null;
    const count = BigInt(length);
    const slots = slotsOfItems(item, count);
    return isDynamic
      ? { kind: 'boundedArray', label, slots: slots + 1n, count, item }
      : { kind: 'fixedArray', label, slots, count, item };
  }

  #key(name: string, depth: number): ValueType | BytesType | null {
    const type = this.type(name, depth + 1);
    if (type?.kind === 'value') return type;
    if (type?.kind === 'boundedBytes') return { kind: 'bytes', label: type.label, isText: type.isText };
    // An unknown name is an interface of another file, so its type is an address.
    return type === null && /^\w+$/.test(name) ? valueType(name, WORD, 'raw') : null;
  }

  /** Throws {@link LayoutBoundError} if the variables have too many nodes. */
  check(variables: readonly StorageVariable[]): void {
    this.#nodes.checkVariables(variables);
  }

  #definedType(label: string, depth: number): StorageType | null {
    const known = this.#defined.get(label);
    if (known !== undefined) return known;
    // A struct that contains itself finds this entry.
    this.#defined.set(label, null);
    const made = this.#make(label, depth);
    if (made !== null) this.#nodes.check(made);
    this.#defined.set(label, made);
    return made;
  }

  #make(label: string, depth: number): StorageType | null {
    const definition = this.#definitions.get(label);
    if (definition === undefined) return null;
    if (definition.kind === 'flag') return valueType(label, WORD, 'uint');
    if (definition.kind === 'interface') return { ...valueType(label, WORD, 'address'), size: 20 };
    let slot = 0n;
    const members: StorageVariable[] = [];
    for (const { name, type: typeName } of definition.members) {
      const type = this.type(typeName, depth + 1);
      if (type === null) return null;
      members.push({ name, slot, offset: 0, type });
      slot += slotsOf(type);
    }
    return { kind: 'struct', label, slots: slot, members };
  }
}

/** Returns the index of the last opening bracket at the top level. */
function openingOf(label: string): number {
  let depth = 0;
  for (let index = label.length - 1; index >= 0; index--) {
    if (label[index] === ']') depth++;
    else if (label[index] === '[' && --depth === 0) return index;
  }
  return 0;
}

/** Maximum nesting of modules. */
const DEEPEST_MODULE = 16;

/**
 * Returns the variables of `storage_layout` or `transient_storage_layout`; `null` if the value is not an
 * object. Variables of modules are named `module.variable`. A type with unknown members is opaque. Throws
 * {@link LayoutBoundError}.
 */
export function vyperVariables(
  layout: unknown,
  definitions: ReadonlyMap<string, VyperDefinition>,
): readonly StorageVariable[] | null {
  if (typeof layout !== 'object' || layout === null || Array.isArray(layout)) return null;
  const types = new VyperTypes(definitions);
  const variables: StorageVariable[] = [];
  const addAll = (entries: unknown, path: readonly string[]): void => {
    const members = objectOf(entries);
    for (const name of namesOf(members)) {
      const entry = members[name];
      const { slot, type, n_slots: slots } = objectOf(entry);
      const label = textOf(type);
      if (label !== null && typeof slot === 'number' && Number.isSafeInteger(slot) && slot >= 0) {
        const count = typeof slots === 'number' && Number.isSafeInteger(slots) && slots > 0 ? slots : 1;
        const found = types.type(label);
        const isRight = found !== null && (slots === undefined || slotsOf(found) === BigInt(count));
        const opaque: StorageType = { kind: 'opaque', label, slots: BigInt(count) };
        const at = { slot: BigInt(slot), offset: 0 };
        variables.push({ name: [...path, name].join('.'), ...at, type: isRight ? found : opaque });
      } else if (path.length < DEEPEST_MODULE) addAll(entry, [...path, name]);
      if (variables.length > MAX_LAYOUT_NODES) throw tooManyNodes();
    }
  };
  addAll(layout, []);
  types.check(variables);
  return variables.sort((left, right) => (left.slot < right.slot ? -1 : 1));
}
