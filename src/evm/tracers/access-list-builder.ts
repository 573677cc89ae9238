// Puts together the access list of a block (EIP-7928) from what its parts looked at, and the states around them.

import { compareBytes, equalBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { AccountAccess, BlockAccessList, IndexedChange } from '../../protocol/block-access-list.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { AccessedAccount } from './access-recorder.ts';

/** A state that is read. */
export type ReadableState = Pick<Overlay, 'account' | 'storageAt'>;

interface GrowingAccess {
  readonly address: Uint8Array;
  readonly slots: Map<string, { readonly slot: Uint8Array; readonly changes: IndexedChange<Uint8Array>[] }>;
  readonly balanceChanges: IndexedChange<bigint>[];
  readonly nonceChanges: IndexedChange<bigint>[];
  readonly codeChanges: IndexedChange<Uint8Array>[];
}

const NO_CODE = new Uint8Array(0);

/** The parts of a block are added in their order. */
export class AccessListBuilder {
  readonly #accounts = new Map<string, GrowingAccess>();

  /** Adds what a part of the block looked at, with the states before and after it. */
  add(index: number, accessed: Iterable<AccessedAccount>, before: ReadableState, after: ReadableState): void {
    for (const { address, slots } of accessed) {
      const account = this.#accountOf(address);
      const [old, now] = [before.account(address), after.account(address)];
      const balance = now?.balance ?? 0n;
      const nonce = now?.nonce ?? 0n;
      const code = now?.code.bytes ?? NO_CODE;
      if (balance !== (old?.balance ?? 0n)) account.balanceChanges.push({ index, value: balance });
      if (nonce !== (old?.nonce ?? 0n)) account.nonceChanges.push({ index, value: nonce });
      if (!equalBytes(code, old?.code.bytes ?? NO_CODE)) account.codeChanges.push({ index, value: code });
      for (const [key, slot] of slots) {
        const known = account.slots.get(key) ?? { slot, changes: [] };
        account.slots.set(key, known);
        const value = after.storageAt(address, slot);
        if (!equalBytes(value, before.storageAt(address, slot))) known.changes.push({ index, value });
      }
    }
  }

  /** Returns the list in its order. */
  list(): BlockAccessList {
    return Array.from(this.#accounts.values())
      .sort((one, other) => compareBytes(one.address, other.address))
      .map(accessOf);
  }

  #accountOf(address: Uint8Array): GrowingAccess {
    const key = hexKey(address);
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const account: GrowingAccess = {
      address,
      slots: new Map(),
      balanceChanges: [],
      nonceChanges: [],
      codeChanges: [],
    };
    this.#accounts.set(key, account);
    return account;
  }
}

function accessOf({ slots, ...account }: GrowingAccess): AccountAccess {
  const sorted = Array.from(slots.values()).sort((one, other) => compareBytes(one.slot, other.slot));
  return {
    ...account,
    storageChanges: sorted.filter(({ changes }) => changes.length > 0),
    storageReads: sorted.filter(({ changes }) => changes.length === 0).map(({ slot }) => slot),
  };
}
