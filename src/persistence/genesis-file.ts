import type { GenesisFile } from '../chain/settings/chain-options.ts';
import { EMPTY_BYTES, padLeft, stripLeadingZeros } from '../primitives/bytes.ts';
import { bytesKey, fromHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import type { GenesisAccount, GenesisHeader } from '../protocol/genesis.ts';
import { codeOf, type StorageEntry } from '../state/account.ts';
import { type ReadNames, readAccount, readName, readSlot } from '../wire/account.ts';
import { StrictValue } from '../wire/strict-value.ts';
import { parseJson } from './dump/dump-bytes.ts';

const HEXADECIMAL = /^0x[0-9a-fA-F]+$/;
const DECIMAL = /^\d+$/;
const DIGITS = /^(0x)?([0-9a-fA-F]*)$/;

/**
 * Reads a genesis file as geth does: JSON with numbers, or decimal or hexadecimal strings. Fields for
 * hardfork schedules are ignored. Throws an `InvalidDumpError` that names the field.
 */
export function readGenesisFile(bytes: Uint8Array): GenesisFile {
  const file = new StrictValue(parseJson(bytes, 'it'), '');
  if (!file.isObject || file.field('alloc').isNothing) {
    file.field('alloc').refuse('the initial accounts, as in a genesis file of geth');
  }
  const config = file.field('config');
  return {
    chainId: config.orNull((value) => value.field('chainId').orNull((id) => count(id))),
    timestamp: file.field('timestamp').orNull(count),
    gasLimit: file.field('gasLimit').orNull((gas) => integer(gas, 63)),
    header: readHeader(file),
    allocation: readAllocation(file.field('alloc')),
    digest: keccak256(bytes),
  };
}

/** The parameters of a hardfork in a genesis file, not validated; `null` if absent. */
export interface GenesisParameters {
  readonly blobs: {
    readonly target: unknown;
    readonly max: unknown;
    readonly baseFeeUpdateFraction: unknown;
  } | null;
  readonly depositContract: string | null;
}

/** The file must have passed {@link readGenesisFile}. */
export function readGenesisParameters(bytes: Uint8Array, hardfork: string): GenesisParameters {
  const config = new StrictValue(parseJson(bytes, 'it'), '').field('config');
  if (!config.isObject) return { blobs: null, depositContract: null };
  const schedule = config.field('blobSchedule');
  const entry = schedule.isObject ? schedule.field(hardfork) : null;
  const named = (name: string): unknown => entry?.field(name).json;
  const address = config.field('depositContractAddress').json;
  return {
    blobs: entry?.isObject
      ? {
          target: named('target'),
          max: named('max'),
          baseFeeUpdateFraction: named('baseFeeUpdateFraction'),
        }
      : null,
    depositContract: typeof address === 'string' ? address : null,
  };
}

function readHeader(file: StrictValue): Partial<GenesisHeader> {
  const fields = {
    number: file.field('number').orNull(count),
    parentHash: readParentHash(file),
    coinbase: file.field('coinbase').orNull((value) => digits(value, 20)),
    extraData: file.field('extraData').orNull((value) => digits(value)),
    difficulty: file.field('difficulty').orNull((value) => integer(value)),
    mixHash: file.field('mixHash').orNull((value) => digits(value, 32)),
    baseFeePerGas: file.field('baseFeePerGas').orNull((value) => integer(value)),
    blobGasUsed: file.field('blobGasUsed').orNull((value) => integer(value, 64)),
    excessBlobGas: file.field('excessBlobGas').orNull((value) => integer(value, 64)),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function readAllocation(alloc: StrictValue): GenesisAccount[] {
  return alloc.names().map((name) => {
    const address = readName(ADDRESS_NAMES, name, alloc);
    const value = alloc.field(name);
    const { nonce, balance, code } = readAccount(ACCOUNT, value);
    const storage = value.field('storage').orNull(readStorage) ?? [];
    return { address, balance, contract: { nonce, code: codeOf(code), storage } };
  });
}

const ADDRESS_NAMES: ReadNames = {
  read: (name) => {
    const address = readDigits(name, 20);
    return address?.length === 20 ? address : undefined;
  },
  expected: 'an address of 40 hexadecimal digits',
};

/** An account in geth's form. */
const ACCOUNT = {
  nonce: { read: (value: StrictValue) => value.orNull((nonce) => integer(nonce, 64)) ?? 0n },
  code: { read: (value: StrictValue) => value.orNull((code) => digits(code)) ?? EMPTY_BYTES },
  balance: { read: (value: StrictValue) => value.orNull((balance) => integer(balance)) ?? 0n },
};

/** The storage of an account in geth's form. */
const STORAGE = {
  slot: {
    read: (name: string) => readDigits(name, 32),
    expected: 'a slot of at most 64 hexadecimal digits (an odd number of digits requires 0x)',
  },
  value: {
    read: (value: StrictValue) =>
      readDigits(value.text(), 32) ??
      value.refuse('at most 64 hexadecimal digits (an odd number of digits requires 0x)'),
  },
};

/** Returns the nonzero slots. If several names denote the same slot, the last one applies, as in geth. */
function readStorage(storage: StrictValue): StorageEntry[] {
  const slots = new Map<string, StorageEntry>();
  for (const name of storage.names()) {
    const { slot, value } = readSlot(STORAGE, storage, name);
    const padded = padLeft(slot, 32);
    slots.set(bytesKey(padded), { slot: padded, value: stripLeadingZeros(value) });
  }
  return Array.from(slots.values()).filter(({ value }) => value.length > 0);
}

/**
 * Returns the bytes of hexadecimal digits, with or without 0x; `undefined` if invalid. A leading zero may be
 * omitted only after 0x, because an odd number of bare digits could be a decimal number or a typo.
 */
function readDigits(text: string, most: number): Uint8Array | undefined {
  const [, prefix, found] = DIGITS.exec(text) ?? [];
  if (found === undefined || found.length > 2 * most) return undefined;
  if (found.length % 2 === 0) return fromHex(`0x${found}`);
  return prefix === undefined ? undefined : fromHex(`0x0${found}`);
}

/** Reads hexadecimal bytes; exactly `length` if given. */
function digits(value: StrictValue, length?: number): Uint8Array {
  const text = value.text();
  const bytes = text.length % 2 === 0 ? readDigits(text, length ?? text.length) : undefined;
  if (bytes !== undefined && (length === undefined || bytes.length === length)) return bytes;
  return value.refuse(length === undefined ? 'bytes in hexadecimal' : `${length} bytes in hexadecimal`);
}

/** An unsigned integer of at most `bits` bits, in any form that geth reads or writes. */
function integer(value: StrictValue, bits = 256): bigint {
  const { json } = value;
  const isText = typeof json === 'string' && (HEXADECIMAL.test(json) || DECIMAL.test(json));
  const isNumber = typeof json === 'number' && Number.isSafeInteger(json) && json >= 0;
  const read = isText || isNumber ? BigInt(json) : undefined;
  if (read !== undefined && read < 2n ** BigInt(bits)) return read;
  const isLarge = typeof json === 'number' && json > Number.MAX_SAFE_INTEGER;
  return value.refuse(
    isLarge
      ? 'a string, because JSON numbers of this size are not exact'
      : `a whole number of at most ${bits} bits, decimal or hexadecimal with 0x`,
  );
}

function count(value: StrictValue): number {
  return Number(integer(value, 53));
}

/** The parent of a first block above number 0. The chain does not have that block. */
function readParentHash(file: StrictValue): Uint8Array | null {
  const parentHash = file.field('parentHash');
  const hash = parentHash.orNull(
    (value) => readDigits(value.text(), 32) ?? value.refuse('32 bytes in hexadecimal'),
  );
  if (hash === null || hash.every((byte) => byte === 0)) return null;
  if ((file.field('number').orNull(count) ?? 0) === 0)
    parentHash.refuse('zero, because block 0 has no parent');
  return hash.length === 32 ? hash : parentHash.refuse('32 bytes in hexadecimal');
}
