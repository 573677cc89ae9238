import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { setGasLimit, setMinimumGasPrice } from '../../src/chain/mining-controls.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const sender = testAccount(0).address;
const other = testAccount(2).address;

/** The local Rootstock network with its limits at genesis. */
const NETWORK: Partial<ChainOptions> = {
  networkLimits: true,
  gasLimit: 10_000_000n,
  gasLimitTarget: 7_500_000n,
};

/** Gas limit and minimum gas price of each block after genesis. */
async function headersOf(chain: Chain): Promise<readonly (readonly [bigint, bigint])[]> {
  const headers: (readonly [bigint, bigint])[] = [];
  for (let number = 1n; number <= BigInt(chain.head().header.number); number++) {
    const { header } = (await chain.view({ number })).block;
    headers.push([header.gasLimit, header.minimumGasPrice]);
  }
  return headers;
}

const priced = (price: bigint) => ({ maxFeePerGas: price, maxPriorityFeePerGas: price });

describe('block gas limit with network limits', () => {
  it('the block gas limit falls from 10,000,000 to its target and then keeps it', async () => {
    const { chain } = await createTestChain(NETWORK);
    await chain.mine({ count: 3 });
    expect((await headersOf(chain)).map(([gasLimit]) => gasLimit)).toEqual([
      9_990_235n,
      9_980_479n,
      9_970_733n,
    ]);
    await chain.mine({ count: 300 });
    expect(chain.head().header.gasLimit).toBe(7_500_000n);
  });

  it('the block gas limit is set in the pending block', async () => {
    const { chain } = await createTestChain(NETWORK);
    const pending = await chain.view({ tag: 'pending' });
    expect(pending.block.header.gasLimit).toBe(9_990_235n);
  });

  it('the block gas limit continues from the snapshot after a revert', async () => {
    const { chain } = await createTestChain(NETWORK);
    await chain.mine();
    const snapshot = await chain.snapshots.take();
    await chain.mine({ count: 5 });
    await chain.snapshots.revert(snapshot);
    await chain.mine();
    expect(chain.head().header.gasLimit).toBe(9_980_479n);
  });

  it('the block gas limit keeps a value set by the user', async () => {
    const { chain } = await createTestChain(NETWORK);
    await chain.mine();
    await chain.change(setGasLimit(20_000_000n));
    await chain.mine({ count: 3 });
    const limits = (await headersOf(chain)).map(([gasLimit]) => gasLimit);
    expect(limits).toEqual([9_990_235n, 20_000_000n, 20_000_000n, 20_000_000n]);
  });

  it('the block gas limit is the same for single blocks and for bulk mining', async () => {
    const { chain: one } = await createTestChain(NETWORK);
    const { chain: bulk } = await createTestChain(NETWORK);
    await one.mine({ count: 700 });
    await bulk.mineBulk({ count: 700 });
    expect(await headersOf(bulk)).toEqual(await headersOf(one));
  });

  it('the block gas limit does not change without network limits', async () => {
    const { chain } = await createTestChain();
    await chain.mine({ count: 3 });
    expect(chain.head().header.gasLimit).toBe(30_000_000n);
  });
});

describe('transaction gas limit with network limits', () => {
  it('a transaction gas limit is at most the gas of the sequential list', async () => {
    const { chain } = await createTestChain(NETWORK);
    await expect(chain.sendFrom(sender, transfer({ gasLimit: 6_800_002n }))).rejects.toThrow(
      "transaction's gas limit of 6800002 is higher than the block's gas limit of 6800001 (exceeds block gas limit, with --network-limits, a transaction can use at most the gas limit of the block's sequential list)",
    );
    const hash = await chain.sendFrom(sender, transfer({ gasLimit: 6_800_001n }));
    expect((await chain.transaction(hash))?.block.header.number).toBe(1);
  });

  it('the transactions of a block share the gas of the sequential list', async () => {
    const { chain } = await createTestChain({ ...NETWORK, automine: false });
    await chain.sendFrom(sender, transfer({ gasLimit: 6_800_000n }));
    await chain.sendFrom(other, transfer({ gasLimit: 6_780_000n }));
    await chain.mine();
    expect(chain.head().transactions).toHaveLength(1);
    await chain.mine();
    expect(chain.head().transactions).toHaveLength(1);
  });

  it('a transaction gas limit is only limited by the block without network limits', async () => {
    const { chain } = await createTestChain();
    const hash = await chain.sendFrom(sender, transfer({ gasLimit: 30_000_000n }));
    expect((await chain.transaction(hash))?.receipt.succeeded).toBe(true);
  });
});

