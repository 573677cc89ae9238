import { describe, expect, it } from 'vitest';
import { setMinimumGasPrice, setNextBaseFee } from '../../src/chain/mining-controls.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const sender = testAccount(0).address;
const MINIMUM = 1_000n;
const PAID = 5_000n;
const GWEI = 10n ** 9n;

const paying = (price: bigint) => transfer({ maxFeePerGas: price, maxPriorityFeePerGas: price });

describe('suggested gas price', () => {
  it('the suggested gas price is 0 by default', async () => {
    const { chain } = await createTestChain();
    expect(chain.fees.gasPrice()).toBe(0n);
  });

  it('the suggested gas price is 10% above the minimum and follows a changed minimum', async () => {
    const { chain } = await createTestChain({ minimumGasPrice: MINIMUM });
    expect(chain.fees.gasPrice()).toBe(1_100n);
    await chain.change(setMinimumGasPrice(2_000n));
    expect(chain.fees.gasPrice()).toBe(2_200n);
  });

  it('the suggested gas price is 10% above the last minimum and at least the next one', async () => {
    const { chain } = await createTestChain({ minimumGasPrice: MINIMUM, minimumGasPriceTarget: 2_000n });
    expect(chain.fees.gasPrice()).toBe(1_100n);
    await chain.mine();
    expect(chain.fees.gasPrice()).toBe(1_111n);
    const { chain: small } = await createTestChain({ minimumGasPrice: 1n, minimumGasPriceTarget: 9n });
    expect(small.fees.gasPrice()).toBe(2n);
    await small.sendFrom(sender, paying(small.fees.gasPrice()));
  });

  it('the suggested gas price is the configured price unless the minimum is higher', async () => {
    const { chain } = await createTestChain({
      minimumGasPrice: 100n,
      minimumGasPriceTarget: 102n,
      gasPrice: 101n,
    });
    expect(chain.fees.gasPrice()).toBe(101n);
    await chain.mine();
    expect(chain.fees.gasPrice()).toBe(102n);
  });

  it('the suggested gas price rises after full blocks and falls after a snapshot revert', async () => {
    const { chain } = await createTestChain({
      minimumGasPrice: MINIMUM,
      gasLimit: 231_000n,
      automine: false,
    });
    const before = await chain.snapshots.take();
    for (let block = 0; block < 50; block++) {
      for (let index = 0; index < 11; index++) await chain.sendFrom(sender, paying(PAID));
      await chain.mine();
      expect(chain.head().header.gasUsed).toBe(231_000n);
    }
    expect(chain.fees.gasPrice()).toBe(PAID);
    await chain.snapshots.revert(before);
    expect(chain.fees.gasPrice()).toBe(1_100n);
  });

  it('the suggested gas price is the next base fee plus one gwei or the minimum', async () => {
    const { chain } = await createTestChain({ ruleSet: 'london', minimumGasPrice: MINIMUM });
    expect(chain.fees.nextBaseFee()).toBe(875_000_000n);
    expect(chain.fees.gasPrice()).toBe(875_000_000n + GWEI);
    const { chain: dear } = await createTestChain({ ruleSet: 'london', minimumGasPrice: 3n * GWEI });
    expect(dear.fees.gasPrice()).toBe(875_000_000n + 3n * GWEI);
    const { chain: old } = await createTestChain({ ruleSet: 'istanbul', minimumGasPrice: MINIMUM });
    expect(old.fees.gasPrice()).toBe(MINIMUM);
  });

  it('the suggested gas price is at least the base fees of the head and the next block', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    await chain.change(setNextBaseFee(50n * GWEI));
    expect(chain.fees.gasPrice()).toBe(51n * GWEI);
    await chain.mine();
    await chain.change(setNextBaseFee(7n));
    expect(chain.fees.gasPrice()).toBe(50n * GWEI);
    const { chain: cheap } = await createTestChain({ ruleSet: 'prague', gasPrice: 1n });
    expect(cheap.fees.gasPrice()).toBe(GWEI);
    await cheap.change(setNextBaseFee(9n * GWEI));
    expect(cheap.fees.gasPrice()).toBe(9n * GWEI);
  });
});
