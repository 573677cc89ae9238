import { Hardfork } from '@ethereumjs/common';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RuleSetName } from '../../../src/protocol/hardforks/registry.ts';
import { contractNamed } from './contracts.ts';
import { INPUTS } from './inputs.ts';
import { outcomeOf, referenceOf } from './reference.ts';

/** Each rule set that changes precompiles, with the precompiles that it adds or reprices. */
const CASES: readonly [RuleSetName, Hardfork, readonly string[]][] = [
  ['petersburg', Hardfork.Petersburg, ['BN254_ADD', 'BN254_MUL', 'BN254_PAIRING']],
  ['istanbul', Hardfork.Istanbul, ['MODEXP', 'BLAKE2F']],
  ['prague', Hardfork.Prague, Object.keys(INPUTS).filter((name) => name !== 'P256VERIFY')],
  ['osaka', Hardfork.Osaka, ['MODEXP', 'P256VERIFY']],
];

it.each([
  ['BLS12_G1MSM', 160],
  ['BLS12_G2MSM', 288],
])('%s has the price of ethereumjs for 1 to 129 products', async (name, size) => {
  const reference = await referenceOf(Hardfork.Prague);
  const contract = contractNamed('prague', name);
  for (let count = 1; count <= 129; count++) {
    const input = new Uint8Array(size * count);
    const outcome = await reference(contract.address, input);
    expect([count, outcome]).toEqual([count, expect.objectContaining({ gas: contract.gas(input) })]);
  }
});

describe.each(CASES)('precompiles under %s', (ruleSet, hardfork, names) => {
  it.each(names)('%s returns the outcome of ethereumjs for random input', async (name) => {
    const reference = await referenceOf(hardfork);
    const contract = contractNamed(ruleSet, name);
    const inputs = INPUTS[name];
    if (!inputs) throw new Error(`No inputs for ${name}`);
    await fc.assert(
      fc.asyncProperty(inputs.input, async (input) => {
        expect(await outcomeOf(contract, input)).toEqual(await reference(contract.address, input));
      }),
      { numRuns: inputs.runs },
    );
  });
});
