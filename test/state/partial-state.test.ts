import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_BYTES } from '../../src/primitives/bytes.ts';
import { hexKey } from '../../src/primitives/hex.ts';
import { type Account, codeOf, EMPTY_CODE } from '../../src/state/account.ts';
import { UnprovableStateError } from '../../src/state/errors.ts';
import { Overlay } from '../../src/state/overlay.ts';
import type { StateSource } from '../../src/state/state-source.ts';
import { MissingStateError } from '../../src/state/state-source.ts';
import { WorldState } from '../../src/state/world-state.ts';

const ADDRESSES = [1, 2, 3].map((byte) => new Uint8Array(20).fill(byte));
const SLOTS = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte));

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`there is nothing at ${index}`);
  return item;
}

const CONTRACT = at(ADDRESSES, 0);
const PERSON = at(ADDRESSES, 1);
const NOBODY = at(ADDRESSES, 2);
const SLOT = at(SLOTS, 0);

/** A state with a contract, whose slots are 7, and an account without code. */
function wholeState(): WorldState {
  const storage = SLOTS.map((slot) => ({ slot, value: Uint8Array.of(7) }));
  const contract = { address: CONTRACT, nonce: 1n, balance: 5n, code: codeOf(Uint8Array.of(0x5f)) };
  const person = { address: PERSON, nonce: 3n, balance: 9n, code: EMPTY_CODE };
  return WorldState.empty().apply({
    updated: [
      { ...contract, clearsStorage: true, storage },
      { ...person, clearsStorage: true, storage: [] },
    ],
    deleted: [],
  });
}

/** A source with synchronous access to all values. */
function sourceOf(state: WorldState): StateSource {
  const source: StateSource = {
    account(address) {
      const account = state.account(address);
      return account === undefined ? undefined : { ...account, storage: null, storageSource: source };
    },
    storageAt: (address, slot) => state.storageAt(address, slot),
    blockHash: (number) => new Uint8Array(32).fill(number),
  };
  return source;
}

function partial(): WorldState {
  return WorldState.beginningWith(sourceOf(wholeState()));
}

function changed(state: WorldState, change: (overlay: Overlay) => void): WorldState {
  const overlay = new Overlay(state);
  change(overlay);
  return overlay.toWorldState();
}

