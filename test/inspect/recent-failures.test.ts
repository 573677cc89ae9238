import { describe, expect, it } from 'vitest';
import { FailureNotFoundError } from '../../src/inspect/errors.ts';
import { RecentFailures } from '../../src/inspect/recent-failures.ts';
import { harnessOn } from '../rpc/rpc-harness.ts';
import { createTestChain } from '../support/test-chain.ts';

/** The bytes that a small failed call counts, without its data. */
const SMALL = 64 * 1024;
const REVERTING = `0x${'0c'.repeat(20)}`;

async function scene(budget: number) {
  const { chain, time } = await createTestChain({ ruleSet: 'prague' });
  const failures = new RecentFailures(chain, budget);
  const { call } = harnessOn(chain, time);
  await call('anvil_setCode', [REVERTING, '0x5f5ffd']);
  const [from] = (await call('eth_accounts')) as [string];
  const fail = (data = '0x') => call('eth_call', [{ from, to: REVERTING, data }, 'latest']).catch(() => null);
  const send = () => call('eth_sendTransaction', [{ from, to: REVERTING, gas: '0x186a0' }]);
  const numbers = (): number[] => failures.list(0).map(({ number }) => number);
  return { chain, call, failures, fail, send, numbers };
}

describe('RecentFailures', () => {
  it('drops the oldest failures above the budget, and keeps their numbers', async () => {
    const { failures, fail, numbers } = await scene(4 * SMALL);
    for (let count = 0; count < 10; count++) await fail();
    expect(numbers()).toEqual([10, 9, 8, 7]);
    expect([failures.count, failures.oldest]).toEqual([10, 7]);
    await fail(`0x${'00'.repeat(2 * SMALL)}`);
    expect(numbers()).toEqual([11, 10]);
  });

  it('finds a failure by number, and the newest one', async () => {
    const { failures, fail } = await scene(4 * SMALL);
    for (let count = 0; count < 10; count++) await fail();
    expect(failures.find(8).number).toBe(8);
    expect(failures.find('last').number).toBe(10);
  });

  it('reports which failures are kept if a failure was dropped', async () => {
    const { failures, fail } = await scene(4 * SMALL);
    expect(() => failures.find('last')).toThrow('failure last not found: no failure is kept');
    for (let count = 0; count < 10; count++) await fail();
    expect(() => failures.find(6)).toThrow('failure 6 is no longer kept: the kept failures are 7 to 10');
    expect(() => failures.find(11)).toThrow('failure 11 not found: the number of failures is 10');
    expect(() => failures.find(11)).toThrow(FailureNotFoundError);
  });

  it('hides the call of another API key', async () => {
    const { chain, failures, fail } = await scene(4 * SMALL);
    const calls: Parameters<Parameters<typeof chain.events.on<'failedCall'>>[1]>[] = [];
    const stop = chain.events.on('failedCall', (...details) => void calls.push(details));
    await fail();
    stop();
    const [[held, result] = []] = calls;
    if (held === undefined || result === undefined) throw new Error('no call failed');
    chain.events.emit('failedCall', held, result, { method: 'eth_call', owner: 'alice', isAnswered: false });
    expect(failures.find(2, 'alice').number).toBe(2);
    expect(failures.find('last', 'bob').number).toBe(1);
    expect(() => failures.find(2, 'bob')).toThrow(
      'failure 2 is not kept: it is too large, or a call of another API key',
    );
  });

  it('keeps a block with several failures until its last failure is dropped', async () => {
    const { call, failures, fail, send, numbers } = await scene(6 * SMALL);
    await call('evm_setAutomine', [false]);
    for (let count = 0; count < 3; count++) await send();
    await call('evm_mine');
    expect(numbers()).toEqual([3, 2, 1]);
    for (let count = 0; count < 3; count++) await fail();
    expect(numbers()).toEqual([6, 5, 4, 3, 2]);
    const { execution } = failures.find(3);
    expect(execution).toMatchObject({ index: 2 });
  });
});
