import { expect, it, vi } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import type { ChainEvents } from '../../../src/chain/changes.ts';
import { createTestChain, testAccount, transfer } from '../../support/test-chain.ts';

const SENDER = testAccount(0).address;

/** The listeners of the events of a chain that came since, and are not gone. */
function listenersOf({ events }: Chain): ReadonlySet<unknown> {
  const listeners = new Set<unknown>();
  const on = events.on.bind(events);
  vi.spyOn(events, 'on').mockImplementation(((name, listener) => {
    const stop = on(name, listener);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      stop();
    };
  }) satisfies ChainEvents['on']);
  return listeners;
}

it('waiting for a transaction leaves no listener behind, whether it is mined or the time is over', async () => {
  const { chain, time } = await createTestChain({ automine: false });
  const hash = await chain.sendFrom(SENDER, transfer());
  const listeners = listenersOf(chain);
  const late = expect(chain.untilMined(hash, 1_000)).rejects.toMatchObject({ code: 4 });
  const mined = expect(chain.untilMined(hash, 2_000)).resolves.toBeUndefined();
  expect(listeners.size).toBe(2);
  await time.advance(1_000);
  await late;
  expect(listeners.size).toBe(1);
  await chain.mine();
  await mined;
  expect(listeners.size).toBe(0);
});
