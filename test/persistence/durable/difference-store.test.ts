import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { DifferenceStore } from '../../../src/persistence/durable/difference-store.ts';
import { nextIteration } from '../../../src/scheduling/cancel-check.ts';
import { EMPTY_CODE } from '../../../src/state/account.ts';
import type { StateSource } from '../../../src/state/state-source.ts';
import { WorldState } from '../../../src/state/world-state.ts';

const ADDRESS = new Uint8Array(20).fill(0xab);

/** An upstream without accounts. */
const SOURCE: StateSource = {
  account: () => undefined,
  storageAt: () => new Uint8Array(),
  blockHash: () => new Uint8Array(32),
};

function withBalance(state: WorldState, balance: bigint): WorldState {
  const account = { address: ADDRESS, nonce: 0n, balance, code: EMPTY_CODE };
  return state.apply({ updated: [{ ...account, clearsStorage: true, storage: [] }], deleted: [] });
}

/** Collects all garbage. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let round = 0; round < 3; round++) {
    await nextIteration();
    collect();
  }
}

describe('states of a fork in a data directory', () => {
  it('unreferenced states are released from memory after the chain has changed', async () => {
    const map = new Map<string, Uint8Array>();
    const records = {
      getSync: (key: string) => map.get(key),
      put: (key: string, value: Uint8Array) => void map.set(key, value),
    };
    const base = WorldState.beginningWith(SOURCE);
    const writer = new DifferenceStore(records, base);
    let state = base;
    const ids = Array.from({ length: 20 }, (_, index) => {
      state = withBalance(state, BigInt(index + 1));
      return writer.keep(state);
    });
    const reader = new DifferenceStore(records, base);
    const opened = ids.map((id) => new WeakRef(reader.open(id)));

    reader.keep(withBalance(base, 100n));
    await collectGarbage();

    expect(opened.filter((reference) => reference.deref() !== undefined)).toEqual([]);
    expect(ids.map((id) => reader.open(id).account(ADDRESS)?.balance)).toEqual(
      ids.map((_, index) => BigInt(index + 1)),
    );
  });
});
