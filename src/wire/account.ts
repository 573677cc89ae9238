// Accounts in JSON. Each form (dumps, state files of Anvil and geth, proofs, genesis files) lists its values
// in their order, with the encoding of each.

import { namesOf, rememberNames } from '../json/json-writer.ts';
import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES, padLeft } from '../primitives/bytes.ts';
import { bytesKey, hexKey, toHex, toQuantity } from '../primitives/hex.ts';
import type { Steps } from '../primitives/steps.ts';
import { readPadded, type StrictValue } from './strict-value.ts';
import { address, hash, integer, type Json, type JsonSchema } from './values.ts';

/** The values of accounts in all forms. */
interface AccountValues {
  readonly address: Uint8Array;
  /** The Keccak-256 hash of the address: its key in the state trie. */
  readonly addressHash: Uint8Array;
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  readonly code: Uint8Array;
  /** The code as DATA. */
  readonly codeText: string;
  /** `null` if a difference does not change the code. */
  readonly codeHash: Uint8Array | null;
  readonly storageRoot: Uint8Array;
  /** True if unlisted slots have the values of the fork's upstream. */
  readonly isOverFork: boolean;
  /** The JSON of the slots (see {@link storageJson}); `undefined` if the form has no member for them. */
  readonly storage: Json | undefined;
}

/** Writes a value in a form, under its own name or `name`. */
interface Written<Value> {
  readonly name?: string;
  /** Returns the JSON value; `undefined` to omit the member. */
  write(value: Value): unknown;
}

/** Reads a value from a form, under its own name or `name`. */
interface Read<Value> {
  readonly name?: string;
  /** Throws an `InvalidDumpError` with the path for an invalid value. */
  read(value: StrictValue): Value;
}

/** A form for writing accounts: its members in order. */
type WrittenForm<Part extends keyof AccountValues> = {
  readonly [Name in Part]: Written<AccountValues[Name]>;
};

/** A form for reading accounts: its members in the order of their checks. */
type ReadForm<Part extends keyof AccountValues> = { readonly [Name in Part]: Read<AccountValues[Name]> };

/** Returns the JSON of an account in a form. */
export function accountJson<Part extends keyof AccountValues>(
  form: WrittenForm<Part>,
  account: Pick<AccountValues, NoInfer<Part>>,
): Json {
  const json: Record<string, unknown> = {};
  for (const part of Object.keys(form) as Part[]) {
    const { name = part } = form[part];
    const written = form[part].write(account[part]);
    if (written !== undefined) json[name] = written;
  }
  return json;
}

/** Returns the values of an account in a form, without its storage. Throws `InvalidDumpError`. */
export function readAccount<Part extends keyof AccountValues>(
  form: ReadForm<Part>,
  value: StrictValue,
): Pick<AccountValues, Part> {
  const account: Partial<Record<Part, unknown>> = {};
  for (const part of Object.keys(form) as Part[])
    account[part] = form[part].read(value.field(form[part].name ?? part));
  return account as Pick<AccountValues, Part>;
}

/** Reads bytes from a property name. */
export interface ReadNames {
  /** Returns `undefined` for an invalid name. */
  read(name: string): Uint8Array | undefined;
  /** Describes valid names. */
  readonly expected: string;
}

/** Writes the slots of a storage and their values. */
interface WrittenStorage<Value> {
  readonly slot: { write(slot: Uint8Array): string };
  readonly value: Pick<Written<Value>, 'write'>;
}

/** Reads the slots of a storage and their values. */
interface ReadStorage<Value> {
  readonly slot: ReadNames;
  readonly value: Pick<Read<Value>, 'read'>;
}

/** Returns the bytes in a property name of `owner`. Throws `InvalidDumpError` with the owner's path. */
export function readName({ read, expected }: ReadNames, name: string, owner: StrictValue): Uint8Array {
  const bytes = read(name);
  if (bytes !== undefined) return bytes;
  throw owner.problem(`invalid property name ${JSON.stringify(name.slice(0, 80))}: expected ${expected}`);
}

/** Work units per slot, and per account without its code and slots. */
const SLOT_WORK = 128;
const ACCOUNT_WORK = 256;

