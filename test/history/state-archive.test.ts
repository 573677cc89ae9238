import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CodeIndex, StateArchive } from '../../src/history/state-archive.ts';
import { bigIntToFixedBytes, stripLeadingZeros } from '../../src/primitives/bytes.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { codeOf, type StateChanges } from '../../src/state/account.ts';
import { WorldState } from '../../src/state/world-state.ts';

function addressOf(account: number): Uint8Array {
  return bigIntToFixedBytes(BigInt(1 + account), 20);
}

function slotOf(slot: number): Uint8Array {
  return bigIntToFixedBytes(slot % 2 === 0 ? BigInt(slot) : BigInt(slot) << 240n, 32);
}

const ACCOUNTS = 200;
const SLOTS = 16;

const account = fc.nat({ max: ACCOUNTS - 1 });
const update = fc.record({
  account,
  nonce: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  balance: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })),
  code: fc.option(fc.uint8Array({ maxLength: 3 }), { freq: 2 }),
  clearsStorage: fc.boolean(),
  storage: fc.uniqueArray(
    fc.record({ slot: fc.nat({ max: SLOTS - 1 }), value: fc.uint8Array({ maxLength: 32 }) }),
    { selector: ({ slot }) => slot, maxLength: 12 },
  ),
});

/** The changes of up to 70 accounts from one state to the next. */
const changes: fc.Arbitrary<StateChanges> = fc
  .record({
    updated: fc.uniqueArray(update, { selector: (made) => made.account, maxLength: 60 }),
    deleted: fc.uniqueArray(account, { maxLength: 10 }),
  })
  .map(({ updated, deleted }) => {
    const touched = new Set(updated.map((made) => made.account));
    return {
      updated: updated.map(({ account: of, code, storage, ...rest }) => ({
        ...rest,
        address: addressOf(of),
        code: code === null ? null : codeOf(code),
        storage: storage.map(({ slot, value }) => ({ slot: slotOf(slot), value: stripLeadingZeros(value) })),
      })),
      deleted: deleted.filter((of) => !touched.has(of)).map(addressOf),
    };
  });

/** Root, proofs, accounts and storage of a state. */
function contentsOf(state: WorldState): unknown {
  return [
    toHex(state.root),
    state.accountProof(addressOf(7)).map(toHex),
    state.storageProof(addressOf(7), slotOf(3)).map(toHex),
    Array.from(state.accounts(), ({ address, nonce, balance, code }) => [
      toHex(address),
      nonce,
      balance,
      toHex(code.bytes),
      Array.from({ length: SLOTS }, (_, slot) => toHex(state.storageAt(address, slotOf(slot)))).join(),
    ]),
  ];
}

/** Archives a state without pauses. Returns its index and the number of yields. */
function archived(
  archive: StateArchive,
  state: WorldState,
  before: number | WorldState | null,
): { readonly place: number; readonly turns: number } {
  const work = archive.archive(state, before);
  for (let turns = 0; ; turns++) {
    const step = work.next();
    if (step.done === true) return { place: step.value, turns };
  }
}

describe('StateArchive', () => {
  it('opens every archived state, also after the archive is cut', () => {
    fc.assert(
      fc.property(
        fc.array(changes, { minLength: 2, maxLength: 12 }),
        fc.boolean(),
        fc.nat(),
        changes,
        (history, hasBase, cut, later) => {
          const states: WorldState[] = [];
          for (const made of history) states.push((states.at(-1) ?? WorldState.empty()).apply(made));
          const [first] = states;
          const codes = new CodeIndex();
          let archive = StateArchive.empty(codes);
          const ends: number[] = [];
          const places: number[] = [];
          for (const state of states) {
            const before = places.at(-1) ?? (hasBase ? (first ?? null) : null);
            places.push(archived(archive, state, before).place);
            ends.push(archive.end);
          }
          for (const [index, state] of states.entries()) {
            const opened = archive.open(places[index] ?? -1);
            expect(contentsOf(opened)).toEqual(contentsOf(state));
            expect(toHex(opened.apply(later).root)).toBe(toHex(state.apply(later).root));
          }
          const kept = cut % states.length;
          const held = archive.open(places.at(-1) ?? -1);
          archive = archive.until(ends[kept] ?? 0, codes.copy());
          const other = archive.open(places[kept] ?? -1).apply(later);
          const { place } = archived(archive, other, places[kept] ?? -1);
          expect(contentsOf(archive.open(place))).toEqual(
            contentsOf((states[kept] ?? WorldState.empty()).apply(later)),
          );
          expect(contentsOf(archive.open(places[kept] ?? -1))).toEqual(
            contentsOf(states[kept] ?? WorldState.empty()),
          );
          // A state that was opened before the cut stays readable.
          expect(contentsOf(held)).toEqual(contentsOf(states.at(-1) ?? WorldState.empty()));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('stores only differences from the previous state and yields', () => {
    const updated = (count: number, balance: bigint): StateChanges => ({
      updated: Array.from({ length: count }, (_, index) => ({
        address: addressOf(index * 97),
        nonce: 0n,
        balance,
        code: null,
        clearsStorage: false,
        storage: [],
      })),
      deleted: [],
    });
    const base = WorldState.empty().apply(updated(20_000, 5n));
    const archive = StateArchive.empty(new CodeIndex());
    const { place, turns } = archived(archive, base, null);
    expect(turns).toBeGreaterThan(600);
    const whole = archive.end;
    const next = base.apply(updated(10, 6n));
    const beside = archived(archive, next, place);
    expect(beside.turns).toBeLessThan(5);
    expect(archive.end - whole).toBeLessThan(whole / 100);
    expect(archived(archive, next, beside.place).place).toBe(beside.place);

    const above = StateArchive.empty(new CodeIndex());
    const opened = above.open(archived(above, next, base).place);
    expect(above.size).toBeLessThan(archive.size / 50);
    expect(toHex(opened.root)).toBe(toHex(next.root));
    expect(Array.from(opened.differencesFrom(base), ({ becomes }) => becomes?.balance)).toEqual(
      Array.from({ length: 10 }, () => 6n),
    );
  });

  it('stores only differences from a base that was derived from an archived state', () => {
    const update = (account: number, balance: bigint): StateChanges => ({
      updated: [
        { address: addressOf(account), nonce: 0n, balance, code: null, clearsStorage: false, storage: [] },
      ],
      deleted: [],
    });
    let all = WorldState.empty();
    for (let index = 0; index < 2_000; index++) all = all.apply(update(index, 5n));
    const below = StateArchive.empty(new CodeIndex());
    const { place } = archived(below, all, null);
    const hashed = (state: WorldState): WorldState => {
      expect(state.root).toHaveLength(32);
      return state;
    };
    const base = hashed(below.open(place).apply(update(1, 6n)));
    let state = base;
    for (let index = 100; index < 150; index++) state = hashed(state.apply(update(index, 7n)));
    const archive = StateArchive.empty(new CodeIndex());
    const first = archived(archive, state, base);
    expect(archive.size).toBeLessThan(below.size / 5);
    const { size } = archive;
    const next = hashed(state.apply(update(1_000, 8n)));
    expect(toHex(archive.open(archived(archive, next, first.place).place).root)).toBe(toHex(next.root));
    expect(archive.size).toBe(size);
  });
});
