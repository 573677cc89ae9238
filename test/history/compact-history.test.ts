import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { COMPACT_HISTORY_LIMITS, CompactHistory } from '../../src/history/compact-history.ts';
import { FullHistory } from '../../src/history/full-history.ts';
import { StateArchive } from '../../src/history/state-archive.ts';
import type { StateHistory } from '../../src/history/state-history.ts';
import { bigIntToBytes, bigIntToFixedBytes } from '../../src/primitives/bytes.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { finish } from '../../src/primitives/steps.ts';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { codeOf } from '../../src/state/account.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { WorldState } from '../../src/state/world-state.ts';
import { stateOf } from '../storage/samples.ts';
import { countTurns } from '../support/turns.ts';

const LIMITS = { recent: 3, spacing: 8, changes: 25 };

const ADDRESSES = Array.from({ length: 5 }, (_, index) => bigIntToFixedBytes(BigInt(0xa0 + index), 20));
const CODES = [1, 2, 3, 4, 5, 6, 7, 8].map((byte) => codeOf(Uint8Array.of(byte, byte)));

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
}

/** The changes of the state in a block. */
type Change =
  | { readonly kind: 'balance'; readonly account: number; readonly value: number }
  | { readonly kind: 'nonce'; readonly account: number; readonly value: number }
  | { readonly kind: 'code'; readonly account: number; readonly value: number }
  | { readonly kind: 'slot'; readonly account: number; readonly slot: number; readonly value: number }
  | { readonly kind: 'delete'; readonly account: number };

const account = fc.nat({ max: ADDRESSES.length - 1 });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('balance' as const), account, value: fc.nat() }),
  fc.record({ kind: fc.constant('nonce' as const), account, value: fc.nat({ max: 300 }) }),
  fc.record({ kind: fc.constant('code' as const), account, value: fc.nat({ max: CODES.length - 1 }) }),
  fc.record({
    kind: fc.constant('slot' as const),
    account,
    slot: fc.nat({ max: 3 }),
    value: fc.oneof(fc.constant(0), fc.nat()),
  }),
  fc.record({ kind: fc.constant('delete' as const), account }),
);

function changed(state: WorldState, changes: readonly Change[]): WorldState {
  const overlay = new Overlay(state);
  for (const made of changes) {
    const address = ADDRESSES[made.account] ?? new Uint8Array(20);
    const { nonce, balance } = overlay.account(address) ?? { nonce: 0n, balance: 0n };
    if (made.kind === 'delete') overlay.deleteAccount(address);
    else if (made.kind === 'balance') overlay.setAccount(address, { nonce, balance: BigInt(made.value) });
    else if (made.kind === 'nonce') overlay.setAccount(address, { nonce: BigInt(made.value), balance });
    else if (made.kind === 'code') overlay.setCode(address, CODES[made.value]?.bytes ?? new Uint8Array(0));
    else
      overlay.setStorage(
        address,
        bigIntToFixedBytes(BigInt(made.slot), 32),
        bigIntToBytes(BigInt(made.value)),
      );
  }
  return overlay.toWorldState();
}

/** The visible contents of a state. */
function contentsOf(state: WorldState): unknown {
  return [
    toHex(state.root),
    Array.from(state.accounts(), ({ address, nonce, balance, code }) => [
      toHex(address),
      nonce,
      balance,
      toHex(code.bytes),
      [0, 1, 2, 3].map((slot) => toHex(state.storageAt(address, bigIntToFixedBytes(BigInt(slot), 32)))),
    ]),
  ];
}

/** Maximum number of slots per account in the difference of two states. */
function slotsOf(state: WorldState | undefined, before: WorldState | undefined, most: number): number {
  const differences = state?.differencesFrom(before ?? WorldState.empty(), most) ?? [];
  return Math.max(...Array.from(differences, ({ becomes }) => becomes?.storage.length ?? 0));
}

/** Compares the changes of each block with its states. Returns the number of blocks with known changes. */
function expectChanges(history: StateHistory, states: readonly WorldState[], from: number): number {
  const walk = history.walk();
  let known = 0;
  for (let index = from; index < states.length; index++) {
    const changes = finish(walk.changes(index));
    if (changes === null) continue;
    known++;
    const [below, state] = [states[index - 1], states[index]];
    expect(changes).toEqual(Array.from(state?.differencesFrom(below ?? WorldState.empty()) ?? []));
  }
  return known;
}

