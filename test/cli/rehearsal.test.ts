import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { IdleTime, rehearse } from '../../src/cli/rehearsal.ts';
import type { Timers } from '../../src/primitives/clock.ts';
import { RULE_SET_NAMES } from '../../src/protocol/hardforks/registry.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { FAKE_NOW } from './support/fake-host.ts';
import { start } from './support/started-node.ts';

it('what is rehearsed at a first start can be done', async () => {
  await expect(rehearse()).resolves.toBeUndefined();
});

it.each(RULE_SET_NAMES)('it can be done under the rules of %s', async (hardfork) => {
  await expect(rehearse({ options: { hardfork } })).resolves.toBeUndefined();
});

/** Does something with the connections that servers of this process accept until the test is over. */
function withAccepted(action: (socket: Socket) => void): void {
  const onSocket = (message: unknown): void => action((message as { readonly socket: Socket }).socket);
  subscribe('net.server.socket', onSocket);
  onTestFinished(() => void unsubscribe('net.server.socket', onSocket));
}

it('a rehearsal whose node ends does not wait for an answer', async () => {
  const ending = new AbortController();
  withAccepted((socket) => {
    socket.pause();
    ending.abort();
  });
  await expect(rehearse({ signal: ending.signal })).resolves.toBeUndefined();
});

it('a rehearsal whose connection the system closes is over', async () => {
  withAccepted((socket) => socket.destroy());
  await expect(rehearse()).rejects.toThrow(/connection was closed|ECONNRESET|EPIPE/);
});

/** Timers that pass when a test says so. */
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

it('a rehearsal goes on a while after the last call of a user', async () => {
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

it('a rehearsal ends when users call without a pause', async () => {
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

it('a rehearsal that waits for the calls of users ends with its node', async () => {
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
])('a node with the options $options rehearses: $rehearses', async ({ options, rehearses }) => {
  const time = createFakeTime(FAKE_NOW);
  const listen = vi.spyOn(Server.prototype, 'listen');
  onTestFinished(() => listen.mockRestore());
  const node = await start(options, { timers: time.timers, clock: time.clock });
  expect(listen).toHaveBeenCalledTimes(1);
  await time.advance(50);
  // The end waits for a rehearsal that has begun.
  expect(await node.end()).toBe(0);
  expect(listen).toHaveBeenCalledTimes(rehearses ? 2 : 1);
});

it('a node limits its process soon after it listens, which would delay its start', async () => {
  const time = createFakeTime(FAKE_NOW);
  const tuneProcess = vi.fn();
  const options = ['--engine', 'reference'];
  const node = await start(options, { timers: time.timers, clock: time.clock, tuneProcess });
  expect(tuneProcess).not.toHaveBeenCalled();
  await time.advance(50);
  expect(tuneProcess).toHaveBeenCalledTimes(1);
  expect(await node.end()).toBe(0);
});

it('other programs are refused at the port of a rehearsal', async () => {
  const refused: Promise<number>[] = [];
  withAccepted(({ localPort }) => {
    if (refused.length > 0) return;
    refused.push(fetch(`http://127.0.0.1:${localPort}`, { method: 'POST' }).then(({ status }) => status));
  });
  await rehearse({ goesOn: async () => Promise.all(refused).then(() => true) });
  expect(await Promise.all(refused)).toEqual([401]);
});

it('a rehearsal that is aborted ends at once, also while it waits', async () => {
  const ending = new AbortController();
  let asked = 0;
  const goesOn = async (): Promise<boolean> => {
    if (++asked === 3) ending.abort();
    return true;
  };
  await expect(rehearse({ rounds: 100, goesOn, signal: ending.signal })).resolves.toBeUndefined();
  expect(asked).toBe(3);
});

it('the bundle can do it too', async () => {
  const { loadCommandLine } = await import(new URL('../../bin/load-script.cjs', import.meta.url).href);
  // Nothing is to be kept of what a test compiles.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const bundle = loadCommandLine(new URL('../../dist/cli/main.js', import.meta.url).pathname);
  vi.useRealTimers();
  await expect(bundle.rehearse()).resolves.toBeUndefined();
});
