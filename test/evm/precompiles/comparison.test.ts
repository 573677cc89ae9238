import { Hardfork } from '@ethereumjs/common';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KnownRuleSetName } from '../../../src/protocol/hardforks/registry.ts';
import { contractNamed } from './contracts.ts';
import { INPUTS } from './inputs.ts';
import { outcomeOf, referenceOf } from './reference.ts';

const SEED = 2537;

/** Each rule set that changes precompiles, with those that it adds or prices anew. */
const CASES: readonly [KnownRuleSetName, Hardfork, readonly string[]][] = [
  ['petersburg', Hardfork.Petersburg, ['BN254_ADD', 'BN254_MUL', 'BN254_PAIRING']],
  ['istanbul', Hardfork.Istanbul, ['MODEXP', 'BLAKE2F']],
  ['prague', Hardfork.Prague, Object.keys(INPUTS).filter((name) => name !== 'P256VERIFY')],
  ['osaka', Hardfork.Osaka, ['MODEXP', 'P256VERIFY']],
];

describe.each(CASES)('under %s', (ruleSet, hardfork, names) => {
  it.each(names)('%s does as in ethereumjs, whatever the input', async (name) => {
    const reference = await referenceOf(hardfork);
    const contract = contractNamed(ruleSet, name);
    const inputs = INPUTS[name];
    if (!inputs) throw new Error(`No inputs for ${name}`);
    await fc.assert(
      fc.asyncProperty(inputs.input, async (input) => {
        expect(await outcomeOf(contract, input)).toEqual(await reference(contract.address, input));
      }),
      { seed: SEED, numRuns: inputs.runs },
    );
  });
});
