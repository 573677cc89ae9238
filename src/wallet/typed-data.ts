// Hashes typed structured data (EIP-712). Yields between time slices.

import { bigIntToFixedBytes, concatBytes, joinBytes, padLeft } from '../primitives/bytes.ts';
import { fromHex, isHexData } from '../primitives/hex.ts';
import { KeccakStream, keccak256 } from '../primitives/keccak.ts';
import { isRecord } from '../primitives/record.ts';
import { mapInSteps, type Steps } from '../primitives/steps.ts';
import { TypedDataError } from './errors.ts';

export interface TypedDataField {
  readonly name: string;
  /** For example `uint256`, `bytes`, `Person` or `Person[2][]`. */
  readonly type: string;
}

/** Typed structured data (EIP-712), as in a request to a wallet. */
export interface TypedData {
  readonly types: Readonly<Record<string, readonly TypedDataField[]>>;
  readonly primaryType: string;
  readonly domain: Readonly<Record<string, unknown>>;
  readonly message: Readonly<Record<string, unknown>>;
}

const DOMAIN_TYPE = 'EIP712Domain';
/** The maximum nesting of structs and arrays. */
const DEEPEST = 256;
/**
 * Maximum fields, and maximum characters of their names and types, in the encoded struct types. The encoding
 * of a type includes all types that it refers to, so n types that refer to each other have n² fields.
 */
const MAX_TYPE_FIELDS = 200_000;
const MAX_TYPE_CHARACTERS = 2 ** 24;
const WORD = 32;
const ZERO_WORD = new Uint8Array(WORD);
const ONE_WORD = padLeft(Uint8Array.of(1), WORD);

/** The possible members of a domain. Their order applies if the types do not list them. */
const DOMAIN_FIELDS: readonly TypedDataField[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
];

const INTEGER_TYPE = /^(u?)int([1-9][0-9]{0,2})$/;
const BYTES_TYPE = /^bytes([1-9][0-9]?)$/;
const ARRAY_TYPE = /^(.+)\[([0-9]{0,9})\]$/s;
const INTEGER_TEXT = /^(?:-?[0-9]{1,78}|0x[0-9a-fA-F]{1,64})$/;

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function readInteger(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && INTEGER_TEXT.test(value) ? BigInt(value) : undefined;
}

function encodeInteger(isSigned: boolean, bits: number, value: unknown): Uint8Array | undefined {
  const integer = readInteger(value);
  if (integer === undefined) return undefined;
  const fits = isSigned
    ? BigInt.asIntN(bits, integer) === integer
    : BigInt.asUintN(bits, integer) === integer;
  return fits ? bigIntToFixedBytes(BigInt.asUintN(256, integer), WORD) : undefined;
}

function readBytes(value: unknown, length?: number): Uint8Array | undefined {
  if (typeof value !== 'string' || !isHexData(value)) return undefined;
  const bytes = fromHex(value);
  return length === undefined || bytes.length === length ? bytes : undefined;
}

/** Encodes a value of an atomic type as a word; `undefined` if the value does not fit the type. */
type AtomEncoder = (value: unknown) => Uint8Array | undefined;

function dynamicEncoder(read: (value: unknown) => Uint8Array | undefined): AtomEncoder {
  return (value) => {
    const bytes = read(value);
    return bytes === undefined ? undefined : keccak256(bytes);
  };
}

const NAMED_ATOMS: ReadonlyMap<string, AtomEncoder> = new Map([
  ['string', dynamicEncoder((value) => (typeof value === 'string' ? utf8(value) : undefined))],
  ['bytes', dynamicEncoder((value) => readBytes(value))],
  ['bool', (value) => (value === true ? ONE_WORD : value === false ? ZERO_WORD : undefined)],
  [
    'address',
    (value) => {
      const bytes = readBytes(value, 20);
      return bytes === undefined ? undefined : padLeft(bytes, WORD);
    },
  ],
]);

