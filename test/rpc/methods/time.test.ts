import { describe, expect, it } from 'vitest';
import { TEST_START } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';

const START = TEST_START / 1000;

/** Mines a block. Returns the seconds from the genesis to its timestamp. */
async function mined({ call, chain }: RpcHarness): Promise<number> {
  await call('evm_mine');
  return chain.head().header.timestamp - START;
}

describe('evm_setTime', () => {
  it('evm_setTime sets the clock, which continues from there', async () => {
    const harness = await createRpcHarness();
    expect(await harness.call('evm_setTime', [START + 1_000])).toBe(1_000);
    await harness.time.advance(5_000);
    expect(await mined(harness)).toBe(1_005);
  });

  it('evm_setTime reads large values as milliseconds', async () => {
    const harness = await createRpcHarness();
    expect(await harness.call('evm_setTime', [TEST_START + 60_500])).toBe(60);
    expect(await mined(harness)).toBe(60);
  });

  it('evm_setTime can set the clock back, and blocks then follow one second apart', async () => {
    const harness = await createRpcHarness();
    await harness.call('evm_increaseTime', [100]);
    expect(await mined(harness)).toBe(100);
    expect(await harness.call('evm_setTime', [START])).toBe(-100);
    expect(await harness.call('anvil_setTime', [START - 50])).toBe(0);
    expect(await mined(harness)).toBe(101);
    await harness.time.advance(200_000);
    expect(await mined(harness)).toBe(150);
  });

  it('evm_setTime cancels evm_setNextBlockTimestamp', async () => {
    const harness = await createRpcHarness();
    await harness.call('evm_setNextBlockTimestamp', [START + 500]);
    await harness.call('evm_setTime', [START + 10]);
    expect(await mined(harness)).toBe(10);
  });
});

describe('evm_setNextBlockTimestamp', () => {
  it('evm_setNextBlockTimestamp applies to one block, and the clock continues from it', async () => {
    const harness = await createRpcHarness();
    await harness.call('evm_setNextBlockTimestamp', [START + 500]);
    await harness.time.advance(3_000);
    expect(await mined(harness)).toBe(500);
    await harness.time.advance(3_000);
    expect(await mined(harness)).toBe(503);
  });

  it('evm_setNextBlockTimestamp applies to the pending block', async () => {
    const { call } = await createRpcHarness({ compat: 'anvil' });
    await call('evm_setNextBlockTimestamp', [START + 500]);
    expect(await call('eth_getBlockByNumber', ['pending'])).toMatchObject({
      timestamp: `0x${(START + 500).toString(16)}`,
    });
  });

  it('evm_setNextBlockTimestamp rejects the timestamp of the head and earlier ones', async () => {
    const harness = await createRpcHarness();
    for (const timestamp of [START, START - 1]) {
      await expect(harness.call('evm_setNextBlockTimestamp', [timestamp])).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(`more than ${START}, the timestamp of the head block`),
      });
    }
    expect(await mined(harness)).toBe(1);
  });
});

describe('timestamp intervals', () => {
  it('anvil_setBlockTimestampInterval fixes the interval until it is removed', async () => {
    const harness = await createRpcHarness();
    await harness.call('anvil_setBlockTimestampInterval', [12]);
    expect([await mined(harness), await mined(harness)]).toEqual([12, 24]);
    await harness.time.advance(1_000_000);
    expect(await mined(harness)).toBe(36);
    expect(await harness.call('anvil_removeBlockTimestampInterval')).toBe(true);
    expect(await harness.call('anvil_removeBlockTimestampInterval')).toBe(false);
    expect(await mined(harness)).toBe(1_000);
  });

  it('hardhat_setBlockTimestampInterval reads milliseconds', async () => {
    const harness = await createRpcHarness();
    await harness.call('hardhat_setBlockTimestampInterval', [12_000]);
    expect(await mined(harness)).toBe(12);
    await expect(harness.call('hardhat_setBlockTimestampInterval', [1_500])).rejects.toMatchObject({
      code: -32602,
    });
  });

  it('an interval of 0 puts blocks one second apart', async () => {
    const harness = await createRpcHarness();
    await harness.call('anvil_setBlockTimestampInterval', [0]);
    expect([await mined(harness), await mined(harness)]).toEqual([1, 2]);
  });

  it('evm_setNextBlockTimestamp takes precedence over the interval', async () => {
    const harness = await createRpcHarness();
    await harness.call('anvil_setBlockTimestampInterval', [12]);
    await harness.call('evm_setNextBlockTimestamp', [START + 100]);
    expect([await mined(harness), await mined(harness)]).toEqual([100, 112]);
  });

  it('a timestamp interval is undone by evm_revert and by anvil_reset', async () => {
    const harness = await createRpcHarness();
    const snapshot = await harness.call('evm_snapshot');
    await harness.call('anvil_setBlockTimestampInterval', [12]);
    await harness.call('evm_revert', [snapshot]);
    expect(await mined(harness)).toBe(1);
    await harness.call('anvil_setBlockTimestampInterval', [12]);
    await harness.call('anvil_reset');
    expect(await mined(harness)).toBe(1);
  });
});

describe('anvil_getGenesisTime', () => {
  it('anvil_getGenesisTime returns the timestamp of the genesis', async () => {
    const { call } = await createRpcHarness();
    await call('evm_mine');
    expect(await call('anvil_getGenesisTime')).toBe(START);
  });
});
