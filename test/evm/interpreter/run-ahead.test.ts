import { describe, expect, it } from 'vitest';
import type { ExecutionResult } from '../../../src/evm/engine.ts';
import { numberToBytes } from '../../../src/primitives/bytes.ts';
import { hexKey } from '../../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { MissingStateError } from '../../../src/state/state-source.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { EngineComparison } from '../../fuzz/engines/compare.ts';
import { Dice } from '../../fuzz/engines/dice.ts';
import { randomScene } from '../../fuzz/engines/random-scene.ts';
import { CONTRACT, code, environmentOf, messageOf } from '../../reference/scene.ts';
import { createWasmEngine } from '../../support/evm/engines.ts';
import { wordBytes } from '../../support/words.ts';

const OPTIONS = { chainId: 33, codeSizeLimit: 24_576 };
const environment = environmentOf('prague');

/** An overlay with slots that must be fetched. Fetches that are requested together are one round. */
class RemoteSlots extends Overlay {
  rounds = 0;
  predictions = 0;
  /** Slots that cannot be fetched. */
  readonly lost = new Set<string>();
  readonly #known = new Set<string>();
  #round: Promise<void> | null = null;

  override storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const key = hexKey(slot);
    if (!this.#known.has(key)) throw new MissingStateError(() => this.#fetch(key));
    return super.storageAt(address, slot);
  }

  override async predict(): Promise<void> {
    this.predictions++;
  }

  async #fetch(key: string): Promise<void> {
    if (this.#round === null) {
      this.rounds++;
      this.#round = new Promise((resolve) => setImmediate(resolve));
    }
    await this.#round;
    this.#round = null;
    if (this.lost.has(key)) throw new Error('the slot is lost');
    this.#known.add(key);
  }
}

/** Returns a state whose contract has this code. Slots have the given values. */
function remote(runtime: string, slots: Readonly<Record<number, number>> = {}): RemoteSlots {
  const local = new Overlay(WorldState.empty());
  local.setAccount(CONTRACT, { nonce: 1n, balance: 0n });
  local.setCode(CONTRACT, code(runtime));
  for (const [slot, value] of Object.entries(slots))
    local.setStorage(CONTRACT, wordBytes(Number(slot)), numberToBytes(value));
  return new RemoteSlots(local.toWorldState());
}

async function call(state: Overlay, gasLimit = 10_000_000n): Promise<ExecutionResult> {
  return createWasmEngine(ruleSetNamed('prague'), OPTIONS).call(environment, state, messageOf({ gasLimit }));
}

const RETURN = '5f 52 60205f f3';

describe('an execution that runs ahead', () => {
  it('fetches independent slots together', async () => {
    const state = remote(`6001 54 6002 54 01 6003 54 01 ${RETURN}`, { 1: 5, 2: 6, 3: 7 });
    expect((await call(state)).returnData).toEqual(wordBytes(18));
    expect(state.rounds).toBe(1);
  });

  it('fetches slots that depend on each other one after another', async () => {
    const state = remote(`6001 54 54 54 ${RETURN}`, { 1: 2, 2: 3, 3: 9 });
    expect((await call(state)).returnData).toEqual(wordBytes(9));
    expect(state.rounds).toBe(3);
  });

  it('asks for a prediction once', async () => {
    const state = remote(`6001 54 54 54 ${RETURN}`, { 1: 2, 2: 3, 3: 9 });
    await call(state);
    expect(state.predictions).toBe(1);
  });

  it('ignores a failed fetch of a slot that it does not need', async () => {
    // Returns slot 2 if slot 1 is nonzero, otherwise slot 3.
    const state = remote(`6001 54 600c 57 6003 54 6010 56 5b 6002 54 5b ${RETURN}`, { 1: 1, 2: 8 });
    state.lost.add(hexKey(wordBytes(3)));
    expect((await call(state)).returnData).toEqual(wordBytes(8));
  });

  it('ignores an error that only a placeholder causes', async () => {
    // Returns the balance of the account in slot 1.
    const state = remote(`6001 54 31 ${RETURN}`, { 1: 7 });
    const read = state.account.bind(state);
    state.account = (address) => {
      if (address.every((byte) => byte === 0)) throw new Error('the account is invalid');
      return read(address);
    };
    expect((await call(state)).returnData).toEqual(wordBytes(0));
  });

  it('fails if a slot that it needs cannot be fetched', async () => {
    const state = remote(`6001 54 54 ${RETURN}`, { 1: 2 });
    state.lost.add(hexKey(wordBytes(2)));
    await expect(call(state)).rejects.toThrow('the slot is lost');
  });

  it('ends a run that placeholders keep in an endless loop', async () => {
    // Repeats while slot 1 is zero.
    const state = remote(`5b 6001 54 15 5f 57 602a ${RETURN}`, { 1: 1 });
    expect((await call(state, 1_000_000_000n)).returnData).toEqual(wordBytes(42));
  });

  it('completes a chain of 400 dependent slots', async () => {
    const slots = Object.fromEntries(Array.from({ length: 400 }, (_, slot) => [slot + 1, slot + 2]));
    // Follows the slots from 1 until one is zero, and returns the last key.
    const state = remote(`6001 5b 80 54 80 6010 57 50 ${RETURN} 5b 90 50 6002 56`, slots);
    expect((await call(state)).returnData).toEqual(wordBytes(401));
    expect(state.rounds).toBe(401);
  });

  it('reports the steps of an observed execution once, and fetches independent slots together', async () => {
    const program = `6001 54 6002 54 01 6003 54 01 ${RETURN}`;
    const state = remote(program, { 1: 5, 2: 6, 3: 7 });
    const steps: number[] = [];
    const engine = createWasmEngine(ruleSetNamed('prague'), OPTIONS);
    const result = await engine.call(environment, state, messageOf({}), {
      step: ({ pc }) => void steps.push(pc),
    });
    expect(result.returnData).toEqual(wordBytes(18));
    expect(steps).toEqual([...new Set(steps)]);
    expect(state.rounds).toBe(1);
  });
});

it('results do not depend on placeholders', async () => {
  const comparison = new EngineComparison();
  for (let seed = 1; seed <= 150; seed++) {
    const dice = new Dice(seed);
    const placeholder = dice.bytes(32);
    const difference = await comparison.compareInterleaved(randomScene(dice), placeholder);
    expect({ seed, difference }).toEqual({ seed, difference: null });
  }
});
