import { describe, expect, it } from 'vitest';
import { Overlay } from '../../src/state/overlay.ts';
import { CONTRACT, code, messageOf, RECIPIENT, type Scene, setScene } from './scene.ts';

class HungUp extends Error {}

/** JUMPDEST, PUSH1 0, JUMP. */
const LOOP = code('5b 6000 56');
/** JUMPDEST, PUSH1 1, PUSH1 0, JUMPI. */
const CONDITIONAL_LOOP = code('5b 6001 6000 57');
/** A megabyte of JUMPDEST. */
const STRAIGHT = new Uint8Array(2 ** 20).fill(0x5b);
/** A thousand times the hash of a megabyte. */
const HASHES = code('62100000 6000 20 50'.repeat(1_000));
/** Calls itself twenty times with all its gas, without a jump. */
const CALLS = code('6000 6000 6000 6000 6000 30 5a f1 50'.repeat(20));

/** Runs code with 10^13 gas until another task runs. */
async function runUntilHeard({ engine, state, environment }: Scene, runtime: Uint8Array): Promise<void> {
  const overlay = new Overlay(state.toWorldState());
  overlay.setCode(CONTRACT, runtime);
  let isHeard = false;
  setImmediate(() => {
    isHeard = true;
  });
  await engine.call(environment, overlay, messageOf({ gasLimit: 10n ** 13n }), undefined, () => {
    if (isHeard) throw new HungUp();
  });
}

describe.each(['rootstock', 'prague'] as const)('the reference engine under %s', (name) => {
  it.each([
    ['a loop', LOOP],
    ['a loop with a condition', CONDITIONAL_LOOP],
    ['endless calls', CALLS],
    ['long code without a jump', STRAIGHT],
    ['hashes without a jump', HASHES],
  ])('yields during %s and stops when it is cancelled', async (_title, runtime) => {
    const scene = await setScene(name);
    await expect(runUntilHeard(scene, runtime)).rejects.toThrow(HungUp);
    expect(await scene.call({ to: RECIPIENT })).toMatchObject({ outcome: 'success' });
  });

  it('cancels an observed call', async () => {
    const { engine, state, environment } = await setScene(name);
    state.setCode(CONTRACT, LOOP);
    const message = messageOf({ gasLimit: 10n ** 13n });
    const call = engine.call(environment, state, message, { step: () => undefined }, () => {
      throw new HungUp();
    });
    await expect(call).rejects.toThrow(HungUp);
  });
});
