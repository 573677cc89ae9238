import { expect, it } from 'vitest';
import { listenersOf } from '../../support/listeners.ts';
import { createTestChain, testAccount, transfer } from '../../support/test-chain.ts';

const SENDER = testAccount(0).address;

it('untilMined removes its listener after the transaction or the timeout', async () => {
  const { chain, time } = await createTestChain({ automine: false });
  const hash = await chain.sendFrom(SENDER, transfer());
  const listeners = listenersOf(chain.events);
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
