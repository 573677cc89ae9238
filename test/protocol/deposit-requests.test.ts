import { describe, expect, it } from 'vitest';
import { isPromise } from '../../src/primitives/awaitable.ts';
import { depositRequests } from '../../src/protocol/deposit-requests.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';

const CONTRACT = new Uint8Array(20).fill(0xde);

describe('depositRequests', () => {
  it('yields while it searches 40,000 logs', async () => {
    const log = { address: new Uint8Array(20), topics: [new Uint8Array(32)], data: new Uint8Array(0) };
    const results = [{ logs: Array<typeof log>(40_000).fill(log) }];
    let turns = 0;
    const pieces = new TimeSlice(() => void turns++);
    const found = runTask(depositRequests(results, CONTRACT), pieces);
    expect(isPromise(found)).toBe(true);
    expect(await found).toEqual([]);
    expect(turns).toBe(1);
    expect(runTask(depositRequests([{ logs: [log] }], CONTRACT), new TimeSlice())).toEqual([]);
  });
});
