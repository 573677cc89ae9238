import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../../src/state/account.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { StateStore } from '../../../src/state/state-store.ts';
import { trieValues } from '../../../src/state/trie/trie.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { addressOf, slotOf } from '../samples.ts';
import { MemoryRecords } from './memory-records.ts';

type Change =
  | { readonly kind: 'account'; readonly account: number; readonly balance: bigint }
  | { readonly kind: 'code'; readonly account: number; readonly size: number }
  | { readonly kind: 'slot'; readonly account: number; readonly slot: number; readonly value: number }
  | { readonly kind: 'delete'; readonly account: number };

const account = fc.integer({ min: 0, max: 12 });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('account' as const), account, balance: fc.bigInt(0n, 2n ** 100n) }),
  fc.record({ kind: fc.constant('code' as const), account, size: fc.integer({ min: 0, max: 40 }) }),
  fc.record({
    kind: fc.constant('slot' as const),
    account,
    slot: fc.integer({ min: 0, max: 20 }),
    value: fc.integer({ min: 0, max: 255 }),
  }),
  fc.record({ kind: fc.constant('delete' as const), account }),
);

function apply(before: WorldState, changes: readonly Change[]): WorldState {
  const overlay = new Overlay(before);
  for (const item of changes) {
    const address = addressOf(item.account);
    if (item.kind === 'account') overlay.setAccount(address, { nonce: 1n, balance: item.balance });
    else if (item.kind === 'code') overlay.setCode(address, new Uint8Array(item.size).fill(item.account));
    else if (item.kind === 'delete') overlay.deleteAccount(address);
    else
      overlay.setStorage(
        address,
        slotOf(item.slot),
        item.value === 0 ? new Uint8Array(0) : Uint8Array.of(item.value),
      );
  }
  return overlay.toWorldState();
}

/** The content of a state as plain values. */
function contentOf(state: WorldState): unknown {
  return Array.from(state.accounts(), ({ address, nonce, balance, code, storage }) => ({
    address,
    nonce,
    balance,
    code: { bytes: code.bytes, hash: code.hash },
    storage: [...trieValues(storage)],
  }));
}

/** The differences of two states as plain values. */
function differences(before: WorldState, after: WorldState): unknown {
  return Array.from(after.differencesFrom(before), ({ address, becomes }) => ({
    address,
    becomes: becomes && { ...becomes, code: becomes.code?.bytes },
  }));
}

const history = fc.array(fc.array(change, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 });

describe('StateStore', () => {
  it('opens every state of a history by its root', () => {
    fc.assert(
      fc.property(history, (blocks) => {
        const records = new MemoryRecords();
        const store = new StateStore(records);
        let state = WorldState.empty();
        const kept = blocks.map((changes) => {
          state = apply(state, changes);
          return { state, root: store.keep(state) };
        });
        const other = new StateStore(records);
        for (const { state: expected, root } of kept) {
          const opened = other.open(root);
          expect(opened.root).toEqual(expected.root);
          expect(contentOf(opened)).toEqual(contentOf(expected));
          for (let number = 0; number <= 12; number++) {
            const address = addressOf(number);
            expect(opened.accountProof(address)).toEqual(expected.accountProof(address));
            expect(opened.storageProof(address, slotOf(1))).toEqual(
              expected.storageProof(address, slotOf(1)),
            );
          }
        }
      }),
    );
  });

  it('applies changes and computes differences as for unstored states', () => {
    fc.assert(
      fc.property(history, fc.array(change, { maxLength: 8 }), (blocks, last) => {
        const records = new MemoryRecords();
        const before = blocks.reduce(apply, WorldState.empty());
        const after = apply(before, last);
        const store = new StateStore(records);
        const opened = new StateStore(records).open(store.keep(before));
        expect(apply(opened, last).root).toEqual(after.root);

        store.keep(after);
        const openedAfter = new StateStore(records).open(after.root);
        expect(differences(opened, openedAfter)).toEqual(differences(before, after));
      }),
    );
  });

  it('does not read equal nodes during a comparison', () => {
    const records = new MemoryRecords();
    const store = new StateStore(records);
    const many = Array.from(
      { length: 500 },
      (_, index): Change => ({ kind: 'account', account: index, balance: 1n }),
    );
    const before = apply(WorldState.empty(), many);
    const after = apply(before, [{ kind: 'account', account: 3, balance: 2n }]);
    const [first, second] = [store.keep(before), store.keep(after)];
    const other = new StateStore(records);
    records.reads = 0;
    expect(Array.from(other.open(second).differencesFrom(other.open(first)))).toHaveLength(1);
    expect(records.reads).toBeLessThan(12);
    records.reads = 0;
    expect(Array.from(other.open(second).differencesFrom(other.open(second)))).toEqual([]);
    expect(records.reads).toBe(0);
  });

  it('reads code on access and writes it once', () => {
    const records = new MemoryRecords();
    const store = new StateStore(records);
    const code = new Uint8Array(100).fill(5);
    const overlay = new Overlay(WorldState.empty());
    overlay.setCode(addressOf(1), code);
    const root = store.keep(overlay.toWorldState());
    const hash = codeOf(code).hash;
    const opened = new StateStore(records).open(root).account(addressOf(1));
    records.reads = 0;
    expect(opened?.code.hash).toEqual(hash);
    expect(records.reads).toBe(0);
    expect(opened?.code.bytes).toEqual(code);
    expect(records.reads).toBe(1);
    expect([...records.records.keys()].filter((key) => key.startsWith('c'))).toHaveLength(1);
  });
});
