import { describe, expect, it } from 'vitest';
import { METHODS } from '../../src/rpc/method-table.ts';
import { plainResult } from '../../src/rpc/views/log-list.ts';
import { afterMicrotasks, Scheduler } from '../../src/scheduling/scheduler.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { createChainWith, TEST_DEFAULTS, TEST_START, testDependencies } from '../support/test-chain.ts';
import { countTurns } from '../support/turns.ts';
import { type Ask, CONSTANT_CALLS, HEAVIEST_CALLS, type HeaviestCall } from './heaviest-calls.ts';
import { testConnection, testService } from './rpc-harness.ts';

/**
 * Maximum clock steps of one slice. A slice ends after four milliseconds of the clock. The scheduler also
 * reads the clock when it yields.
 */
const MAX_SLICE = 10;

/** A node whose clock advances by a millisecond at each read. */
async function createNode(ruleSet: HeaviestCall['ruleSet'] = 'rootstock') {
  let steps = 0;
  const scheduler = new Scheduler({
    clock: { now: () => ++steps },
    defer: (action) => void setImmediate(action),
    afterMicrotasks,
  });
  const time = createFakeTime(TEST_START);
  const options = { ...TEST_DEFAULTS, ruleSet, gasLimit: 1_000_000_000n, codeSizeLimit: null };
  const chain = await createChainWith(options, { ...testDependencies(time), scheduler });
  const service = testService(chain, time);
  // Calls the service directly, because parsing and writing JSON yields as well.
  const ask: Ask = async (method, params = []) =>
    plainResult(await service.call(method, params, testConnection()));
  return { ask, steps: () => steps };
}

/** The number of slices that a call takes on a fresh chain, and the clock steps of the longest slice. */
async function slicesOf({ method, ruleSet, before, params, isCounted }: HeaviestCall, size: number) {
  const { ask, steps } = await createNode(ruleSet);
  const given = params(size, await before?.(ask, size));
  await new Promise((resolve) => setImmediate(resolve));
  let sliceBegan = steps();
  let [longest, slices] = [0, 0];
  await countTurns(
    () => ask(method, given),
    () => {
      const length = steps() - sliceBegan;
      sliceBegan = steps();
      longest = Math.max(longest, length);
      // The loop also turns while another thread works.
      if (length > 0 || isCounted === true) slices++;
    },
  );
  return { slices, longest };
}

describe('time slices of heavy calls: more slices for larger input, each within the limit', () => {
  it.each(HEAVIEST_CALLS.map((row) => ({ ...row, title: [row.method, row.of].filter(Boolean).join(': ') })))(
    '$title',
    async (row) => {
      // The first call loads code.
      await slicesOf(row, Math.ceil(row.size / 10));
      const one = await slicesOf(row, row.size);
      const two = await slicesOf(row, 2 * row.size);
      expect(Math.max(one.longest, two.longest)).toBeLessThanOrEqual(MAX_SLICE);
      const added = Math.floor(row.size / row.perSlice);
      expect(added).toBeGreaterThanOrEqual(1);
      expect(two.slices - one.slices).toBeGreaterThanOrEqual(added);
    },
  );
});

it('every method has either a heaviest call or a reason why it has none', () => {
  const rows = new Set(HEAVIEST_CALLS.map(({ method }) => method));
  const constant = Object.values(CONSTANT_CALLS).flat();
  const methods = METHODS.map(({ name }) => name);
  expect([...rows, ...constant].toSorted()).toEqual(methods.toSorted());
});
