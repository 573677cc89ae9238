// The stored form of a parent chain: blocks as bytes, so that they are only appended, and the rest as JSON.

import { hexKey, readDigits } from '../../primitives/hex.ts';
import { finish } from '../../primitives/steps.ts';
import type { MempoolEntry } from './mempool.ts';
import {
  blockBytes,
  meetsRegtestTarget,
  merkleRootOfBlock,
  type ParentBlock,
  readBlock,
} from './parent-block.ts';
import type { ParentChainState } from './parent-chain.ts';
import { readTransaction } from './parent-transaction.ts';
import type { ParentWallet, WalletKey, WatchedScript } from './wallet/parent-wallet.ts';

/** The state without its blocks, fit for JSON. */
export interface ParentChainJson {
  /** The hash of the best block. */
  readonly tip: string;
  readonly seed: string;
  readonly mempool: readonly MempoolEntryJson[];
  readonly wallets: readonly ParentWallet[];
}

interface MempoolEntryJson {
  /** The transaction with witness, as digits. */
  readonly transaction: string;
  /** In satoshis. */
  readonly fee: string;
  /** In seconds. */
  readonly time: number;
  readonly height: number;
}

export { blockBytes as parentBlockToBytes };

/** Restores a block from its bytes on its parent. Throws an error if the bytes are not a block on this parent. */
export function parentBlockFromBytes(parent: ParentBlock, bytes: Uint8Array): ParentBlock {
  const block = finish(readBlock(bytes));
  const { parentHash, merkleRoot } = block.header;
  if (parentHash !== parent.hash) {
    throw new RangeError(`the parent of block ${block.hash}: expected ${parent.hash}, got ${parentHash}`);
  }
  if (!meetsRegtestTarget(block.hash) || merkleRootOfBlock(block.transactions) !== merkleRoot) {
    throw new RangeError(`block ${block.hash}: the proof of work or the Merkle root is invalid`);
  }
  return { ...block, parent, height: parent.height + 1 };
}

export function parentChainToJson({ tip, mempool, wallets, seed }: ParentChainState): ParentChainJson {
  return {
    tip: tip.hash,
    seed,
    mempool: mempool.map(({ transaction, fee, time, height }) => ({
      transaction: hexKey(transaction.bytes),
      fee: fee.toString(),
      time,
      height,
    })),
    wallets,
  };
}

/** Reads the members of a stored object. Each method throws a `RangeError` with the path of an invalid member. */
class StoredObject {
  readonly #value: object;
  readonly #path: string;

  constructor(value: unknown, path: string) {
    if (typeof value !== 'object' || value === null) throw new RangeError(`${path}: expected an object`);
    this.#value = value;
    this.#path = path;
  }

  #member<Type>(name: string, expected: string, is: (value: unknown) => value is Type): Type {
    const value: unknown = Reflect.get(this.#value, name);
    if (is(value)) return value;
    throw new RangeError(`${this.#path}.${name}: expected ${expected}`);
  }

  text(name: string): string {
    return this.#member(name, 'a string', (value) => typeof value === 'string');
  }

  /** Returns digits, two per byte. */
  digits(name: string): string {
    return this.#member(name, 'hexadecimal digits', isDigits);
  }

  digitsOrNull(name: string): string | null {
    return this.#member(name, 'hexadecimal digits or null', (value) => value === null || isDigits(value));
  }

  textOrNull(name: string): string | null {
    return this.#member(name, 'a string or null', (value) => value === null || typeof value === 'string');
  }

  boolean(name: string): boolean {
    return this.#member(name, 'true or false', (value) => typeof value === 'boolean');
  }

  integer(name: string): number {
    return this.#member(name, 'an integer', (value): value is number => Number.isSafeInteger(value));
  }

  bytes(name: string): Uint8Array {
    return readDigits(this.digits(name)) ?? new Uint8Array(0);
  }

  amount(name: string): bigint {
    const isAmount = (value: unknown): value is string =>
      typeof value === 'string' && /^\d{1,16}$/.test(value);
    return BigInt(this.#member(name, 'satoshis as a string', isAmount));
  }

  list<Item>(name: string, read: (item: StoredObject) => Item): Item[] {
    const items = this.#member(name, 'an array', (value): value is unknown[] => Array.isArray(value));
    return items.map((item, index) => read(new StoredObject(item, `${this.#path}.${name}[${index}]`)));
  }

  digitsList(name: string): string[] {
    const areDigits = (value: unknown): value is string[] => Array.isArray(value) && value.every(isDigits);
    return this.#member(name, 'an array of hexadecimal digits', areDigits);
  }
}

function isDigits(value: unknown): value is string {
  return typeof value === 'string' && readDigits(value) !== undefined;
}

/**
 * Restores a state on its best block. Throws a `RangeError` or `BitcoinFormatError` if a member is invalid or
 * the block differs.
 */
export function parentChainFromJson(tip: ParentBlock, json: unknown): ParentChainState {
  const stored = new StoredObject(json, 'parentChain');
  const hash = stored.text('tip');
  if (hash !== tip.hash) throw new RangeError(`the best block: expected ${hash}, got ${tip.hash}`);
  return {
    tip,
    seed: stored.text('seed'),
    mempool: stored.list('mempool', readEntry),
    wallets: stored.list('wallets', readWallet),
  };
}

function readEntry(stored: StoredObject): MempoolEntry {
  return {
    transaction: readTransaction(stored.bytes('transaction')),
    fee: stored.amount('fee'),
    time: stored.integer('time'),
    height: stored.integer('height'),
  };
}

function readWallet(stored: StoredObject): ParentWallet {
  return {
    name: stored.text('name'),
    isLoaded: stored.boolean('isLoaded'),
    hasPrivateKeys: stored.boolean('hasPrivateKeys'),
    seed: stored.digits('seed'),
    keys: stored.list('keys', readKey),
    watched: stored.list('watched', readWatched),
    scripts: stored.digitsList('scripts'),
  };
}

function readKey(stored: StoredObject): WalletKey {
  return {
    script: stored.digits('script'),
    publicKey: stored.digits('publicKey'),
    privateKey: stored.digitsOrNull('privateKey'),
    path: stored.textOrNull('path'),
    isChange: stored.boolean('isChange'),
    label: stored.text('label'),
  };
}

function readWatched(stored: StoredObject): WatchedScript {
  return {
    script: stored.digits('script'),
    label: stored.text('label'),
    publicKey: stored.digitsOrNull('publicKey'),
  };
}
