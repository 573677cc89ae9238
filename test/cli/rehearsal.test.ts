import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { IdleTime, rehearse, warmUp } from '../../src/cli/rehearsal.ts';
import { testService } from '../rpc/rpc-harness.ts';
import { createTestChain } from '../support/test-chain.ts';

it('what is rehearsed at a first start can be done', async () => {
  await expect(rehearse()).resolves.toBeUndefined();
});

it.each(['shanghai', 'osaka', 'rootstock'] as const)(
  'it can be done under the rules of %s',
  async (hardfork) => {
    await expect(rehearse({ options: { hardfork } })).resolves.toBeUndefined();
  },
);

it('a rehearsal ends without an error when it is not to go on', async () => {
  let asked = 0;
  await expect(rehearse({ goesOn: async () => asked++ < 7 })).resolves.toBeUndefined();
  expect(asked).toBe(8);
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

it('a rehearsal goes on a while after the last call of somebody, and not when there were many', async () => {
  const delays: number[] = [];
  const passed: (() => void)[] = [];
  const idleTime = new IdleTime({
    after(milliseconds, action) {
      delays.push(milliseconds);
      passed.push(action);
      return { cancel: () => undefined };
    },
  });
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
  for (let call = 2; call < 100; call++) idleTime.onCall();
  const last = idleTime.goesOn();
  await vi.waitUntil(() => passed.length === 3);
  passed[2]?.();
  expect(await last).toBe(false);
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

it('what a node is warmed up with can be asked, and changes nothing', async () => {
  const { chain, time } = await createTestChain();
  const facts = (): unknown[] => [chain.head(), chain.headState(), chain.pool.version];
  const before = facts();
  await expect(warmUp(testService(chain, time))).resolves.toBeUndefined();
  expect(facts()).toEqual(before);
});
