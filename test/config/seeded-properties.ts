import fc from 'fast-check';

/**
 * Gives every property test the same seed in each run, so that what passes once passes again. `PROPERTY_SEED` sets
 * another one, as a number, or a new one with each test where it is `random`: the way to look for what this seed does
 * not find. fast-check prints the seed of a property that fails.
 */
const { PROPERTY_SEED = '33' } = process.env;
fc.configureGlobal(PROPERTY_SEED === 'random' ? {} : { seed: Number(PROPERTY_SEED) });