describe('nonce window', () => {
  it('the nonce window applies only with network limits', async () => {
    const { chain } = await createTestChain(NETWORK);
    await chain.sendFrom(sender, transfer({ nonce: 15n }));
    await expect(chain.sendFrom(sender, transfer({ nonce: 16n }))).rejects.toThrow(
      'transaction nonce too high (nonce too high: got 16, highest is 15)',
    );
    const { chain: tolerant } = await createTestChain();
    await tolerant.sendFrom(sender, transfer({ nonce: 1_000n }));
    expect(tolerant.pool.queued()).toHaveLength(1);
  });
});

describe('minimum gas price with a target', () => {
  it('the minimum gas price changes by one percent or one wei per block up to the target', async () => {
    const { chain } = await createTestChain({ minimumGasPrice: 1_000n, minimumGasPriceTarget: 1_025n });
    await chain.mine({ count: 4 });
    expect((await headersOf(chain)).map(([, price]) => price)).toEqual([1_010n, 1_020n, 1_025n, 1_025n]);
    const { chain: falling } = await createTestChain({ minimumGasPrice: 2n, minimumGasPriceTarget: 0n });
    await falling.mine({ count: 3 });
    expect((await headersOf(falling)).map(([, price]) => price)).toEqual([1n, 0n, 0n]);
  });

  it('the pool rejects transactions below the minimum of the next block', async () => {
    const { chain } = await createTestChain({ minimumGasPrice: 1_000n, minimumGasPriceTarget: 2_000n });
    await expect(chain.sendFrom(sender, transfer(priced(1_009n)))).rejects.toThrow(
      "transaction's gas price lower than block's minimum (transaction underpriced: got 1009, minimum 1010)",
    );
    const hash = await chain.sendFrom(sender, transfer(priced(1_010n)));
    expect((await chain.transaction(hash))?.block.header.minimumGasPrice).toBe(1_010n);
  });

  it('the pool keeps underpriced transactions and mines them after a fall of the minimum', async () => {
    const { chain } = await createTestChain({
      minimumGasPrice: 1_000n,
      minimumGasPriceTarget: 2_000n,
      automine: false,
    });
    await chain.sendFrom(sender, transfer(priced(1_010n)));
    const snapshot = await chain.snapshots.take();
    await chain.change(setMinimumGasPrice(1_011n));
    await chain.mine({ count: 2 });
    expect(chain.head().transactions).toHaveLength(0);
    expect(chain.head().header.minimumGasPrice).toBe(1_011n);
    expect(chain.pool.pending()).toHaveLength(1);
    await chain.snapshots.revert(snapshot);
    await chain.mine();
    expect(chain.head().transactions).toHaveLength(1);
    expect(chain.head().header.minimumGasPrice).toBe(1_010n);
  });

  it('the minimum gas price is the same for single blocks and for bulk mining', async () => {
    const options = { minimumGasPrice: 10_000n, minimumGasPriceTarget: 20_000n };
    const { chain: one } = await createTestChain(options);
    const { chain: bulk } = await createTestChain(options);
    await one.mine({ count: 400 });
    await bulk.mineBulk({ count: 400 });
    expect(await headersOf(bulk)).toEqual(await headersOf(one));
    expect(bulk.head().header.minimumGasPrice).toBe(20_000n);
  });
});

describe('gas price cap', () => {
  it('the gas price cap is 80 times the next minimum with network limits and absent without', async () => {
    const { chain } = await createTestChain({ ...NETWORK, minimumGasPrice: 10n });
    await expect(chain.sendFrom(sender, transfer(priced(801n)))).rejects.toThrow(
      "transaction's gas price exceeds cap (got 801, cap 800)",
    );
    await chain.sendFrom(sender, transfer(priced(800n)));
    const { chain: tolerant } = await createTestChain({ minimumGasPrice: 10n });
    await tolerant.sendFrom(sender, transfer(priced(801n)));
    expect(tolerant.head().header.paidFees).toBe(801n * 21_000n);
  });
});
