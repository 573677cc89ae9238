import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigIntToBytes } from '../../src/primitives/bytes.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { codeOf, type StateChanges } from '../../src/state/account.ts';
import { UnknownStateError } from '../../src/state/errors.ts';
import {
  type LocalDifference,
  localDifferences,
  withLocalDifferences,
} from '../../src/state/local-difference.ts';
import type { StateSource } from '../../src/state/state-source.ts';
import { WorldState } from '../../src/state/world-state.ts';

const addressOf = (index: number): Uint8Array => new Uint8Array(20).fill(index);
const slotOf = (index: number): Uint8Array => new Uint8Array(32).fill(index);

/** Every account has a balance of 1 wei, code, and 7 in all slots. */
const ELSEWHERE: StateSource = {
  account: (address) => ({
    address,
    nonce: 1n,
    balance: 1n,
    code: codeOf(Uint8Array.of(0x60)),
    storage: null,
    storageSource: ELSEWHERE,
  }),
  storageAt: () => Uint8Array.of(7),
  blockHash: () => new Uint8Array(32),
};

/** A source that throws on every read. */
const SILENT: StateSource = {
  account() {
    throw new UnknownStateError();
  },
  storageAt() {
    throw new UnknownStateError();
  },
  blockHash() {
    throw new UnknownStateError();
  },
};

const index = fc.integer({ min: 1, max: 4 });
const update = fc.record({
  address: index.map(addressOf),
  nonce: fc.bigInt({ min: 0n, max: 3n }),
  balance: fc.bigInt({ min: 0n, max: 3n }),
  code: fc.constantFrom('', '6001').map((code) => codeOf(Uint8Array.from(Buffer.from(code, 'hex')))),
  clearsStorage: fc.boolean(),
  storage: fc.uniqueArray(
    fc.record({ slot: index.map(slotOf), value: fc.bigInt({ min: 0n, max: 2n }).map(bigIntToBytes) }),
    { selector: ({ slot }) => slot[0] },
  ),
});
const changes: fc.Arbitrary<StateChanges> = fc.oneof(
  update.map((one) => ({ updated: [one], deleted: [] })),
  index.map((one) => ({ updated: [], deleted: [addressOf(one)] })),
);
const history = fc.array(changes, { maxLength: 12 });

function changed(given: readonly StateChanges[], before: WorldState): WorldState {
  return given.reduce((state, change) => state.apply(change), before);
}

/** Yields after each account and slot. */
const inPieces = async (
  before: WorldState,
  elsewhere: StateSource,
  differences: readonly LocalDifference[],
): Promise<WorldState> =>
  runTask(withLocalDifferences(before, elsewhere, differences), new TimeSlice(undefined, 1));

/** Accounts and slots of a state. */
function content(state: WorldState): unknown {
  return [1, 2, 3, 4].map((one) => {
    const account = state.account(addressOf(one));
    const slots = [1, 2, 3, 4].map((slot) => state.storageAt(addressOf(one), slotOf(slot)));
    return [account && [account.nonce, account.balance, account.code], slots];
  });
}

describe('localDifferences', () => {
  it('local differences convert any state to any other without a read of the source', async () => {
    await fc.assert(
      fc.asyncProperty(history, history, history, async (shared, left, right) => {
        const ground = changed(shared, WorldState.beginningWith(ELSEWHERE));
        const [before, wanted] = [changed(left, ground), changed(right, ground)];
        const differences = [...localDifferences(before, wanted)];
        const made = await inPieces(before, ELSEWHERE, differences);
        expect(content(made)).toEqual(content(wanted));
        expect(made.root).toEqual(wanted.root);
        expect([...localDifferences(made, wanted)]).toEqual([]);
        const silent = WorldState.of(before.trie, SILENT);
        expect((await inPieces(silent, SILENT, differences)).root).toEqual(wanted.root);
      }),
      { numRuns: 300 },
    );
  });

  it('local differences are empty between a state and itself, which stays the same object', async () => {
    const state = changed([{ updated: [], deleted: [addressOf(1)] }], WorldState.beginningWith(ELSEWHERE));
    expect([...localDifferences(state, state)]).toEqual([]);
    expect(await inPieces(state, ELSEWHERE, [])).toBe(state);
  });
});
