import { bigIntToBytes, bytesToBigInt } from '../primitives/bytes.ts';
import type { RlpItem } from '../primitives/rlp.ts';
import { InvalidTransactionError, MisshapenTransactionError } from './errors.ts';
import type { AccessListEntry, Authorization } from './transaction.ts';

/** The fields of a decoded list in turn, each checked for its form as it is taken. */
export class FieldReader {
  readonly #items: readonly RlpItem[];
  #next = 0;

  /** Throws {@link InvalidTransactionError} unless `item` is a list of exactly `count` items. */
  constructor(item: RlpItem, count: number, what: string) {
    if (item instanceof Uint8Array) throw new MisshapenTransactionError(`${what} is not a list`);
    if (item.length !== count) {
      throw new MisshapenTransactionError(`${what} has ${item.length} fields, expected ${count}`);
    }
    this.#items = item;
  }

  #take(name: string): RlpItem {
    const item = this.#items[this.#next++];
    if (item === undefined) throw new InvalidTransactionError(`${name} is missing`);
    return item;
  }

  /** The next field as bytes. */
  bytes(name: string): Uint8Array {
    const item = this.#take(name);
    if (!(item instanceof Uint8Array)) throw new InvalidTransactionError(`${name} is a list`);
    return item;
  }

  /** The next field as an unsigned integer of at most `size` bytes. One zero byte reads as zero. */
  integer(name: string, size = 32): bigint {
    const bytes = this.bytes(name);
    if (bytes.length > size) throw new InvalidTransactionError(`${name} is longer than ${size} bytes`);
    if (bytes.length > 1 && bytes[0] === 0) throw new InvalidTransactionError(`${name} has leading zeros`);
    return bytesToBigInt(bytes);
  }

  /** The next field as an address; `null` when it is empty. */
  recipient(name: string): Uint8Array | null {
    const bytes = this.bytes(name);
    if (bytes.length === 0) return null;
    if (bytes.length !== 20)
      throw new InvalidTransactionError(`${name} has ${bytes.length} bytes, expected 20`);
    return bytes;
  }

  /** The next field as `length` bytes. */
  fixed(name: string, length: number): Uint8Array {
    const bytes = this.bytes(name);
    if (bytes.length !== length) {
      throw new InvalidTransactionError(`${name} has ${bytes.length} bytes, expected ${length}`);
    }
    return bytes;
  }

  /** The next field as a list. */
  list(name: string): readonly RlpItem[] {
    const item = this.#take(name);
    if (item instanceof Uint8Array) throw new InvalidTransactionError(`${name} is not a list`);
    return item;
  }
}

/** The access list of an EIP-2930 field. Throws {@link InvalidTransactionError}. */
export function readAccessList(items: readonly RlpItem[]): AccessListEntry[] {
  return items.map((item) => {
    const fields = new FieldReader(item, 2, 'an access list entry');
    const address = fields.fixed('access list address', 20);
    const storageKeys = fields.list('access list storage keys').map((key) => {
      if (key instanceof Uint8Array && key.length === 32) return key;
      throw new InvalidTransactionError('an access list storage key is not 32 bytes');
    });
    return { address, storageKeys };
  });
}

/** The field form of an access list (EIP-2930). */
export function accessListItem(accessList: readonly AccessListEntry[]): RlpItem {
  return accessList.map((entry) => [entry.address, entry.storageKeys]);
}

/** The authorizations of an EIP-7702 field. Throws {@link InvalidTransactionError}. */
export function readAuthorizations(items: readonly RlpItem[]): Authorization[] {
  return items.map((item) => {
    const fields = new FieldReader(item, 6, 'an authorization');
    return {
      chainId: fields.integer('authorization chain id'),
      address: fields.fixed('authorization address', 20),
      nonce: fields.integer('authorization nonce', 8),
      yParity: fields.integer('authorization y parity', 1),
      r: fields.integer('authorization r'),
      s: fields.integer('authorization s'),
    };
  });
}

/** The field form of authorizations (EIP-7702). */
export function authorizationsItem(authorizations: readonly Authorization[]): RlpItem {
  return authorizations.map((authorization) => [
    bigIntToBytes(authorization.chainId),
    authorization.address,
    bigIntToBytes(authorization.nonce),
    bigIntToBytes(authorization.yParity),
    bigIntToBytes(authorization.r),
    bigIntToBytes(authorization.s),
  ]);
}
