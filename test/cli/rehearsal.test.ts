import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { IdleTime, rehearse } from '../../src/cli/rehearsal.ts';
import type { Timers } from '../../src/primitives/clock.ts';
import { RULE_SET_NAMES } from '../../src/protocol/hardforks/registry.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { FAKE_NOW } from './support/fake-host.ts';
import { start } from './support/started-node.ts';

it('the warm-up of a first start succeeds', async () => {
  await expect(rehearse()).resolves.toBeUndefined();
});

it.each(RULE_SET_NAMES)('the warm-up succeeds under %s rules', async (hardfork) => {
  await expect(rehearse({ options: { hardfork } })).resolves.toBeUndefined();
});

/** Runs an action on each connection that servers of this process accept, until the end of the test. */
function withAccepted(action: (socket: Socket) => void): void {
  const onSocket = (message: unknown): void => action((message as { readonly socket: Socket }).socket);
  subscribe('net.server.socket', onSocket);
  onTestFinished(() => void unsubscribe('net.server.socket', onSocket));
}

it('a warm-up does not wait for a response if its node stops', async () => {
  const ending = new AbortController();
  withAccepted((socket) => {
    socket.pause();
    ending.abort();
  });
  await expect(rehearse({ signal: ending.signal })).resolves.toBeUndefined();
});

it('a warm-up fails if its connection is closed', async () => {
  withAccepted((socket) => socket.destroy());
  await expect(rehearse()).rejects.toThrow(/connection was closed|ECONNRESET|EPIPE/);
});

/** Timers that expire on request. */
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

it('the warm-up continues after an idle period of 20 ms', async () => {
  const { timers, delays, passed } = manualTimers();
  const idleTime = new IdleTime(timers, new AbortController().signal);
  expect(await idleTime.goesOn()).toBe(true);
  expect(delays).toEqual([]);
  idleTime.onCall();
  const waited = idleTime.goesOn();
  await vi.waitUntil(() => passed.length === 1);
  idleTime.onCall();
  passed[0]?.();
  await vi.waitUntil(() => passed.length === 2);
  passed[1]?.();
  expect(await waited).toBe(true);
  expect(delays).toEqual([20, 20]);
});

it('the warm-up ends if requests arrive without a pause', async () => {
  const { timers, delays, passed } = manualTimers();
  const idleTime = new IdleTime(timers, new AbortController().signal);
  idleTime.onCall();
  const waited = idleTime.goesOn();
  for (let call = 1; call < 100; call++) {
    await vi.waitUntil(() => passed.length === call);
    idleTime.onCall();
    passed[call - 1]?.();
  }
  expect(await waited).toBe(false);
  expect(delays.length).toBe(99);
});

it('a warm-up that waits for an idle period ends if its node stops', async () => {
  const { timers, passed } = manualTimers();
  const ending = new AbortController();
  const idleTime = new IdleTime(timers, ending.signal);
  idleTime.onCall();
  const rehearsed = rehearse({ goesOn: () => idleTime.goesOn(), signal: ending.signal });
  await vi.waitUntil(() => passed.length === 1);
  ending.abort();
  await expect(rehearsed).resolves.toBeUndefined();
});

it.each([
  { options: [], rehearses: true },
  { options: ['--hardfork', 'osaka'], rehearses: true },
  { options: ['--hosted', '--api-key', 'secret'], rehearses: false },
  { options: ['--engine', 'reference'], rehearses: false },
  { options: ['--shadow'], rehearses: false },
])('a node with options $options warms up: $rehearses', async ({ options, rehearses }) => {
  const time = createFakeTime(FAKE_NOW);
  const listen = vi.spyOn(Server.prototype, 'listen');
  onTestFinished(() => listen.mockRestore());
  const node = await start(options, { timers: time.timers, clock: time.clock });
  expect(listen).toHaveBeenCalledTimes(1);
  await time.advance(50);
  // The end waits for a running warm-up.
  expect(await node.end()).toBe(0);
  expect(listen).toHaveBeenCalledTimes(rehearses ? 2 : 1);
});

it('a node tunes its process 50 ms after it listens', async () => {
  const time = createFakeTime(FAKE_NOW);
  const tuneProcess = vi.fn();
  const options = ['--engine', 'reference'];
  const node = await start(options, { timers: time.timers, clock: time.clock, tuneProcess });
  expect(tuneProcess).not.toHaveBeenCalled();
  await time.advance(50);
  expect(tuneProcess).toHaveBeenCalledTimes(1);
  expect(await node.end()).toBe(0);
});

it('the port of the warm-up rejects other clients', async () => {
  const refused: Promise<number>[] = [];
  withAccepted(({ localPort }) => {
    if (refused.length > 0) return;
    refused.push(fetch(`http://127.0.0.1:${localPort}`, { method: 'POST' }).then(({ status }) => status));
  });
  await rehearse({ goesOn: async () => Promise.all(refused).then(() => true) });
  expect(await Promise.all(refused)).toEqual([401]);
});

it('an aborted warm-up ends immediately', async () => {
  const ending = new AbortController();
  let asked = 0;
  const goesOn = async (): Promise<boolean> => {
    if (++asked === 3) ending.abort();
    return true;
  };
  await expect(rehearse({ rounds: 100, goesOn, signal: ending.signal })).resolves.toBeUndefined();
  expect(asked).toBe(3);
});

it('the bundle can run the warm-up', async () => {
  const { loadCommandLine } = await import(new URL('../../bin/load-script.cjs', import.meta.url).href);
  // The code compiled by this test must not be cached.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const bundle = loadCommandLine(new URL('../../dist/cli/main.js', import.meta.url).pathname);
  vi.useRealTimers();
  await expect(bundle.rehearse()).resolves.toBeUndefined();
});
