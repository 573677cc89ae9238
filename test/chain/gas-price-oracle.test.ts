import { describe, expect, it } from 'vitest';
import { setMinimumGasPrice, setNextBaseFee } from '../../src/chain/mining-controls.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const sender = testAccount(0).address;
const MINIMUM = 1_000n;
const PAID = 5_000n;
const GWEI = 10n ** 9n;

const paying = (price: bigint) => transfer({ maxFeePerGas: price, maxPriorityFeePerGas: price });

describe('the gas price that the node suggests', () => {
  it('is 0 by default', async () => {
    const { chain } = await createTestChain();
    expect(chain.fees.gasPrice()).toBe(0n);
  });

  it('is a tenth above the minimum, and follows a minimum that is set', async () => {
    const { chain } = await createTestChain({ minimumGasPrice: MINIMUM });
    expect(chain.fees.gasPrice()).toBe(1_100n);
    await chain.change(setMinimumGasPrice(2_000n));
    expect(chain.fees.gasPrice()).toBe(2_200n);
  });

  it('is a tenth above the minimum of the last block on the way to a target, never below that of the next', async () => {
    const { chain } = await createTestChain({ minimumGasPrice: MINIMUM, minimumGasPriceTarget: 2_000n });
    expect(chain.fees.gasPrice()).toBe(1_100n);
    await chain.mine();
    expect(chain.fees.gasPrice()).toBe(1_111n);
    const { chain: small } = await createTestChain({ minimumGasPrice: 1n, minimumGasPriceTarget: 9n });
    expect(small.fees.gasPrice()).toBe(2n);
    await small.sendFrom(sender, paying(small.fees.gasPrice()));
  });

  it('is what was asked for, unless the minimum has outgrown it', async () => {
    const { chain } = await createTestChain({
      minimumGasPrice: 100n,
      minimumGasPriceTarget: 102n,
      gasPrice: 101n,
    });
    expect(chain.fees.gasPrice()).toBe(101n);
    await chain.mine();
    expect(chain.fees.gasPrice()).toBe(102n);
  });

  it('follows full blocks up, and their revert down', async () => {
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

  it('is the next base fee and a gwei, or the minimum, above it under rules with one', async () => {
    const { chain } = await createTestChain({ ruleSet: 'london', minimumGasPrice: MINIMUM });
    expect(chain.fees.nextBaseFee()).toBe(875_000_000n);
    expect(chain.fees.gasPrice()).toBe(875_000_000n + GWEI);
    const { chain: dear } = await createTestChain({ ruleSet: 'london', minimumGasPrice: 3n * GWEI });
    expect(dear.fees.gasPrice()).toBe(875_000_000n + 3n * GWEI);
    const { chain: old } = await createTestChain({ ruleSet: 'istanbul', minimumGasPrice: MINIMUM });
    expect(old.fees.gasPrice()).toBe(MINIMUM);
  });

  it("is never below the head's base fee, nor below the next one, also where it was set", async () => {
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