/** An action on a history and on the list of expected states. */
type Step =
  | { readonly kind: 'push'; readonly blocks: readonly (readonly Change[])[] }
  | { readonly kind: 'drop'; readonly at: number }
  | { readonly kind: 'replace'; readonly at: number; readonly changes: readonly Change[] }
  | { readonly kind: 'read'; readonly at: number };

const at = fc.double({ min: 0, max: 1, noNaN: true });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('push' as const),
      blocks: fc.array(fc.array(change, { maxLength: 4 }), { minLength: 1, maxLength: 30 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), at }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('replace' as const),
      at,
      changes: fc.array(change, { maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('read' as const), at }) },
);

describe.each([
  ['compact', () => new CompactHistory(LIMITS)],
  ['full', () => new FullHistory()],
] as const)('a %s history', (_name, create: () => StateHistory) => {
  it('returns every state after any pushes, drops and replacements', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
        const history = create();
        const states = [stateOf(1)];
        history.push(stateOf(1));
        for (const done of steps) {
          const index = 'at' in done ? Math.floor(done.at * (states.length - 1)) : 0;
          if (done.kind === 'push') {
            for (const changes of done.blocks) {
              const next = changed(states.at(-1) ?? WorldState.empty(), changes);
              states.push(next);
              history.push(next);
            }
          } else if (done.kind === 'drop') {
            states.length = index + 1;
            history.drop(index + 1);
          } else if (done.kind === 'replace') {
            const other = changed(states[index] ?? WorldState.empty(), done.changes);
            states[index] = other;
            history.replace(index, other);
          } else {
            expect(contentsOf(history.at(index))).toEqual(contentsOf(states[index] ?? WorldState.empty()));
          }
        }
        for (const [index, state] of states.entries()) {
          expect(contentsOf(history.at(index))).toEqual(contentsOf(state));
          if (history.isUnchanged(index))
            expect(contentsOf(history.at(index - 1))).toEqual(contentsOf(state));
        }
        expect(() => history.at(states.length)).toThrow(RangeError);
        expectChanges(history, states, Math.floor(states.length / 3));
        expectChanges(history, states, 0);
        const walk = history.walk();
        for (const [index, state] of states.entries())
          expect(contentsOf(finish(walk.state(index)))).toEqual(contentsOf(state));
      }),
      { numRuns: 150 },
    );
  });
});

