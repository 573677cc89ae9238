import { describe, expect, it } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { createTestChain, transfer } from '../../support/test-chain.ts';

const STRANGER = new Uint8Array(20).fill(7);

async function unpayableChain(): Promise<{ readonly chain: Chain; readonly notices: string[] }> {
  const { chain } = await createTestChain({ automine: false, checksPoolBalances: false });
  const notices: string[] = [];
  chain.events.on('notice', (text) => void notices.push(text));
  return { chain, notices };
}

describe('transactions that their sender cannot pay', () => {
  it('the log contains the reason at the first block that skips the transaction', async () => {
    const { chain, notices } = await unpayableChain();
    const hash = await chain.sendUnsigned(STRANGER, transfer({ value: 5n }));
    await chain.mine({ count: 3 });
    expect(notices).toEqual([
      `Transaction ${toHex(hash)} waits in the pool: insufficient funds for gas * price + value: have 0, want 5`,
    ]);
  });

  it('later transactions of the sender are skipped without a reason of their own', async () => {
    const { chain, notices } = await unpayableChain();
    await chain.sendUnsigned(STRANGER, transfer({ value: 5n }));
    await chain.sendUnsigned(STRANGER, transfer({ value: 1n }));
    await chain.cheats.setBalance(STRANGER, 2n);
    const [block] = await chain.mine();
    expect(block?.transactions).toEqual([]);
    expect(notices).toHaveLength(1);
  });

  it('a transaction is mined when its sender can pay', async () => {
    const { chain } = await unpayableChain();
    const hash = await chain.sendUnsigned(STRANGER, transfer({ value: 5n }));
    await chain.mine();
    await chain.cheats.setBalance(STRANGER, 5n);
    const [block] = await chain.mine();
    expect(block?.transactions.map((transaction) => transaction.hash)).toEqual([hash]);
  });
});