/** Returns the JSON of a storage in a form. */
export function* storageJson<Value>(
  form: WrittenStorage<Value>,
  storage: Iterable<{ readonly slot: Uint8Array; readonly value: Value }>,
): Steps<Json> {
  const json: Record<string, unknown> = {};
  const names: string[] = [];
  for (const { slot, value } of storage) {
    const name = form.slot.write(slot);
    names.push(name);
    json[name] = form.value.write(value);
    yield SLOT_WORK;
  }
  rememberNames(json, names);
  return json;
}

/** Returns the slot and value of a named member. Throws `InvalidDumpError`. */
export function readSlot<Value>(
  form: ReadStorage<Value>,
  storage: StrictValue,
  name: string,
): { readonly slot: Uint8Array; readonly value: Value } {
  return { slot: readName(form.slot, name, storage), value: form.value.read(storage.field(name)) };
}

/**
 * Returns the slots and values of a storage in a form; empty if absent. If several names encode the same
 * slot, the last value is used, as for equal names in JSON. Throws `InvalidDumpError`.
 */
export function* readStorage<Value>(
  form: ReadStorage<Value>,
  storage: StrictValue,
): Steps<{ readonly slot: Uint8Array; readonly value: Value }[]> {
  if (storage.isNothing) return [];
  const slots = new Map<string, { readonly slot: Uint8Array; readonly value: Value }>();
  for (const name of storage.names()) {
    const read = readSlot(form, storage, name);
    slots.set(bytesKey(read.slot), read);
    yield SLOT_WORK;
  }
  return Array.from(slots.values());
}

/** Returns an object with the JSON of each account by address; `write` converts one account. */
export function* accountsJson<Account extends { readonly address: Uint8Array }>(
  accounts: Iterable<Account>,
  write: (account: Account) => Steps<unknown>,
): Steps<Json> {
  const json: Record<string, unknown> = {};
  const names: string[] = [];
  for (const account of accounts) {
    const name = toHex(account.address);
    names.push(name);
    json[name] = yield* write(account);
    yield ACCOUNT_WORK;
  }
  rememberNames(json, names);
  return json;
}

/**
 * Returns the accounts by address. `read` converts one account. If several names encode the same address, the
 * last account is used, as for equal names in JSON. Yields between accounts. Throws `InvalidDumpError`.
 */
export function* readAccounts<Account>(
  accounts: StrictValue,
  read: (address: Uint8Array, value: StrictValue, name: string) => Steps<Account>,
): Steps<Account[]> {
  const found: Account[] = [];
  /** Indexes by address; `null` until two names may encode one address. A large map is slow to build. */
  let indexes: Map<string, number> | null = null;
  for (const name of accounts.names()) {
    yield ACCOUNT_WORK;
    const address = readAddress(name, accounts);
    const account = yield* read(address, accounts.field(name), name);
    if (indexes === null && !USUAL_NAME.test(name)) indexes = yield* indexesOf(accounts, found.length);
    const known = indexes?.get(bytesKey(address));
    indexes?.set(bytesKey(address), known ?? found.length);
    found[known ?? found.length] = account;
  }
  return found;
}

/** The usual encoding of an address. Equal names are one member of an object. */
const USUAL_NAME = /^0x[0-9a-f]*$/;

/** Returns the indexes of the first `count` accounts by address. */
function* indexesOf(accounts: StrictValue, count: number): Steps<Map<string, number>> {
  const indexes = new Map<string, number>();
  for (const name of accounts.names()) {
    if (indexes.size === count) break;
    indexes.set(bytesKey(readAddress(name, accounts)), indexes.size);
    yield ACCOUNT_WORK;
  }
  return indexes;
}

const ADDRESS_NAMES: ReadNames = {
  read: (name) => (name.length === 42 ? readPadded(name, 20) : undefined),
  expected: 'an address',
};

/** Returns the address in a property name of `owner`. Throws `InvalidDumpError`. */
export function readAddress(name: string, owner: StrictValue): Uint8Array {
  return readName(ADDRESS_NAMES, name, owner);
}

const SLOT_NAMES: ReadNames = { read: (name) => readPadded(name, 32), expected: 'a slot' };

const readNonce = (value: StrictValue): bigint => value.quantity(64);
const readBalance = (value: StrictValue): bigint => value.quantity();
const readSlotValue = (value: StrictValue): Uint8Array => bigIntToBytes(value.quantity());

function word(bytes: Uint8Array): string {
  return toHex(padLeft(bytes, 32));
}