describe('a compact history', () => {
  it('returns the changes of old blocks without computing their states', () => {
    const history = new CompactHistory(LIMITS);
    const states = [stateOf(1)];
    for (let index = 1; index < 60; index++)
      states.push(
        changed(states[index - 1] ?? stateOf(1), [{ kind: 'balance', account: index % 5, value: index }]),
      );
    for (const state of states) history.push(state);
    const applied = vi.spyOn(WorldState.prototype, 'apply');
    const known = expectChanges(history, states, 0);
    expect(applied).not.toHaveBeenCalled();
    applied.mockRestore();
    // The first state and the newest states are full, and have no difference.
    expect(known).toBe(states.length - 1 - LIMITS.recent + 1);
  });

  it('yields while it computes a state with many fewer accounts', async () => {
    const history = new CompactHistory({ ...LIMITS, spacing: 64, changes: 10_000 });
    const overlay = new Overlay(stateOf(1));
    const roots: string[] = [];
    for (let index = 0; index < 80; index++) {
      for (let count = 0; count < 50; count++)
        overlay.setAccount(bigIntToFixedBytes(BigInt(index * 100 + count), 20), { nonce: 1n, balance: 1n });
      const state = overlay.toWorldState();
      roots.push(toHex(state.root));
      history.push(state);
    }
    const { result, turns } = await countTurns(async () => runTask(history.walk().state(1), new TimeSlice()));
    expect(toHex(result.root)).toBe(roots[1]);
    // An account takes 1,536 of the 2^18 work units of a time slice; its removal takes 1,024 of them.
    expect(turns).toBeGreaterThanOrEqual(15);
  });

  it('yields while it walks over blocks with many changes', async () => {
    const history = new CompactHistory({ ...LIMITS, spacing: 64, changes: 10_000 });
    const overlay = new Overlay(stateOf(1));
    for (let index = 0; index < 80; index++) {
      for (let slot = 0; slot < 100; slot++)
        overlay.setStorage(
          ADDRESSES[0] ?? new Uint8Array(20),
          bigIntToFixedBytes(BigInt(slot), 32),
          Uint8Array.of(1 + index),
        );
      history.push(overlay.toWorldState());
    }
    const { result, turns } = await countTurns(async () =>
      runTask(history.walk().changes(1), new TimeSlice()),
    );
    expect(result).toHaveLength(1);
    // A slot takes 512 of the 2^18 work units of a time slice.
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it('reports an old state as unchanged if its block changed nothing', () => {
    const history = new CompactHistory(LIMITS);
    const state = stateOf(1);
    for (let index = 0; index < 30; index++) history.push(index === 9 ? stateOf(2) : state);
    const changedAt = Array.from({ length: 30 }, (_, index) => index).filter(
      (index) => index > 0 && !history.isUnchanged(index),
    );
    expect(changedAt).toEqual(expect.arrayContaining([9, 10]));
    // A full state is not compared with a full state above it.
    expect(changedAt.filter((index) => index % LIMITS.spacing > 2)).toEqual([]);
  });

  it('stops the comparison of two states at the limit of changes', () => {
    const history = new CompactHistory({ ...LIMITS, spacing: 16 });
    const states: WorldState[] = [];
    const overlay = new Overlay(stateOf(1));
    for (let index = 0; index < 100; index++) {
      for (let slot = 0; slot < 50; slot++) {
        const key = bigIntToFixedBytes(BigInt(index * 100 + slot), 32);
        overlay.setStorage(ADDRESSES[0] ?? new Uint8Array(20), key, Uint8Array.of(1));
      }
      states.push(overlay.toWorldState());
    }
    const differences = vi.spyOn(WorldState.prototype, 'differencesFrom');
    for (const state of states) history.push(state);
    const limits = differences.mock.calls.map(([, maxSlots]) => maxSlots ?? 0);
    differences.mockRestore();
    // One change above the limit shows that there are too many.
    expect(limits.length).toBeGreaterThan(50);
    expect(Math.max(...limits)).toBe(LIMITS.changes + 1);
    expect(slotsOf(states[90], states[1], 21)).toBe(21);
    for (const index of [1, 16, 17, 40]) {
      expect(toHex(history.at(index).root)).toBe(toHex(states[index]?.root ?? new Uint8Array()));
    }
  });

  it('computes a state from at most the limit of changes', () => {
    const history = new CompactHistory({ ...LIMITS, spacing: 64, changes: 100 });
    const states: WorldState[] = [];
    const overlay = new Overlay(stateOf(1));
    for (let index = 0; index < 200; index++) {
      for (let slot = 0; slot < index % 23; slot++) {
        const key = bigIntToFixedBytes(BigInt(index * 100 + slot), 32);
        overlay.setStorage(ADDRESSES[0] ?? new Uint8Array(20), key, Uint8Array.of(1));
      }
      const state = overlay.toWorldState();
      states.push(state);
      history.push(state);
    }
    const most = 100;
    for (let index = 0; index < states.length; index += 37) {
      const apply = vi.spyOn(WorldState.prototype, 'apply');
      const state = history.at(index);
      const updated = apply.mock.calls.flatMap(([{ updated: accounts }]) => Array.from(accounts));
      apply.mockRestore();
      expect(
        updated.reduce((sum, { storage }) => sum + 1 + Array.from(storage).length, 0),
      ).toBeLessThanOrEqual(most);
      expect(toHex(state.root)).toBe(toHex(states[index]?.root ?? new Uint8Array()));
    }
  });

  it('computes a state of a busy chain from few changes and without account lookups', () => {
    const history = new CompactHistory({ ...COMPACT_HISTORY_LIMITS, recent: 8 });
    const states: WorldState[] = [];
    const overlay = new Overlay(stateOf(1));
    const blocks = 8 * COMPACT_HISTORY_LIMITS.spacing;
    for (let index = 0, next = 0; index < blocks; index++) {
      for (let account = 0; account < 10; account++, next += 7_919)
        overlay.setAccount(bigIntToFixedBytes(BigInt(1 + (next % 2_000)), 20), {
          nonce: BigInt(index),
          balance: BigInt(next),
        });
      const state = overlay.toWorldState();
      if (index % 101 === 1) states[index] = state;
      history.push(state);
    }
    const counts = states.map((expected, index) => {
      const [apply, account] = [
        vi.spyOn(WorldState.prototype, 'apply'),
        vi.spyOn(WorldState.prototype, 'account'),
      ];
      const state = history.at(index);
      const updates = apply.mock.calls.map(([{ updated }]) => Array.from(updated).length);
      expect(account).not.toHaveBeenCalled();
      apply.mockRestore();
      account.mockRestore();
      expect(toHex(state.root)).toBe(toHex(expected.root));
      return updates.reduce((sum, count) => sum + count, 0);
    });
    const most = Math.max(...counts.filter((count) => count !== undefined));
    expect(most).toBeGreaterThan(2_000);
    expect(most).toBeLessThanOrEqual(2_560);
  });

  it('archives a state once, even if the states above it are dropped repeatedly', () => {
    const archive = vi.spyOn(StateArchive.prototype, 'archive');
    const history = new CompactHistory(LIMITS);
    const many = Array.from({ length: 1_000 }, (_, index) => 0x1000 + index);
    const large = WorldState.empty().apply({
      updated: many.map((address) => ({
        address: bigIntToFixedBytes(BigInt(address), 20),
        nonce: 1n,
        balance: 1n,
        code: null,
        clearsStorage: false,
        storage: [],
      })),
      deleted: [],
    });
    const eighth = changed(large, [{ kind: 'balance', account: 0, value: 1 }]);
    for (let index = 0; index < 12; index++)
      history.push(index < 8 ? stateOf(1) : index === 8 ? eighth : large);
    for (let reverts = 0; reverts < 30; reverts++) {
      history.push(large);
      history.push(large);
      history.drop(12);
    }
    expect(archive.mock.calls.filter(([state]) => state === eighth)).toHaveLength(1);
    expect(history.at(8)).not.toBe(eighth);
    expect(contentsOf(history.at(8))).toEqual(contentsOf(eighth));
    archive.mockRestore();
  });

  it('frees the codes that only dropped states use', async () => {
    const history = new CompactHistory(LIMITS);
    const codes: WeakRef<object>[] = [];
    const push = (account: number, code: number): void => {
      const overlay = new Overlay(stateOf(1));
      const address = ADDRESSES[account] ?? new Uint8Array(20);
      overlay.setCode(address, bigIntToFixedBytes(BigInt(code), 8));
      const state = overlay.toWorldState();
      codes.push(new WeakRef(state.account(address)?.code ?? {}));
      history.push(state);
    };
    for (let index = 0; index < 12; index++) push(0, index);
    const kept = history.at(9);
    for (let round = 1; round <= 20; round++) {
      for (let index = 0; index < 24; index++) push(index % 2, 1_000 * round + index);
      history.drop(12);
    }
    // The target of a weak reference stays until the current task ends.
    await nextIteration();
    collectGarbage();
    expect(codes.filter((code) => code.deref() !== undefined).length).toBeLessThanOrEqual(12);
    expect(contentsOf(history.at(9))).toEqual(contentsOf(kept));
  });

  it('keeps the codes of a dropped state that is still read', () => {
    const history = new CompactHistory(LIMITS);
    const pushCodes = (first: number): void => {
      for (let index = 0; index < 24; index++) {
        const overlay = new Overlay(stateOf(1));
        ADDRESSES.forEach((address, account) => {
          overlay.setCode(address, bigIntToFixedBytes(BigInt(first + 100 * index + account), 8));
        });
        history.push(overlay.toWorldState());
      }
    };
    pushCodes(1);
    const expected = contentsOf(history.at(8));
    const [read, later] = [history.at(8), history.at(4)];
    const other = contentsOf(history.at(4));
    history.drop(1);
    pushCodes(1_000_000);
    expect(contentsOf(read)).toEqual(expected);
    expect(contentsOf(later)).toEqual(other);
  });

  it('keeps a state in full if its block has too many changes or the state is unknown', () => {
    const history = new CompactHistory(LIMITS);
    const slots = new Overlay(stateOf(1));
    for (let slot = 1n; slot < 5_000n; slot++)
      slots.setStorage(ADDRESSES[0] ?? new Uint8Array(20), bigIntToFixedBytes(slot, 32), Uint8Array.of(1));
    const large = slots.toWorldState();
    const unknown = WorldState.unknown();
    const states = [stateOf(1), stateOf(2), large, stateOf(3), unknown, stateOf(4), stateOf(5)];
    for (const state of states) history.push(state);
    for (let index = 0; index < 20; index++) history.push(stateOf(6));
    expect(history.at(2)).toBe(large);
    expect(history.at(4)).toBe(unknown);
    expect(contentsOf(history.at(1))).toEqual(contentsOf(stateOf(2)));
    expect(contentsOf(history.at(3))).toEqual(contentsOf(stateOf(3)));
  });
});
