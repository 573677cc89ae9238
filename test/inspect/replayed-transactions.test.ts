import { describe, expect, it, vi } from 'vitest';
import { KnownKeys } from '../../src/inspect/storage/contract-storage-tree.ts';
import { neverCancelled } from '../../src/scheduling/cancel-check.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

describe('KnownKeys', () => {
  it('remembers a bounded number of replayed transactions, the latest ones', async () => {
    const { chain } = await createTestChain();
    const to = new Uint8Array(20).fill(0xaa);
    const sender = testAccount(0).address;
    for (let sent = 0; sent < 6; sent++) await chain.sendFrom(sender, transfer({ to }));
    const keys = new KnownKeys(chain, 4);
    const traced = vi.spyOn(chain.tracing, 'block');
    const learn = async (last: number): Promise<(number | undefined)[]> => {
      traced.mockClear();
      await keys.learn(to, last, neverCancelled);
      return traced.mock.calls.map(([block]) => ('header' in block ? block.header.number : undefined));
    };
    expect(await learn(6)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(keys.replayed).toBe(4);
    expect(await learn(4)).toEqual([]);
  });

  it('remembers 10,000 transactions by default', async () => {
    const { chain } = await createTestChain();
    const to = new Uint8Array(20).fill(0xaa);
    await chain.sendFrom(testAccount(0).address, transfer({ to }));
    const mined = chain.head();
    const [sent] = mined.transactions;
    if (sent === undefined) throw new Error('no transaction was mined');
    const keys = new KnownKeys(chain);
    vi.spyOn(chain.tracing, 'block').mockResolvedValue([]);
    const blocks = vi.spyOn(chain, 'block');

    for (let round = 0; round < 101; round++) {
      const transactions = Array.from({ length: 100 }, (_, index) => {
        return Object.create(sent, { hash: { value: Uint8Array.of(round, index) } }) as typeof sent;
      });
      blocks.mockResolvedValue({ ...mined, transactions });
      await keys.learn(to, 1, neverCancelled);
    }

    expect(keys.replayed).toBe(10_000);
  });
});
