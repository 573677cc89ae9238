import { bigIntToFixedBytes, concatBytes, padLeft } from '../primitives/bytes.ts';
import { fromHex, isHexData } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { TypedDataError } from './errors.ts';

/** A member of a struct type. */
export interface TypedDataField {
  readonly name: string;
  /** `uint256`, `bytes`, `Person`, `Person[2][]` and so on. */
  readonly type: string;
}

/** Data with their types (EIP-712), as a wallet is asked to sign them. */
export interface TypedData {
  readonly types: Readonly<Record<string, readonly TypedDataField[]>>;
  readonly primaryType: string;
  readonly domain: Readonly<Record<string, unknown>>;
  readonly message: Readonly<Record<string, unknown>>;
}

const DOMAIN_TYPE = 'EIP712Domain';
/** Levels of structs and arrays inside each other. */
const DEEPEST = 256;
const WORD = 32;
const ZERO_WORD = new Uint8Array(WORD);
const ONE_WORD = padLeft(Uint8Array.of(1), WORD);

/** The members that a domain may have, in the order in which they stand when the types do not list them. */
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

/** How the values of a type without members become a word; `undefined` for a value that the type does not have. */
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

/** A type without the brackets of its arrays. */
function baseOf(type: string): string {
  const bracket = type.indexOf('[');
  return bracket === -1 ? type : type.slice(0, bracket);
}

/** Hashes values by one set of types. */
class TypedDataEncoder {
  readonly #types: ReadonlyMap<string, readonly TypedDataField[]>;
  readonly #typeHashes = new Map<string, Uint8Array>();
  #depth = 0;

  constructor(types: TypedData['types'], domain: TypedData['domain']) {
    const given = new Map(Object.entries(types));
    if (!given.has(DOMAIN_TYPE)) {
      const present = DOMAIN_FIELDS.filter(({ name }) => Object.hasOwn(domain, name));
      given.set(DOMAIN_TYPE, present);
    }
    this.#types = given;
  }

  #fieldsOf(type: string): readonly TypedDataField[] {
    const fields = this.#types.get(type);
    if (fields === undefined) throw new TypedDataError(`the type ${JSON.stringify(type)} is not known`);
    return fields;
  }

  /** The struct types that a type is made of, itself first. */
  #dependencies(type: string): string[] {
    const found = new Set([type]);
    // A set can be added to while it is gone through.
    for (const name of found) {
      for (const field of this.#fieldsOf(name)) {
        const base = baseOf(field.type);
        if (this.#types.has(base)) found.add(base);
      }
    }
    return Array.from(found);
  }

  #typeHash(type: string): Uint8Array {
    const known = this.#typeHashes.get(type);
    if (known !== undefined) return known;
    const [, ...others] = this.#dependencies(type);
    const text = [type, ...others.sort()]
      .map((name) => {
        const members = this.#fieldsOf(name).map((field) => `${field.type} ${field.name}`);
        return `${name}(${members.join(',')})`;
      })
      .join('');
    const hash = keccak256(utf8(text));
    this.#typeHashes.set(type, hash);
    return hash;
  }

  /** The hash of a struct. `path` says where it stands. Throws {@link TypedDataError}. */
  hashStruct(type: string, value: unknown, path: string): Uint8Array {
    if (!isRecord(value)) throw new TypedDataError(`${path} is not an object, which ${type} needs`);
    const words = this.#fieldsOf(type).map((field) => {
      const member = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
      return this.#encode(field.type, member, `${path}.${field.name}`);
    });
    return keccak256(concatBytes(this.#typeHash(type), ...words));
  }

  #encode(type: string, value: unknown, path: string): Uint8Array {
    if (++this.#depth > DEEPEST)
      throw new TypedDataError(`the data are nested deeper than ${DEEPEST} levels`);
    const word = this.#encodeInside(type, value, path);
    this.#depth--;
    return word;
  }

  #encodeInside(type: string, value: unknown, path: string): Uint8Array {
    const [, item, size] = ARRAY_TYPE.exec(type) ?? [];
    if (item !== undefined && size !== undefined) return this.#encodeArray(item, size, value, path);
    if (this.#types.has(type)) {
      // A struct that refers to its own kind must end somewhere: wallets encode what is left out as zero.
      return value === null || value === undefined ? ZERO_WORD : this.hashStruct(type, value, path);
    }
    const encode = atomEncoder(type);
    if (encode === undefined)
      throw new TypedDataError(`the type ${JSON.stringify(type)} of ${path} is not known`);
    const word = encode(value);
    if (word === undefined) throw new TypedDataError(`${path} is not a value of the type ${type}`);
    return word;
  }

  #encodeArray(item: string, size: string, value: unknown, path: string): Uint8Array {
    if (!Array.isArray(value)) throw new TypedDataError(`${path} is not an array`);
    if (size !== '' && value.length !== Number(size)) {
      throw new TypedDataError(`${path} has ${value.length} items, its type says ${size}`);
    }
    return keccak256(
      concatBytes(...value.map((entry: unknown, index) => this.#encode(item, entry, `${path}[${index}]`))),
    );
  }
}

/**
 * The 32 bytes that a wallet signs for typed data (EIP-712, as `eth_signTypedData_v4` reads it). The type of the domain
 * is made of the domain's members when the types do not list it. Throws {@link TypedDataError}.
 */
export function typedDataHash({ types, primaryType, domain, message }: TypedData): Uint8Array {
  const encoder = new TypedDataEncoder(types, domain);
  const parts = [Uint8Array.of(0x19, 0x01), encoder.hashStruct(DOMAIN_TYPE, domain, 'domain')];
  if (primaryType !== DOMAIN_TYPE) parts.push(encoder.hashStruct(primaryType, message, 'message'));
  return keccak256(concatBytes(...parts));
}
