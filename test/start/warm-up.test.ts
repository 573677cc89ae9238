import { Server } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Timers } from '../../src/primitives/clock.ts';
import { RULE_SET_NAMES } from '../../src/protocol/hardforks/registry.ts';
import { IdleTime, startWarmUp, warmUp } from '../../src/start/warm-up.ts';
import { FAKE_NOW } from '../cli/support/fake-host.ts';
import { start } from '../cli/support/started-node.ts';
import { createFakeTime } from '../support/fake-time.ts';

it.each(RULE_SET_NAMES)('the warm-up calls succeed under the rules of %s', async (hardfork) => {
  await expect(warmUp({ rounds: 1, options: { hardfork } })).resolves.toBe(true);
});

/** Timers that pass when a test fires them. */
function manualTimers() {
  const delays: number[] = [];
  const passed: (() => void)[] = [];
  const timers: Timers = {
    after(milliseconds, action) {
      delays.push(milliseconds);
      passed.push(action);
      return { cancel: () => undefined };
    },
  };
  return { timers, delays, passed };
}

it('a warm-up continues 20 ms after the last call of a user', async () => {
  const { timers, delays, passed } = manualTimers();
  const idleTime = new IdleTime(timers, new AbortController().signal);
  expect(await idleTime.mayContinue()).toBe(true);
  expect(delays).toEqual([]);
  idleTime.onCall();
  const waited = idleTime.mayContinue();
  await vi.waitUntil(() => passed.length === 1);
  idleTime.onCall();
  passed[0]?.();
  await vi.waitUntil(() => passed.length === 2);
  passed[1]?.();
  expect(await waited).toBe(true);
  expect(delays).toEqual([20, 20]);
});

it('a warm-up ends after 100 calls of users without a pause', async () => {
  const { timers, delays, passed } = manualTimers();
  const idleTime = new IdleTime(timers, new AbortController().signal);
  idleTime.onCall();
  const waited = idleTime.mayContinue();
  for (let call = 1; call < 100; call++) {
    await vi.waitUntil(() => passed.length === call);
    idleTime.onCall();
    passed[call - 1]?.();
  }
  expect(await waited).toBe(false);
  expect(delays.length).toBe(99);
});

it('a warm-up that waits for calls of users ends with its node', async () => {
  const { timers, passed } = manualTimers();
  const ending = new AbortController();
  const idleTime = new IdleTime(timers, ending.signal);
  idleTime.onCall();
  const ended = warmUp({ mayContinue: () => idleTime.mayContinue() });
  await vi.waitUntil(() => passed.length === 1);
  ending.abort();
  await expect(ended).resolves.toBe(false);
});

it('a warm-up that may not continue makes no more calls', async () => {
  let asked = 0;
  await expect(warmUp({ rounds: 100, mayContinue: async () => ++asked < 3 })).resolves.toBe(false);
  expect(asked).toBe(3);
});

it.each([
  { options: [], isWarm: true },
  { options: ['--hardfork', 'osaka'], isWarm: true },
  { options: ['--hosted', '--api-key', 'secret'], isWarm: false },
  { options: ['--engine', 'reference'], isWarm: false },
  { options: ['--shadow'], isWarm: false },
])('a node with the options $options warms up: $isWarm', async ({ options, isWarm }) => {
  const time = createFakeTime(FAKE_NOW);
  const begun = vi.spyOn(IdleTime.prototype, 'mayContinue');
  onTestFinished(() => begun.mockRestore());
  const milestones: string[] = [];
  const parts = { warmUp: startWarmUp, cache: (milestone: string) => void milestones.push(milestone) };
  const node = await start(options, { timers: time.timers, clock: time.clock, start: parts });
  await time.advance(49);
  expect(begun).not.toHaveBeenCalled();
  await time.advance(1);
  if (isWarm) await vi.waitUntil(() => begun.mock.calls.length > 0);
  await time.advance(2_000);
  await vi.waitUntil(() => milestones.includes('settled'));
  expect(await node.end()).toBe(0);
  expect(begun.mock.calls.length > 0).toBe(isWarm);
  expect(milestones).toEqual(['listening', 'settled']);
});

it('a started node listens on one port, also during its warm-up', async () => {
  const listen = vi.spyOn(Server.prototype, 'listen');
  onTestFinished(() => listen.mockRestore());
  const time = createFakeTime(FAKE_NOW);
  const settled = new Promise<void>((resolve) => {
    const warmUp: typeof startWarmUp = (options, compat, timers, onEnd) =>
      startWarmUp(options, compat, timers, () => {
        onEnd();
        resolve();
      });
    void start([], { timers: time.timers, clock: time.clock, start: { warmUp } }).then(() =>
      time.advance(50),
    );
  });
  await settled;
  expect(listen).toHaveBeenCalledTimes(1);
});

it('a node applies its tunings 50 ms after it listens', async () => {
  const time = createFakeTime(FAKE_NOW);
  const tune = vi.fn();
  const node = await start([], { timers: time.timers, clock: time.clock, start: { tune } });
  await time.advance(49);
  expect(tune).not.toHaveBeenCalled();
  await time.advance(1);
  expect(tune).toHaveBeenCalledTimes(1);
  expect(await node.end()).toBe(0);
});

it('a node reports its first call to the code cache', async () => {
  const cache = vi.fn();
  const node = await start([], { start: { cache } });
  await node.call('eth_chainId');
  await node.call('eth_chainId');
  expect(cache.mock.calls).toEqual([['listening'], ['called']]);
});