describe('state over a source', () => {
  it('a state over a source reads unwritten accounts, code and storage from the source', () => {
    const state = partial();
    expect(state.account(PERSON)).toMatchObject({ nonce: 3n, balance: 9n });
    expect(state.account(CONTRACT)?.code.bytes).toEqual(Uint8Array.of(0x5f));
    expect(state.storageAt(CONTRACT, SLOT)).toEqual(Uint8Array.of(7));
    expect(state.account(NOBODY)).toBeUndefined();
  });

  it('a state over a source keeps unwritten fields and slots of a written account', () => {
    const state = changed(partial(), (overlay) => {
      overlay.setAccount(CONTRACT, { nonce: 2n, balance: 6n });
      overlay.setStorage(CONTRACT, SLOT, Uint8Array.of(8));
    });
    expect(state.account(CONTRACT)).toMatchObject({ nonce: 2n, balance: 6n });
    expect(state.account(CONTRACT)?.code.bytes).toEqual(Uint8Array.of(0x5f));
    expect(state.storageAt(CONTRACT, SLOT)).toEqual(Uint8Array.of(8));
    expect(state.storageAt(CONTRACT, at(SLOTS, 1))).toEqual(Uint8Array.of(7));
  });

  it('a state over a source keeps a slot that was set to zero', () => {
    const state = changed(partial(), (overlay) => overlay.setStorage(CONTRACT, SLOT, EMPTY_BYTES));
    expect(state.storageAt(CONTRACT, SLOT)).toEqual(EMPTY_BYTES);
    expect(new Overlay(state).storageAt(CONTRACT, SLOT)).toEqual(EMPTY_BYTES);
    expect(state.storageAt(CONTRACT, at(SLOTS, 1))).toEqual(Uint8Array.of(7));
  });

  it('a state over a source keeps an account deleted and recreates it empty', () => {
    const gone = changed(partial(), (overlay) => overlay.deleteAccount(CONTRACT));
    expect(gone.account(CONTRACT)).toBeUndefined();
    expect(gone.storageAt(CONTRACT, SLOT)).toEqual(EMPTY_BYTES);
    expect([...gone.accounts()]).toEqual([]);
    const again = changed(gone, (overlay) => overlay.setAccount(CONTRACT, { nonce: 1n, balance: 0n }));
    expect(again.account(CONTRACT)?.code.bytes).toEqual(EMPTY_BYTES);
    expect(again.storageAt(CONTRACT, SLOT)).toEqual(EMPTY_BYTES);
  });

  it('a state over a source hides the storage of the source after an account is cleared', () => {
    const state = changed(partial(), (overlay) => overlay.clearStorage(CONTRACT));
    expect(state.account(CONTRACT)?.nonce).toBe(1n);
    expect(state.storageAt(CONTRACT, SLOT)).toEqual(EMPTY_BYTES);
  });

  it('a state over a source has a root that depends on writes and not on reads', () => {
    const read = partial();
    for (const address of ADDRESSES) read.account(address);
    const write = (overlay: Overlay): void => overlay.setAccount(PERSON, { nonce: 4n, balance: 1n });
    expect(changed(read, write).root).toEqual(changed(partial(), write).root);
  });

  it('a state over a source rejects proofs', () => {
    expect(() => partial().accountProof(PERSON)).toThrow(UnprovableStateError);
    expect(() => partial().storageProof(CONTRACT, SLOT)).toThrow(UnprovableStateError);
  });

  it('a state over a source reads a slot without its account and throws for unfetched accounts', () => {
    const elsewhere: StateSource = {
      account: () => {
        throw new MissingStateError(async () => {});
      },
      storageAt: () => Uint8Array.of(3),
      blockHash: () => new Uint8Array(32),
    };
    const state = WorldState.beginningWith(elsewhere);
    expect(state.storageAt(CONTRACT, SLOT)).toEqual(Uint8Array.of(3));
    expect(() => state.account(CONTRACT)).toThrow(MissingStateError);
    expect(() => new Overlay(state).account(CONTRACT)).toThrow(MissingStateError);
  });

  it('a state over a source matches a complete state through random changes', () => {
    const address = fc.constantFrom(...ADDRESSES);
    const slot = fc.constantFrom(...SLOTS);
    const change = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), address, balance: fc.bigInt(0n, 9n) }),
      fc.record({ kind: fc.constant('delete' as const), address }),
      fc.record({ kind: fc.constant('clear' as const), address }),
      fc.record({ kind: fc.constant('code' as const), address, byte: fc.nat(255) }),
      fc.record({ kind: fc.constant('store' as const), address, slot, value: fc.nat(3) }),
      fc.record({ kind: fc.constant('seal' as const) }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const overlays = [new Overlay(wholeState()), new Overlay(partial())] as const;
        for (const overlay of overlays) {
          for (const one of changes) {
            if (one.kind === 'set') overlay.setAccount(one.address, { nonce: 1n, balance: one.balance });
            else if (one.kind === 'delete') overlay.deleteAccount(one.address);
            else if (one.kind === 'clear') overlay.clearStorage(one.address);
            else if (one.kind === 'code') overlay.setCode(one.address, Uint8Array.of(one.byte));
            else if (one.kind === 'store') {
              overlay.setStorage(
                one.address,
                one.slot,
                one.value === 0 ? EMPTY_BYTES : Uint8Array.of(one.value),
              );
            } else overlay.toWorldState();
          }
        }
        const [whole, over] = overlays.map((overlay) => facts(overlay.toWorldState()));
        expect(over).toEqual(whole);
      }),
    );
  });
});

function facts(state: WorldState): unknown {
  return ADDRESSES.map((address) => {
    const account: Account | undefined = state.account(address);
    const slots = SLOTS.map((slot) => hexKey(state.storageAt(address, slot)));
    return account === undefined
      ? { slots }
      : { nonce: account.nonce, balance: account.balance, code: hexKey(account.code.hash), slots };
  });
}
