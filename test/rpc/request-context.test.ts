import { expect, it } from 'vitest';
import { CallSlots } from '../../src/rpc/request-check.ts';
import { RequestContext } from '../../src/rpc/request-context.ts';
import type { RpcServices, RpcSettings } from '../../src/rpc/rpc-context.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { createTestChain, nodeOf } from '../support/test-chain.ts';
import { testConnection } from './rpc-harness.ts';

/** Returns a context with the only slot of its lane. */
async function onlyContext(timeout: number) {
  const node = nodeOf((await createTestChain()).chain);
  const slots = new CallSlots({ perLane: 1, inAll: 1, waitingPerLane: 1 });
  const limits = { time: createFakeTime(0), timeout, slots };
  const [services, settings] = [{} as RpcServices, {} as RpcSettings];
  const context = new RequestContext(node, services, settings, testConnection(), null, limits, 0);
  return { context, slots, lane: node.chain.yielder, time: limits.time };
}

it('measures the time limit from the start of the request', async () => {
  const { context, time } = await onlyContext(2);
  await time.advance(2_001);
  expect(context.deadline).toThrow('aborted after 2 s');
});

it.each([false, true])(
  'releases its slot at the end, and takes none afterwards (deadline used before: %s)',
  async (isUsed) => {
    const { context, slots, lane } = await onlyContext(2);
    if (isUsed) expect(context.deadline.yielder.admission()).toBeUndefined();
    context.end();
    expect(context.deadline.yielder.admission()).toBeUndefined();
    expect(slots.isFull(lane)).toBe(false);
  },
);
