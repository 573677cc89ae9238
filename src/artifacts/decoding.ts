/** Decodes calls, results, errors and events with an ABI. It selects the entry; viem decodes the data. */

import type { Abi, AbiConstructor, AbiError, AbiEvent, AbiFunction, AbiParameter } from 'abitype';
import { decodeAbiParameters } from 'viem/utils';
import { concatBytes } from '../primitives/bytes.ts';
import { toHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import type { Steps } from '../primitives/steps.ts';
import type { Log } from '../protocol/receipt.ts';
import { commonChecksumOf } from '../wallet/address.ts';
import { isBounded } from './decoding-bound.ts';

/** A value with its name and type. It can be serialized as JSON without conversion. */
export interface DecodedParameter {
  /** Empty if the source has no name. */
  readonly name: string;
  /** The ABI type: `uint256`, `tuple[]`. */
  readonly type: string;
  /** Decimal numbers, bytes and addresses in hex, unchanged text, or the members or items of a composite. */
  readonly value: string | boolean | readonly DecodedParameter[];
  /** The name of a number, for codes with known names; absent for all other values. */
  readonly meaning?: string;
}

export interface DecodedEntry {
  readonly name: string;
  /** `transfer(address,uint256)`. */
  readonly signature: string;
  readonly parameters: readonly DecodedParameter[];
}

/** Maximum bytes of data to decode. Longer data are printed undecoded. */
const MAX_DATA_LENGTH = 128 * 1024;
const SELECTOR_SIZE = 4;
/** Maximum events with one topic, and maximum anonymous events, to try for a log. */
const MAX_ALIKE = 64;
/** Units of work per ABI entry and per library signature, because signatures are hashed. */
const ENTRY_WORK = 300;
const SIGNATURE_WORK = 300;

/** Parameters, prepared once for decoding. */
class ParameterList {
  readonly #parameters: readonly AbiParameter[];
  readonly #types: readonly AbiParameter[];
  /** True if every value is one word, so that decoding cannot exceed the data. */
  readonly areWords: boolean;

  constructor(parameters: readonly AbiParameter[]) {
    this.#parameters = parameters;
    this.#types = parameters.map(positional);
    this.areWords = this.#types.every(isWord);
  }

  /** Decodes ABI-encoded data; `null` if they do not fit. */
  decode(data: Uint8Array): readonly DecodedParameter[] | null {
    if (this.#parameters.length === 0) return [];
    if (data.length > MAX_DATA_LENGTH) return null;
    try {
      if (!this.areWords && !isBounded(this.#types, data)) return null;
      const values: readonly unknown[] = decodeAbiParameters(this.#types, data);
      return this.#parameters.map((parameter, index) => decodedParameter(parameter, values[index]));
    } catch {
      // The data do not fit the entry: they have another contract's selector, or the caller made a mistake.
      return null;
    }
  }
}

/** A function or an error, prepared for decoding at its first use. */
class EntryShape<Entry extends AbiFunction | AbiError> {
  readonly entry: Entry;
  #signature: string | undefined;
  #inputs: ParameterList | undefined;
  #outputs: ParameterList | undefined;

  constructor(entry: Entry) {
    this.entry = entry;
  }

  /** Decodes the arguments after the selector. */
  decode(data: Uint8Array): DecodedEntry | null {
    this.#inputs ??= new ParameterList(this.entry.inputs);
    this.#signature ??= signatureOf(this.entry);
    const parameters = this.#inputs.decode(data.subarray(SELECTOR_SIZE));
    return parameters === null ? null : { name: this.entry.name, signature: this.#signature, parameters };
  }

  decodeResult(returned: Uint8Array): readonly DecodedParameter[] | null {
    if (this.entry.type === 'error') return null;
    this.#outputs ??= new ParameterList(this.entry.outputs);
    return this.#outputs.decode(returned);
  }
}

/** An event, prepared once for decoding. */
class EventShape {
  readonly entry: AbiEvent;
  readonly #signature: string;
  readonly #topicCount: number;
  readonly #inData: ParameterList;
  /** A topic only has the hash of an indexed value that is longer than a word. */
  readonly #inTopics: ParameterList;
  /** All parameters, topics first, if the data are words like topics; otherwise `null`. */
  readonly #inBoth: ParameterList | null;

  constructor(entry: AbiEvent) {
    const inData = entry.inputs.filter((input) => input.indexed !== true);
    const inTopics = entry.inputs
      .filter((input) => input.indexed === true)
      .map(({ name = '', type }) => ({ name, type: isDynamic(type) ? 'bytes32' : type }));
    this.entry = entry;
    this.#signature = signatureOf(entry);
    this.#topicCount = inTopics.length;
    this.#inData = new ParameterList(inData);
    this.#inTopics = new ParameterList(inTopics);
    this.#inBoth = this.#inData.areWords ? new ParameterList([...inTopics, ...inData]) : null;
  }

  /** Decodes a log; `topics` are the topics of the indexed parameters. */
  decode(topics: readonly Uint8Array[], data: Uint8Array): DecodedEntry | null {
    if (topics.length !== this.#topicCount) return null;
    const values = this.#values(topics, data);
    if (values === null) return null;
    let [nextTopic, nextData] = [0, this.#topicCount];
    const parameters: DecodedParameter[] = [];
    for (const { indexed } of this.entry.inputs) {
      const value = values[indexed === true ? nextTopic++ : nextData++];
      if (value === undefined) return null;
      parameters.push(value);
    }
    return { name: this.entry.name, signature: this.#signature, parameters };
  }

  /** Returns the values of the topics, then the values of the data. One decoder call is faster than two. */
  #values(topics: readonly Uint8Array[], data: Uint8Array): readonly DecodedParameter[] | null {
    if (this.#inBoth !== null) return this.#inBoth.decode(concatBytes(...topics, data));
    const inData = this.#inData.decode(data);
    const inTopics = this.#inTopics.decode(concatBytes(...topics));
    return inData === null || inTopics === null ? null : [...inTopics, ...inData];
  }
}

/** The entries of an ABI by selector. */
export class AbiTable {
  readonly functions = new Map<string, EntryShape<AbiFunction>>();
  readonly errors = new Map<string, EntryShape<AbiError>>();
  /** By topic 0. Several events with the same topic differ only in their indexed parameters. */
  readonly events = new Map<string, EventShape[]>();
  /** Anonymous events: their logs do not identify the event. */
  readonly #anonymousEvents: EventShape[] = [];
  #constructorEntry: AbiConstructor | null = null;
  #constructorInputs: ParameterList | undefined;
  #hasReceive = false;
  #hasFallback = false;
  #isFallbackPayable = false;

  private constructor() {}

  /**
   * Reads an ABI; yields between time slices. `signatures` are functions that the ABI may omit: library
   * functions with storage parameters.
   */
  static *read(abi: Abi, signatures: readonly string[]): Steps<AbiTable> {
    const table = new AbiTable();
    for (const entry of abi) {
      table.#add(entry);
      yield ENTRY_WORK;
    }
    for (const signature of signatures) {
      const entry = functionOfLibrary(signature);
      const selector = entry === null ? '' : selectorOf(topicOf(entry));
      if (entry !== null && !table.functions.has(selector))
        table.functions.set(selector, new EntryShape(entry));
      yield SIGNATURE_WORK;
    }
    return table;
  }

  #add(entry: Abi[number]): void {
    try {
      switch (entry.type) {
        case 'function':
          this.functions.set(selectorOf(topicOf(entry)), new EntryShape(entry));
          break;
        case 'error':
          this.errors.set(selectorOf(topicOf(entry)), new EntryShape(entry));
          break;
        case 'event':
          this.#addEvent(entry);
          break;
        case 'constructor':
          this.#constructorEntry = entry;
          break;
        case 'receive':
          this.#hasReceive = true;
          break;
        case 'fallback':
          this.#hasFallback = true;
          this.#isFallbackPayable = entry.stateMutability === 'payable';
      }
    } catch {
      // One invalid entry does not affect the others.
    }
  }

  #addEvent(entry: AbiEvent): void {
    if (entry.anonymous === true) {
      if (this.#anonymousEvents.length < MAX_ALIKE) this.#anonymousEvents.push(new EventShape(entry));
      return;
    }
    const topic = toHex(topicOf(entry));
    const alike = this.events.get(topic);
    if (alike === undefined) this.events.set(topic, [new EventShape(entry)]);
    else if (alike.length < MAX_ALIKE) alike.push(new EventShape(entry));
  }

  get constructorEntry(): AbiConstructor | null {
    return this.#constructorEntry;
  }

  get hasReceive(): boolean {
    return this.#hasReceive;
  }

  get hasFallback(): boolean {
    return this.#hasFallback;
  }

  get isFallbackPayable(): boolean {
    return this.#isFallbackPayable;
  }

  /** Returns the function that this call data selects; `null` for none. */
  functionOf(data: Uint8Array): AbiFunction | null {
    return this.functions.get(selectorOf(data))?.entry ?? null;
  }

  /** Decodes call data; `null` if no function fits. */
  call(data: Uint8Array): DecodedEntry | null {
    return this.functions.get(selectorOf(data))?.decode(data) ?? null;
  }

  /** Decodes revert data; `null` if no error fits. */
  error(data: Uint8Array): DecodedEntry | null {
    return this.errors.get(selectorOf(data))?.decode(data) ?? null;
  }

  /** Decodes the return data of a call; `null` if no function fits, or if the data do not. */
  result(data: Uint8Array, returned: Uint8Array): readonly DecodedParameter[] | null {
    return this.functions.get(selectorOf(data))?.decodeResult(returned) ?? null;
  }

  /** Decodes the constructor arguments after the initcode; `null` if they do not fit. */
  constructorArguments(data: Uint8Array): readonly DecodedParameter[] | null {
    this.#constructorInputs ??= new ParameterList(this.constructorEntry?.inputs ?? []);
    return this.#constructorInputs.decode(data);
  }

  /** Decodes a log; `null` if no event fits. An anonymous event only counts if no other event fits. */
  event({ topics, data }: Pick<Log, 'topics' | 'data'>): DecodedEntry | null {
    if (data.length > MAX_DATA_LENGTH) return null;
    const [topic, ...indexed] = topics;
    for (const shape of topic === undefined ? [] : (this.events.get(toHex(topic)) ?? [])) {
      const decoded = shape.decode(indexed, data);
      if (decoded !== null) return decoded;
    }
    const anonymous = this.#anonymousEvents.flatMap((shape) => shape.decode(topics, data) ?? []);
    return anonymous.length === 1 ? (anonymous[0] ?? null) : null;
  }
}

const SIGNATURE = /^(?<name>[A-Za-z_$][\w$]*)\((?<types>.*)\)$/s;
/** The suffix of a storage parameter's type. Its value is the slot number. */
const IN_STORAGE = ' storage';
const PLAIN_TYPE = /^(?:u?int\d*|address|bool|bytes\d*|string)(?:\[\d*\])*$/;

/**
 * Returns a library function by its compiler signature (Solidity documentation, Function Signatures and
 * Selectors in Libraries). Returns `null` if a type is the name of a struct, because the signature does not
 * have its members.
 */
function functionOfLibrary(signature: string): AbiFunction | null {
  const { name, types } = SIGNATURE.exec(signature)?.groups ?? {};
  if (name === undefined || types === undefined || !types.includes(IN_STORAGE)) return null;
  // Mapping types have no commas, and structs appear by name.
  const inputs = types.split(',').map((type) => ({ name: '', type }));
  const isKnown = inputs.every(({ type }) => type.endsWith(IN_STORAGE) || PLAIN_TYPE.test(type));
  return isKnown ? { type: 'function', name, inputs, outputs: [], stateMutability: 'nonpayable' } : null;
}

/** Returns the hash of the signature; the selector is its first four bytes. */
function topicOf(entry: AbiFunction | AbiError | AbiEvent): Uint8Array {
  return keccak256(Buffer.from(signatureOf(entry)));
}

function selectorOf(data: Uint8Array): string {
  return data.length < SELECTOR_SIZE ? '' : toHex(data.subarray(0, SELECTOR_SIZE));
}

/** Returns `transfer(address,uint256)`. */
export function signatureOf({ name, inputs }: AbiFunction | AbiError | AbiEvent): string {
  return `${name}(${inputs.map(canonicalType).join(',')})`;
}

function canonicalType(parameter: AbiParameter): string {
  if (!('components' in parameter) || parameter.components === undefined) return parameter.type;
  return `(${parameter.components.map(canonicalType).join(',')})${parameter.type.slice('tuple'.length)}`;
}

/**
 * Returns the parameter without names, so that struct members decode as a list. Names can be missing,
 * duplicate, or `__proto__`. Function references become `bytes24`, because the decoder does not support them.
 */
function positional(parameter: AbiParameter): AbiParameter {
  if (parameter.type.endsWith(IN_STORAGE)) return { type: 'uint256' };
  // Decode addresses as `bytes32`: the decoder's checksum uses a slower hash function.
  const type = parameter.type.replace(/^function(?=$|\[)/, 'bytes24').replace(/^address(?=$|\[)/, 'bytes32');
  if (!('components' in parameter) || parameter.components === undefined) return { type };
  return { type, components: parameter.components.map(positional) };
}

function isDynamic(type: string): boolean {
  return type === 'string' || type === 'bytes' || type.startsWith('tuple') || type.endsWith(']');
}

const WORD_TYPE = /^(?:u?int\d*|address|bool|bytes\d+)$/;

function isWord({ type }: AbiParameter): boolean {
  return WORD_TYPE.test(type);
}

/** The number of address digits, at the end of the word. */
const ADDRESS_DIGITS = 40;

const ARRAY = /^(?<item>.*)\[\d*\]$/;

function decodedParameter(parameter: AbiParameter, value: unknown): DecodedParameter {
  const { name = '', type } = parameter;
  const item = Array.isArray(value) ? ARRAY.exec(type)?.groups?.item : undefined;
  if (item !== undefined && Array.isArray(value)) {
    const items = value.map((member) => decodedParameter({ ...parameter, name: '', type: item }, member));
    return { name, type, value: items };
  }
  if ('components' in parameter && parameter.components !== undefined) {
    const members = parameter.components.map((component, index) => {
      return decodedParameter(component, Array.isArray(value) ? value[index] : undefined);
    });
    return { name, type, value: members };
  }
  if (type === 'address')
    return { name, type, value: commonChecksumOf(String(value).slice(-ADDRESS_DIGITS)) };
  return { name, type, value: typeof value === 'boolean' ? value : String(value) };
}
