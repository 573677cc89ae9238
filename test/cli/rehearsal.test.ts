import { expect, it, vi } from 'vitest';
import { rehearse, warmUp } from '../../src/cli/rehearsal.ts';
import { testService } from '../rpc/rpc-harness.ts';
import { createTestChain } from '../support/test-chain.ts';

it('what is rehearsed at a first start can be done', async () => {
  await expect(rehearse()).resolves.toBeUndefined();
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
