import { describe, expect, it, vi } from 'vitest';
import { KnownKeys } from '../../src/inspect/storage/contract-storage-tree.ts';
import { uninterrupted } from '../../src/scheduling/interrupt.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

describe('the keys that are known on a chain', () => {
  it('remember a bounded number of transactions that ran again, the last ones', async () => {
    const { chain } = await createTestChain();
    const to = new Uint8Array(20).fill(0xaa);
    const sender = testAccount(0).address;
    for (let sent = 0; sent < 6; sent++) await chain.sendFrom(sender, transfer({ to }));
    const keys = new KnownKeys(chain, 4);
    const traced = vi.spyOn(chain.tracing, 'block');
    const learn = async (last: number): Promise<(number | undefined)[]> => {
      traced.mockClear();
      await keys.learn(to, last, uninterrupted);
      return traced.mock.calls.map(([block]) => ('header' in block ? block.header.number : undefined));
    };
    expect(await learn(6)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(keys.replayed).toBe(4);
    expect(await learn(4)).toEqual([]);
  });
});
