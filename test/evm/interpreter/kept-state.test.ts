import { describe, expect, it } from 'vitest';
import { hexKey } from '../../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { type AccountView, Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { addressOf, CONTRACT, code, ETHER, environmentOf, messageOf, SENDER } from '../../reference/scene.ts';
import { createWasmEngine } from '../../support/evm/engines.ts';
import { wordBytes } from '../../support/words.ts';
import { RemoteOverlay } from './remote-overlay.ts';

const environment = environmentOf('cancun');

/** Code that adds 1 to slot 1 and returns the new value. */
const COUNTER = code('6001 54 6001 01 80 6001 55 5f 52 6020 5f f3');

/** An overlay that counts its reads. */
class CountingOverlay extends Overlay {
  reads = 0;

  override account(address: Uint8Array): AccountView | undefined {
    this.reads++;
    return super.account(address);
  }

  override storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array {
    this.reads++;
    return super.storageAt(address, slot);
  }
}

function scene() {
  const engine = createWasmEngine(ruleSetNamed('cancun'), { chainId: 33, codeSizeLimit: 24_576 });
  const state = new CountingOverlay(WorldState.empty());
  state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
  state.setCode(CONTRACT, COUNTER);
  state.setStorage(CONTRACT, wordBytes(1), code('05'));
  let nonce = 0n;
  return {
    state,
    call: async (on: Overlay): Promise<bigint> => {
      const { returnData } = await engine.call(environment, on, messageOf({}));
      return BigInt(`0x${hexKey(returnData)}`);
    },
    transact: async (on: Overlay): Promise<bigint> => {
      const { returnData } = await engine.transact(environment, on, messageOf({ nonce: nonce++ }));
      return BigInt(`0x${hexKey(returnData)}`);
    },
  };
}

describe('state cache of the engine', () => {
  it('repeated calls on one state return the same value', async () => {
    const { state, call } = scene();
    const world = state.toWorldState();
    for (let count = 0; count < 3; count++) expect(await call(new Overlay(world))).toBe(6n);
  });

  it('consecutive transactions of a block read the state at most four times', async () => {
    const { state, transact } = scene();
    expect(await transact(state)).toBe(6n);
    const before = state.reads;
    expect(await transact(state)).toBe(7n);
    // Reads the sender for its nonce, and the unchanged code of three accounts.
    expect(state.reads - before).toBeLessThanOrEqual(4);
    expect(state.storageAt(CONTRACT, wordBytes(1))).toEqual(code('07'));
  });

  it('calls and transactions of the next block see the changes of the block before', async () => {
    const { state, transact, call } = scene();
    await transact(state);
    const world = state.toWorldState();
    const next = new CountingOverlay(world);
    expect(await call(next)).toBe(7n);
    expect(await transact(new Overlay(world))).toBe(7n);
  });

  it('cached values are dropped if the state changes outside the engine', async () => {
    const { state, transact, call } = scene();
    expect(await transact(state)).toBe(6n);
    state.setStorage(CONTRACT, wordBytes(1), code('64'));
    expect(await transact(state)).toBe(101n);
    state.clearStorage(CONTRACT);
    expect(await call(new Overlay(state.toWorldState()))).toBe(1n);
    state.setCode(CONTRACT, code('602a 5f 52 6020 5f f3'));
    expect(await transact(state)).toBe(42n);
  });

  it('cached values of several states are kept apart', async () => {
    const { state, call, transact } = scene();
    const worlds = [];
    for (let count = 0; count < 6; count++) {
      worlds.push(state.toWorldState());
      await transact(state);
    }
    for (const round of [1, 2]) {
      for (const [index, world] of worlds.entries()) {
        expect([round, await call(new Overlay(world))]).toEqual([round, BigInt(6 + index)]);
      }
    }
  });

  it('cached values are dropped if the state changes while a message waits', async () => {
    const engine = createWasmEngine(ruleSetNamed('cancun'), { chainId: 33, codeSizeLimit: 24_576 });
    const state = new RemoteOverlay(WorldState.empty());
    // Reads slots 1 and 2, returns slot 1.
    state.setCode(CONTRACT, code('6001 54 6002 54 50 5f 52 6020 5f f3'));
    state.setStorage(CONTRACT, wordBytes(1), code('05'));
    const waiting = engine.call(environment, state, messageOf({}));
    while (!state.fetched.some((key) => key.startsWith(`slot ${hexKey(wordBytes(2))}`)))
      await Promise.resolve();
    state.setStorage(CONTRACT, wordBytes(1), code('64'));
    const world = state.toWorldState();
    await waiting;
    const { returnData } = await engine.call(environment, new Overlay(world), messageOf({}));
    expect(returnData).toEqual(wordBytes(0x64));
  });

  it('cached values do not change in a call that reverts, halts or creates', async () => {
    const { state, call } = scene();
    const engine = createWasmEngine(ruleSetNamed('cancun'), { chainId: 33, codeSizeLimit: 24_576 });
    const programs = ['6009 6001 55 5f 5f fd', '6009 6001 55 fe', '6009 6001 55 5f 5f 5f f0 00'];
    for (const [index, program] of programs.entries()) state.setCode(addressOf(200 + index), code(program));
    const world = state.toWorldState();
    for (let index = 0; index < programs.length; index++) {
      const message = messageOf({ to: addressOf(200 + index), gasLimit: 100_000n });
      const first = await engine.call(environment, new Overlay(world), message);
      expect(await engine.call(environment, new Overlay(world), message)).toEqual(first);
    }
    expect(await call(new Overlay(world))).toBe(6n);
  });
});
