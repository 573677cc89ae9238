import { describe, expect, it } from 'vitest';
import { branchOf } from '../../support/test-chain.ts';
import { createRpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const ALLOWED = { allowsSameTimestamp: true };
const TRANSFER = { from: SENDER, to: SENDER };

async function timestamps(call: (method: string, params?: unknown) => Promise<unknown>): Promise<number[]> {
  const head = Number(await call('eth_blockNumber'));
  const blocks = Array.from({ length: head + 1 }, (_, number) =>
    call('eth_getBlockByNumber', [`0x${number.toString(16)}`]),
  );
  return (await Promise.all(blocks)).map((block) => Number((block as { timestamp: string }).timestamp));
}

describe('blocks within one second', () => {
  it('consecutive blocks are one second apart by default', async () => {
    const { call } = await createRpcHarness();
    for (let sent = 0; sent < 3; sent++) await call('eth_sendTransaction', [TRANSFER]);
    const [first = 0, ...others] = await timestamps(call);
    expect(others).toEqual([first + 1, first + 2, first + 3]);
  });

  it.each(['rootstock', 'prague'] as const)(
    'consecutive blocks share a timestamp if allowed, under %s',
    async (ruleSet) => {
      const { call, time } = await createRpcHarness({}, { ...ALLOWED, ruleSet });
      for (let sent = 0; sent < 2; sent++) await call('eth_sendTransaction', [TRANSFER]);
      await call('evm_mine');
      const [first = 0, ...others] = await timestamps(call);
      expect(others).toEqual([first, first, first]);
      time.advance(5_000);
      await call('evm_mine');
      expect((await timestamps(call)).at(-1)).toBe(first + 5);
    },
  );
});

describe("setting the head's timestamp", () => {
  const setters = [
    'evm_setNextBlockTimestamp',
    'anvil_setNextBlockTimestamp',
    'hardhat_setNextBlockTimestamp',
  ];

  it.each(setters)("%s rejects the head's timestamp by default", async (method) => {
    const { call } = await createRpcHarness();
    const [head] = await timestamps(call);
    await expect(call(method, [head])).rejects.toMatchObject({
      code: -32602,
      message: `invalid params: timestamp: expected more than ${head}, the timestamp of the head block, got ${head}`,
    });
  });

  it.each(setters)(
    "%s accepts the head's timestamp if allowed, and rejects an earlier one",
    async (method) => {
      const { call } = await createRpcHarness({}, ALLOWED);
      const [head = 0] = await timestamps(call);
      await expect(call(method, [head - 1])).rejects.toMatchObject({
        code: -32602,
        message: `invalid params: timestamp: expected at least ${head}, the timestamp of the head block, got ${head - 1}`,
      });
      await call(method, [head]);
      await call('evm_mine');
      await call('evm_mine', [head]);
      expect(await timestamps(call)).toEqual([head, head, head]);
    },
  );

  it('equal timestamps are allowed after a dump, a snapshot and in a lane', async () => {
    const { call, chain } = await createRpcHarness({}, ALLOWED);
    const snapshot = await call('evm_snapshot');
    await call('evm_mine');
    const dump = await call('anvil_dumpState');
    await call('evm_revert', [snapshot]);
    await call('evm_mine');
    const before = await timestamps(call);
    await call('anvil_loadState', [dump]);
    expect(await timestamps(call)).toEqual(before);
    const lane = await branchOf(chain);
    await lane.mine();
    expect(lane.head().header.timestamp).toBe(before[0]);
  });
});
