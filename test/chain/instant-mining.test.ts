import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const sender = testAccount(0).address;
const receiver = testAccount(1).address;

describe('automine', () => {
  it('mines a transaction before it returns the hash', async () => {
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

  it('gives each of 20 concurrent transactions its own nonce and block', async () => {
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

  it('mines queued nonces in the block that fills the gap', async () => {
    const { chain } = await createTestChain();
    const last = await chain.sendFrom(sender, transfer({ nonce: 2n }));
    const later = await chain.sendFrom(sender, transfer({ nonce: 1n }));
    expect(chain.head().header.number).toBe(0);
    expect(chain.pool.queued().map(({ hash }) => hash)).toEqual([later, last]);
    expect(await chain.pendingNonce(sender)).toBe(0n);
    const first = await chain.sendFrom(sender, transfer({ nonce: 0n }));
    expect(chain.head().header.number).toBe(1);
    expect(chain.head().transactions.map(({ hash }) => hash)).toEqual([first, later, last]);
    expect(chain.pool.size).toBe(0);
  });

  it('mines another block only for transactions that do not fit', async () => {
    const { chain } = await createTestChain({ gasLimit: 50_000n });
    for (const nonce of [3n, 2n, 1n]) await chain.sendFrom(sender, transfer({ nonce }));
    await chain.sendFrom(sender, transfer({ nonce: 0n }));
    expect(chain.head().header.number).toBe(2);
    expect(chain.head().transactions.map(({ nonce }) => nonce)).toEqual([2n, 3n]);
    expect(chain.pool.size).toBe(0);
  });

  it('pays fees to the coinbase and sums them in the header', async () => {
    const { chain } = await createTestChain();
    await chain.sendFrom(sender, transfer({ maxFeePerGas: 7n, maxPriorityFeePerGas: 7n }));
    const { state, block } = await chain.view({ tag: 'latest' });
    expect(block.header.paidFees).toBe(7n * 21_000n);
    expect(state.account(chain.options.coinbase)?.balance).toBe(7n * 21_000n);
  });

  it('rejects transactions that the pool rejects without a change', async () => {
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

  it('rejects a transaction below the base fee and accepts the next one', async () => {
    const { chain } = await createTestChain({ ruleSet: 'london' });
    const cheap = transfer({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n });
    await expect(chain.sendFrom(sender, cheap)).rejects.toThrow(/max fee per gas less than block base fee/);
    expect(chain.pool.size).toBe(0);
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n, type: 2 } as const;
    const sent = await chain.sendFrom(sender, transfer(fees));
    expect((await chain.transaction(sent))?.receipt.effectiveGasPrice).toBe(875_000_001n);
  });

  it('keeps a transaction below the base fee if automine is off', async () => {
    const { chain } = await createTestChain({ ruleSet: 'london', automine: false });
    const cheap = transfer({ maxFeePerGas: 800_000_000n, maxPriorityFeePerGas: 1n, type: 2 });
    const hash = await chain.sendFrom(sender, cheap);
    await chain.mine();
    expect(chain.pool.byHash(hash)).toBeDefined();
    await chain.mine();
    expect(await chain.transaction(hash)).toBeDefined();
  });

  it('rejects fields that are invalid in every block', async () => {
    const { chain } = await createTestChain({ ruleSet: 'london' });
    const fees = { type: 2, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 10n + 1n } as const;
    await expect(chain.sendFrom(sender, transfer(fees))).rejects.toThrow(
      /max priority fee per gas higher than/,
    );
    const last = { ...fees, maxPriorityFeePerGas: 1n, nonce: 2n ** 64n - 1n };
    await expect(chain.sendFrom(sender, transfer(last))).rejects.toThrow(
      /above the maximum of 2\^64 - 2 \(nonce too high/,
    );
    expect(chain.pool.size).toBe(0);
  });

  it('emits pendingTransaction once per executable transaction, also after a gap', async () => {
    const { chain } = await createTestChain({ automine: false });
    const told: bigint[] = [];
    chain.events.on('pendingTransaction', ({ nonce }) => told.push(nonce));
    for (const nonce of [2n, 1n, 4n]) await chain.sendFrom(sender, transfer({ nonce }));
    expect(told).toEqual([]);
    await chain.sendFrom(sender, transfer({ nonce: 0n }));
    expect(told).toEqual([0n, 1n, 2n]);
    await chain.sendFrom(sender, transfer({ nonce: 1n, maxFeePerGas: 5n, maxPriorityFeePerGas: 5n }));
    expect(told).toEqual([0n, 1n, 2n, 1n]);
  });

  it('yields while it mines 100 blocks', async () => {
    const { chain } = await createTestChain();
    const order: string[] = [];
    const mining = chain.mine({ count: 100 }).then(() => order.push('mined'));
    setImmediate(() => order.push('heard'));
    await mining;
    expect(order).toEqual(['heard', 'mined']);
  });
});
