import { describe, expect, it } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import { fromHex } from '../../../src/primitives/hex.ts';
import { createTestChain, testAccount, transfer } from '../../support/test-chain.ts';

const SENDER = testAccount(0).address;
const OTHER = testAccount(1).address;
const CONTRACT = fromHex('0x00000000219ab540356cbb839cbe05303d7705fa');
/** Emits a DepositEvent without data. */
const CODE = fromHex('0x7f649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c55f5fa100');
const DEPOSIT = { to: CONTRACT, value: 0n, gasLimit: 100_000n };

async function strictChain(automine: boolean): Promise<Chain> {
  const { chain } = await createTestChain({
    ...{ ruleSet: 'prague', requiresValidRequests: true, automine, baseFee: 0n },
  });
  await chain.cheats.setCode(CONTRACT, CODE);
  return chain;
}

describe('a malformed deposit on a chain with valid requests', () => {
  it('fails a block that a client mines, and stays in the pool, as in Anvil', async () => {
    const chain = await strictChain(false);
    const malformed = await chain.sendFrom(SENDER, transfer(DEPOSIT));
    const hash = await chain.sendFrom(OTHER, transfer());
    await expect(chain.mine()).rejects.toThrow(
      'the block is invalid: cannot decode an event of the deposit contract in its transaction 0',
    );
    expect(chain.pool.size).toBe(2);
    expect(await chain.dropTransaction(malformed)).toBe(true);
    const [block] = await chain.mine();
    expect(block?.transactions.map((transaction) => transaction.hash)).toEqual([hash]);
  });

  it('rejects the request that sends it with automine', async () => {
    const chain = await strictChain(true);
    await expect(chain.sendFrom(SENDER, transfer(DEPOSIT))).rejects.toThrow('deposit contract');
    expect(chain.pool.size).toBe(0);
    await chain.sendFrom(SENDER, transfer());
    expect(chain.head().header.number).toBe(1);
  });
});
