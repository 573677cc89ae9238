import { describe, expect, it } from 'vitest';
import { METHODS } from '../../src/rpc/method-table.ts';
import { plainResult } from '../../src/rpc/views/log-list.ts';
import { afterMicrotasks, Scheduler } from '../../src/scheduling/scheduler.ts';
import { answerMessage } from '../../src/server/envelope.ts';
import { defaultServerOptions } from '../../src/server/options.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { createChainWith, TEST_DEFAULTS, TEST_START, testDependencies } from '../support/test-chain.ts';
import { countTurns } from '../support/turns.ts';
import {
  type Ask,
  CONSTANT_CALLS,
  COUNTED_REQUESTS,
  HEAVIEST_CALLS,
  type HeaviestCall,
} from './heaviest-calls.ts';
import { testConnection, testService } from './rpc-harness.ts';

/**
 * Maximum clock steps of one slice. A slice ends after four milliseconds of the clock. The scheduler also
 * reads the clock when it yields.
 */
const MAX_SLICE = 10;

const serverOptions = {
  ...defaultServerOptions,
  hooks: {
    onInternalError: (error: unknown) => {
      throw error;
    },
  },
};

/** A node whose clock advances by `tick` milliseconds at each read. */
async function createNode(ruleSet: HeaviestCall['ruleSet'], tick: number) {
  let steps = 0;
  const scheduler = new Scheduler({
    clock: { now: () => (steps += tick) },
    defer: (action) => void setImmediate(action),
    afterMicrotasks,
  });
  const time = createFakeTime(TEST_START);
  const options = {
    ...TEST_DEFAULTS,
    ...(ruleSet && { ruleSet }),
    gasLimit: 1_000_000_000n,
    codeSizeLimit: null,
  };
  const chain = await createChainWith(options, { ...testDependencies(time), scheduler });
  const service = testService(chain, time);
  // Calls the service directly, because parsing and writing JSON yields as well.
  const ask: Ask = async (method, params = []) =>
    plainResult(await service.call(method, params, testConnection()));
  const request = async (method: string, params: readonly unknown[]): Promise<void> => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    await answerMessage(text, service, testConnection(), serverOptions);
  };
  return { ask, request, steps: () => steps };
}

/** The number of slices that a call takes on a fresh chain, and the clock steps of the longest slice. */
async function slicesOf({ method, ruleSet, before, params, isCounted }: HeaviestCall, size: number) {
  const { ask, steps } = await createNode(ruleSet, 1);
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

/** The number of slices of a request on a fresh chain, if only counted work ends a slice. */
async function countedSlicesOf(
  { method, ruleSet, before, params }: HeaviestCall,
  size: number,
): Promise<number> {
  const { ask, request } = await createNode(ruleSet, 0);
  const given = params(size, await before?.(ask, size));
  return (await countTurns(() => request(method, given))).turns;
}

/** The rows, with titles. */
const titled = (rows: readonly HeaviestCall[]) =>
  rows.map((row) => ({ ...row, title: [row.method, row.of].filter(Boolean).join(': ') }));

describe('time slices of heavy calls: more slices for larger input, each within the limit', () => {
  it.each(titled(HEAVIEST_CALLS))('$title', async (row) => {
    // The first call loads code.
    await slicesOf(row, Math.ceil(row.size / 10));
    const one = await slicesOf(row, row.size);
    const two = await slicesOf(row, 2 * row.size);
    expect(Math.max(one.longest, two.longest)).toBeLessThanOrEqual(MAX_SLICE);
    const added = Math.floor(row.size / row.perSlice);
    expect(added).toBeGreaterThanOrEqual(1);
    expect(two.slices - one.slices).toBeGreaterThanOrEqual(added);
  });
});

describe('counted time slices of heavy requests: at least one for `perSlice` parts of the input', () => {
  it.each(titled(COUNTED_REQUESTS))('$title', async (row) => {
    // The first request loads code.
    await countedSlicesOf(row, Math.ceil(row.size / 10));
    const added = (await countedSlicesOf(row, 2 * row.size)) - (await countedSlicesOf(row, row.size));
    const least = Math.floor(row.size / row.perSlice);
    expect(least).toBeGreaterThanOrEqual(1);
    expect(added).toBeGreaterThanOrEqual(least);
  });
});

it('every method has either a heaviest call or a reason why it has none', () => {
  const rows = new Set(HEAVIEST_CALLS.map(({ method }) => method));
  const constant = Object.values(CONSTANT_CALLS).flat();
  const methods = METHODS.map(({ name }) => name);
  expect([...rows, ...constant].toSorted()).toEqual(methods.toSorted());
});