function integerEncoder(type: string): AtomEncoder | undefined {
  const [, unsigned, digits] = INTEGER_TYPE.exec(type) ?? [];
  const bits = Number(digits);
  if (digits === undefined || bits > 256 || bits % 8 !== 0) return undefined;
  return (value) => encodeInteger(unsigned === '', bits, value);
}

function fixedBytesEncoder(type: string): AtomEncoder | undefined {
  const length = Number(BYTES_TYPE.exec(type)?.[1]);
  if (!(length <= WORD)) return undefined;
  return (value) => {
    const bytes = readBytes(value, length);
    return bytes === undefined ? undefined : concatBytes(bytes, ZERO_WORD.subarray(length));
  };
}

function atomEncoder(type: string): AtomEncoder | undefined {
  return NAMED_ATOMS.get(type) ?? integerEncoder(type) ?? fixedBytesEncoder(type);
}

/**
 * Returns the word of a value of an atomic type. `path` and `index` locate the value in error messages.
 * Throws {@link TypedDataError}.
 */
function encodeAtom(type: string, value: unknown, path: string, index?: number): Uint8Array {
  const place = () => (index === undefined ? path : `${path}[${index}]`);
  const encode = atomEncoder(type);
  if (encode === undefined)
    throw new TypedDataError(`${place()} has the unknown type ${JSON.stringify(type)}`);
  const word = encode(value);
  if (word === undefined) throw new TypedDataError(`${place()} is not a value of the type ${type}`);
  return word;
}

/** Units of work per struct, member or array, and per array item. */
const STRUCT_WORK = 64;
const ATOM_WORK = 48;

/** Maximum items of an array to hash without a stream. */
const LONG_ARRAY = 2 ** 15;

/** Returns the units of work to read a value. */
function workFor(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}

function baseOf(type: string): string {
  const bracket = type.indexOf('[');
  return bracket === -1 ? type : type.slice(0, bracket);
}

class TypedDataEncoder {
  readonly #types: TypedData['types'];
  readonly #domainFields: readonly TypedDataField[];
  readonly #typeHashes = new Map<string, Uint8Array>();
  #depth = 0;
  #fieldsLeft = MAX_TYPE_FIELDS;
  #charactersLeft = MAX_TYPE_CHARACTERS;

  constructor(types: TypedData['types'], domain: TypedData['domain']) {
    this.#types = types;
    this.#domainFields = DOMAIN_FIELDS.filter(({ name }) => Object.hasOwn(domain, name));
  }

  /** Returns the fields of a struct type; `undefined` for any other type. */
  #structFields(type: string): readonly TypedDataField[] | undefined {
    if (Object.hasOwn(this.#types, type)) return this.#types[type];
    return type === DOMAIN_TYPE ? this.#domainFields : undefined;
  }

  #isStruct(type: string): boolean {
    return type === DOMAIN_TYPE || Object.hasOwn(this.#types, type);
  }

  #fieldsOf(type: string): readonly TypedDataField[] {
    const fields = this.#structFields(type);
    if (fields === undefined) throw new TypedDataError(`unknown type ${JSON.stringify(type)}`);
    return fields;
  }

  /** Returns the struct types that a type refers to, itself first. */
  *#dependencies(type: string): Steps<string[]> {
    const found = new Set([type]);
    // Iteration over a set includes items that are added meanwhile.
    for (const name of found) {
      const fields = this.#fieldsOf(name);
      this.#fieldsLeft--;
      for (const field of fields) {
        this.#count(field);
        const base = baseOf(field.type);
        if (this.#isStruct(base)) found.add(base);
        yield STRUCT_WORK + field.type.length;
      }
      yield STRUCT_WORK;
    }
    return Array.from(found);
  }

  /** Counts a field of an encoded type. Throws {@link TypedDataError} beyond the bounds. */
  #count({ name, type }: TypedDataField): void {
    this.#fieldsLeft--;
    this.#charactersLeft -= name.length + type.length;
    if (this.#fieldsLeft >= 0 && this.#charactersLeft >= 0) return;
    throw new TypedDataError(
      `the struct types are too large: their encoding has more than ${MAX_TYPE_FIELDS} fields or ${MAX_TYPE_CHARACTERS} characters`,
    );
  }

