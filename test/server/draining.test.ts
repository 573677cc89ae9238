import { describe, expect, it } from 'vitest';
import { startLaneServer } from './lane-server.ts';

describe('draining lanes', () => {
  it('drain waits until the lanes are idle', async () => {
    const { call, lanes, time } = await startLaneServer();
    await call('/a', 'evm_mine');
    let isDone = false;
    const done = lanes.drain(10, 600).then(() => {
      isDone = true;
    });
    await time.advance(8_000);
    await call('/a', 'evm_mine');
    await time.advance(8_000);
    expect(isDone).toBe(false);
    expect(lanes.refuses('b')).toBe(true);
    expect(lanes.refuses('a')).toBe(false);
    await time.advance(3_000);
    await done;
  });

  it('drain has a maximum duration, and ends immediately without lanes', async () => {
    const { call, lanes, time } = await startLaneServer();
    await lanes.drain(10, 20);
    const other = await startLaneServer();
    await other.call('/a', 'evm_mine');
    const late = other.lanes.drain(10, 20);
    for (let second = 0; second < 21; second++) {
      await other.call('/a', 'eth_blockNumber');
      await other.time.advance(1_000);
    }
    await late;
    await expect(call('/', 'lane_create', [{}])).rejects.toThrow('creates no new lanes');
    await time.advance(1_000);
  });
});
