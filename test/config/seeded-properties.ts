import fc from 'fast-check';

/**
 * Sets the same seed for each property test, so that results are reproducible. `PROPERTY_SEED` sets another
 * number, or `random` for a new seed per test, to search for more failures. fast-check prints the seed of a
 * failed property.
 */
const { PROPERTY_SEED = '33' } = process.env;
fc.configureGlobal(PROPERTY_SEED === 'random' ? {} : { seed: Number(PROPERTY_SEED) });