  /** Returns the encoding of one struct type without its references. It can have 100,000 members. */
  *#typeText(type: string): Steps<string> {
    const members = yield* mapInSteps(
      this.#fieldsOf(type),
      (field) => STRUCT_WORK + field.type.length + field.name.length,
      (field) => `${field.type} ${field.name}`,
    );
    return `${type}(${members.join(',')})`;
  }

  *#typeHash(type: string): Steps<Uint8Array> {
    const known = this.#typeHashes.get(type);
    if (known !== undefined) return known;
    const [, ...others] = yield* this.#dependencies(type);
    const texts: string[] = [];
    for (const name of [type, ...others.sort()]) texts.push(yield* this.#typeText(name));
    const text = texts.join('');
    yield text.length;
    const hash = keccak256(utf8(text));
    this.#typeHashes.set(type, hash);
    return hash;
  }

  /** Returns the hash of a struct. `path` locates it in error messages. Throws {@link TypedDataError}. */
  *hashStruct(type: string, value: unknown, path: string): Steps<Uint8Array> {
    if (!isRecord(value)) throw new TypedDataError(`${path} must be an object of the type ${type}`);
    const words = [yield* this.#typeHash(type)];
    for (const field of this.#fieldsOf(type)) {
      const member = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
      const memberPath = `${path}.${field.name}`;
      words.push(yield* this.#encode(field.type, member, memberPath));
    }
    return keccak256(joinBytes(words));
  }

  *#encode(type: string, value: unknown, path: string): Steps<Uint8Array> {
    yield STRUCT_WORK + type.length + workFor(value);
    const [, item, size] = ARRAY_TYPE.exec(type) ?? [];
    const isStruct = this.#isStruct(type);
    if (item === undefined || size === undefined) {
      // A recursive struct must end somewhere: wallets encode an omitted member as zero.
      if (isStruct && (value === null || value === undefined)) return ZERO_WORD;
      if (!isStruct) return encodeAtom(type, value, path);
    }
    if (++this.#depth > DEEPEST) throw new TypedDataError(`the data is nested deeper than ${DEEPEST} levels`);
    const word =
      item === undefined || size === undefined
        ? yield* this.hashStruct(type, value, path)
        : yield* this.#encodeArray(item, size, value, path);
    this.#depth--;
    return word;
  }

  *#encodeArray(item: string, size: string, value: unknown, path: string): Steps<Uint8Array> {
    if (!Array.isArray(value)) throw new TypedDataError(`${path} is not an array`);
    if (size !== '' && value.length !== Number(size)) {
      throw new TypedDataError(`${path} has ${value.length} items, expected ${size}`);
    }
    const words: Uint8Array[] = [];
    const stream = value.length > LONG_ARRAY ? new KeccakStream() : null;
    const isAtom = !this.#isStruct(item) && !ARRAY_TYPE.test(item);
    for (const [index, entry] of value.entries()) {
      const word = isAtom
        ? encodeAtom(item, entry, path, index)
        : yield* this.#encode(item, entry, `${path}[${index}]`);
      if (stream === null) words.push(word);
      else stream.add(word);
      yield ATOM_WORK + workFor(entry);
    }
    return stream === null ? keccak256(joinBytes(words)) : stream.finish();
  }
}

/**
 * Returns the 32 bytes that a wallet signs for typed data (EIP-712, as in `eth_signTypedData_v4`). If the types
 * do not list the domain type, it has the domain's members. Throws a {@link TypedDataError}.
 */
export function* typedDataHash({ types, primaryType, domain, message }: TypedData): Steps<Uint8Array> {
  const encoder = new TypedDataEncoder(types, domain);
  const parts = [Uint8Array.of(0x19, 0x01), yield* encoder.hashStruct(DOMAIN_TYPE, domain, 'domain')];
  if (primaryType !== DOMAIN_TYPE) parts.push(yield* encoder.hashStruct(primaryType, message, 'message'));
  return keccak256(joinBytes(parts));
}
