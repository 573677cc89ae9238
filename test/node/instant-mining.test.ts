import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const sender = testAccount(0).address;
const receiver = testAccount(1).address;

describe('instant mining', () => {
  it('has the receipt when the hash is given', async () => {
    const { chain } = await createTestChain();
    const hash = await chain.sendFrom(sender, transfer({ value: 5n }));
    const location = await chain.transaction(hash);
    expect(location?.receipt.succeeded).toBe(true);
    expect(location?.receipt.gasUsed).toBe(21_000n);
    expect(location?.block.header.number).toBe(1);
    expect(chain.head().header.number).toBe(1);
    const { state } = await chain.view({ tag: 'latest' });
    expect(state.account(receiver)?.balance).toBe(10n ** 20n + 5n);
  });

  it('gives each of many transactions at once a nonce and a block of its own', async () => {
    const { chain } = await createTestChain();
    const hashes = await Promise.all(Array.from({ length: 20 }, () => chain.sendFrom(sender, transfer())));
    expect(new Set(hashes.map(toHex)).size).toBe(20);
    expect(chain.head().header.number).toBe(20);
    const locations = await Promise.all(hashes.map((hash) => chain.transaction(hash)));
    expect(locations.map((location) => location?.block.transactions.length)).toEqual(Array(20).fill(1));
    expect(locations.map((location) => location?.transaction.nonce)).toEqual(
      Array.from({ length: 20 }, (_, index) => BigInt(index)),
    );
  });

  it('queues a future nonce and mines it, in a block of its own, when the gap closes', async () => {
    const { chain } = await createTestChain();
    const later = await chain.sendFrom(sender, transfer({ nonce: 1n }));
    expect(chain.head().header.number).toBe(0);
    expect(chain.pool.queued().map(({ hash }) => hash)).toEqual([later]);
    expect(await chain.pendingNonce(sender)).toBe(0n);
    const first = await chain.sendFrom(sender, transfer({ nonce: 0n }));
    expect((await chain.transaction(first))?.block.header.number).toBe(1);
    expect((await chain.transaction(later))?.block.header.number).toBe(2);
    expect(chain.pool.size).toBe(0);
  });

  it('gives fees to the coinbase and counts them in the header', async () => {
    const { chain } = await createTestChain();
    await chain.sendFrom(sender, transfer({ maxFeePerGas: 7n, maxPriorityFeePerGas: 7n }));
    const { state, block } = await chain.view({ tag: 'latest' });
    expect(block.header.paidFees).toBe(7n * 21_000n);
    expect(state.account(chain.options.coinbase)?.balance).toBe(7n * 21_000n);
  });

  it('refuses what the pool refuses and changes nothing', async () => {
    const { chain } = await createTestChain();
    await expect(chain.sendFrom(sender, transfer({ value: 10n ** 30n }))).rejects.toThrow(
      /insufficient funds/,
    );
    await expect(chain.sendFrom(sender, transfer({ gasLimit: 20_999n }))).rejects.toThrow(
      /intrinsic gas too low/,
    );
    expect(chain.pool.size).toBe(0);
    expect(chain.head().header.number).toBe(0);
    await chain.sendFrom(sender, transfer());
    await expect(chain.sendFrom(sender, transfer({ nonce: 0n }))).rejects.toThrow(/nonce too low/);
    expect(chain.head().header.number).toBe(1);
  });

  it('leaves what costs more than the base fee allows in the pool until a block can take it', async () => {
    const { chain } = await createTestChain({ ruleSet: 'london' });
    const cheap = await chain.sendFrom(sender, transfer({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }));
    expect(chain.head().header.number).toBe(0);
    expect(chain.pool.byHash(cheap)).toBeDefined();
    const other = await chain.sendFrom(
      testAccount(2).address,
      transfer({ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n, type: 2 }),
    );
    expect((await chain.transaction(other))?.block.header.number).toBe(1);
    expect((await chain.transaction(other))?.receipt.effectiveGasPrice).toBe(875_000_001n);
  });
});
