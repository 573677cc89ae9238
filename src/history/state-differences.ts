// Differences between states as off-heap bytes.

import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES } from '../primitives/bytes.ts';
import { RecordSlabs } from '../primitives/off-heap.ts';
import { decodeRlp, encodeRlp, type RlpItem } from '../primitives/rlp.ts';
import type { AccountUpdate, StorageChange } from '../state/account.ts';
import type { AccountDifference } from '../state/account-differences.ts';
import { CodeIndex } from './state-archive.ts';

/** A place in the slabs, {@link NO_DIFFERENCE}, or a difference that is too long for the slabs. */
export type Difference = number | Uint8Array;

/** The difference of equal states. */
export const NO_DIFFERENCE = -1;

/** A stored difference, and its number of accounts and slots. */
export interface StoredDifference {
  readonly difference: Difference;
  readonly changes: number;
}

export interface DifferenceChanges {
  readonly updated: readonly (AccountUpdate & { readonly storage: readonly StorageChange[] })[];
  readonly deleted: readonly Uint8Array[];
}

/** Differences of the states of one chain. */
export class StateDifferences {
  /** The codes of accounts. Differences refer to them by index. Can be replaced by a copy. */
  codes = new CodeIndex();
  /** Created on first use, because most forks need none. */
  #slabs: RecordSlabs | undefined;

  /** Stores the diff that leads to the state at an index; returns `null` above `most` accounts and slots. */
  add(index: number, differences: Iterable<AccountDifference>, most: number): StoredDifference | null {
    this.codes.index = index;
    const accounts: RlpItem[] = [];
    let changes = 0;
    for (const { address, becomes } of differences) {
      changes += 1 + (becomes?.storage.length ?? 0);
      if (changes > most) return null;
      if (becomes === null) {
        accounts.push([address]);
        continue;
      }
      const { nonce, balance, code, storage } = becomes;
      const slots = storage.flatMap(({ slot, value }) => [slot, value]);
      const codeIndex = code === null ? EMPTY_BYTES : bigIntToBytes(BigInt(1 + this.codes.indexOf(code)));
      accounts.push([address, bigIntToBytes(nonce), bigIntToBytes(balance), codeIndex, slots]);
    }
    return { difference: accounts.length === 0 ? NO_DIFFERENCE : this.#kept(encodeRlp(accounts)), changes };
  }

  #kept(difference: Uint8Array): Difference {
    if (difference.length > RecordSlabs.MAX_BYTES) return difference;
    this.#slabs ??= new RecordSlabs();
    return this.#slabs.add('', difference);
  }

  remove(difference: Difference): void {
    if (typeof difference === 'number' && difference !== NO_DIFFERENCE) this.#slabs?.remove(difference);
  }

  /** Returns the changes that lead from the source state to the other. */
  changes(difference: Difference): DifferenceChanges {
    const updated: DifferenceChanges['updated'][number][] = [];
    const deleted: Uint8Array[] = [];
    if (difference === NO_DIFFERENCE) return { updated, deleted };
    const encoded = typeof difference === 'number' ? this.#slabs?.read(difference) : difference;
    if (encoded === undefined) throw new RangeError(`there is no difference of states at ${difference}`);
    for (const account of listAt([decodeRlp(encoded)], 0)) {
      const fields = listAt([account], 0);
      const address = bytesAt(fields, 0).slice();
      if (fields.length === 1) {
        deleted.push(address);
        continue;
      }
      const codeIndex = Number(bytesToBigInt(bytesAt(fields, 3)));
      const slots = listAt(fields, 4);
      updated.push({
        address,
        nonce: bytesToBigInt(bytesAt(fields, 1)),
        balance: bytesToBigInt(bytesAt(fields, 2)),
        code: codeIndex === 0 ? null : this.codes.at(codeIndex - 1),
        clearsStorage: false,
        storage: Array.from({ length: slots.length / 2 }, (_, index) => ({
          slot: bytesAt(slots, 2 * index).slice(),
          value: bytesAt(slots, 2 * index + 1).slice(),
        })),
      });
    }
    return { updated, deleted };
  }
}

function bytesAt(items: readonly RlpItem[], index: number): Uint8Array {
  const item = items[index];
  if (item instanceof Uint8Array) return item;
  throw new TypeError('a difference of states contains a list instead of bytes');
}

function listAt(items: readonly RlpItem[], index: number): readonly RlpItem[] {
  const item = items[index];
  if (item !== undefined && !(item instanceof Uint8Array)) return item;
  throw new TypeError('a difference of states contains bytes instead of a list');
}