function shortest(bytes: Uint8Array): string {
  return toQuantity(bytesToBigInt(bytes));
}

// The caller reads and writes the storage separately, because it yields.
const storage = { write: (json: Json | undefined) => json, read: () => undefined };

/** Account differences in dumps of this node. Their code is in separate, earlier lines. */
export const DUMP_ACCOUNT = {
  nonce: { write: toQuantity, read: readNonce },
  balance: { write: toQuantity, read: readBalance },
  codeHash: {
    write: (value: Uint8Array | null) => (value === null ? undefined : toHex(value)),
    read: (value: StrictValue) => value.orNull((present) => present.bytes(32)),
  },
  isOverFork: {
    write: (isOver: boolean) => (isOver ? true : undefined),
    read: (value: StrictValue) => value.orNull((isOver) => isOver.flag()) ?? false,
  },
  storage,
};

/** Storage differences in dumps of this node. */
export const DUMP_STORAGE = {
  slot: { ...SLOT_NAMES, write: shortest },
  value: { write: shortest, read: readSlotValue },
};

/** As {@link DUMP_STORAGE}, on a fork: `null` is for slots that have the upstream's values again. */
export const DUMP_FORK_STORAGE = {
  slot: DUMP_STORAGE.slot,
  value: {
    write: (value: Uint8Array | null) => (value === null ? null : shortest(value)),
    read: (value: StrictValue) => value.orNull(readSlotValue),
  },
};

/** Accounts in Anvil's state files. Reading also supports the `alloc` of a genesis file of geth. */
export const ANVIL_ACCOUNT = {
  nonce: { write: Number, read: (value: StrictValue) => value.orNull(readNonce) ?? 0n },
  balance: { write: toQuantity, read: readBalance },
  code: {
    write: toHex,
    read: (value: StrictValue) => value.orNull((code) => code.bytes()) ?? EMPTY_BYTES,
  },
  storage,
};

export const ANVIL_STORAGE = {
  slot: { ...SLOT_NAMES, write: word },
  value: { write: word, read: readSlotValue },
};

/** Accounts in the `historical_states` of Anvil's files, which have separate storage. */
export const ANVIL_PAST_ACCOUNT = {
  nonce: { read: readNonce },
  balance: { read: readBalance },
  code: { read: readAnalyzedCode },
};

/** Returns code without the padding of Anvil's interpreter. */
function readAnalyzedCode(value: StrictValue): Uint8Array {
  if (value.isNothing) return EMPTY_BYTES;
  const analyzed = value.field('LegacyAnalyzed');
  if (!analyzed.isNothing) {
    return analyzed.field('bytecode').bytes().subarray(0, analyzed.field('original_len').count());
  }
  const raw = value.field('LegacyRaw');
  if (!raw.isNothing) return raw.bytes();
  const delegation = value.field('Eip7702');
  return delegation.isNothing
    ? value.refuse('code in the form LegacyAnalyzed, LegacyRaw or Eip7702')
    : delegation.field('raw').bytes();
}

/** Accounts in geth's dumps: wei in decimal, and no member for empty code or storage. */
export const GETH_ACCOUNT = {
  balance: { write: String },
  nonce: { write: Number },
  storageRoot: { name: 'root', write: toHex },
  codeHash: DUMP_ACCOUNT.codeHash,
  codeText: { name: 'code', write: (text: string) => (text === '0x' ? undefined : text) },
  storage: {
    write: (json: Json | undefined) => (json === undefined || namesOf(json).length === 0 ? undefined : json),
  },
  address: { write: toHex },
  addressHash: { name: 'key', write: toHex },
};

/** Storage in geth's dumps: values without `0x`. */
export const GETH_STORAGE = { slot: { write: word }, value: { write: hexKey } };

/** The account in a proof (EIP-1186). */
export const PROOF_ACCOUNT = {
  address: { ...address, write: toHex },
  balance: integer,
  codeHash: { ...hash, write: DUMP_ACCOUNT.codeHash.write },
  nonce: integer,
  storageRoot: { ...hash, name: 'storageHash' },
};

export const PROOF_ACCOUNT_PROPERTIES: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries<{ readonly name?: string; readonly jsonSchema: JsonSchema }>(PROOF_ACCOUNT).map(
    ([part, { name = part, jsonSchema }]) => [name, jsonSchema],
  ),
);
