import { describe, expect, it } from 'vitest';
import { addressOf, CONTRACT, code } from '../../reference/scene.ts';
import { type EnginePair, enginePair } from './engine-pair.ts';

/** Runs the code as a free call. Returns the gas used, and true if the code did not observe its gas. */
async function run(pair: EnginePair, digits: string, gasLimit = 100_000n) {
  pair.state.setCode(CONTRACT, code(digits));
  let isUnobserved = false;
  const onUnobservedGas = (): void => {
    isUnobserved = true;
  };
  const free = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
  const { gasBeforeRefund } = await pair.call({ to: CONTRACT, ...free, gasLimit, onUnobservedGas });
  return { gasBeforeRefund, isUnobserved };
}

describe('gas observed by code', () => {
  it.each([
    ['computes and emits a log', '6001 6002 01 600052 6020 6000 a0', true],
    ['writes a slot with much gas after it', '6001 6000 55 6080 6000 a0 6080 6000 a0 6080 6000 a0', true],
    ['ends with a write of the same value, which requires the stipend', '6000 6000 55', false],
    ['reads GAS', '5a 600052', false],
    ['calls', `6000 6000 6000 6000 6000 73${Buffer.from(addressOf(9)).toString('hex')} 61ffff f1`, false],
    ['creates', '6000 6000 6000 f0', false],
  ])('is known for code that %s', async (_, digits, expected) => {
    const pair = await enginePair('cancun');
    const { gasBeforeRefund, isUnobserved } = await run(pair, digits);
    expect(isUnobserved).toBe(expected);
    if (isUnobserved)
      expect((await run(pair, digits, gasBeforeRefund)).gasBeforeRefund).toBe(gasBeforeRefund);
  });

  it('is unknown under rules with state gas', async () => {
    expect(await run(await enginePair('amsterdam'), '6001')).toMatchObject({ isUnobserved: false });
  });

  it('is unknown for a precompile', async () => {
    const pair = await enginePair('cancun');
    let isUnobserved = false;
    const onUnobservedGas = (): void => {
      isUnobserved = true;
    };
    await pair.call({
      to: addressOf(0).fill(0, 0, 19).fill(2, 19),
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
      onUnobservedGas,
    });
    expect(isUnobserved).toBe(false);
  });
});
