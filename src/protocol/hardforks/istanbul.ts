import { withOpcodes } from './opcodes.ts';
import { PETERSBURG } from './petersburg.ts';
import type { RuleSet } from './rule-set.ts';

/**
 * Istanbul: CHAINID (EIP-1344), SELFBALANCE and more expensive state reads (EIP-1884), cheaper calldata
 * (EIP-2028), net gas metering of SSTORE (EIP-2200), BLAKE2F (EIP-152), cheaper alt_bn128 operations
 * (EIP-1108).
 */
export const ISTANBUL: RuleSet = {
  ...PETERSBURG,
  name: 'istanbul',
  intrinsicGas: { ...PETERSBURG.intrinsicGas, nonZeroByte: 16n },
  opcodes: withOpcodes(PETERSBURG.opcodes, {
    SLOAD: 800,
    BALANCE: 700,
    EXTCODEHASH: 700,
    CHAINID: 2,
    SELFBALANCE: 5,
  }),
  gas: {
    ...PETERSBURG.gas,
    storage: {
      scheme: 'net',
      sentry: 2_300,
      unchanged: 800,
      set: 20_000,
      reset: 5_000,
      clearRefund: 15_000,
      restoredZeroRefund: 19_200,
      restoredValueRefund: 4_200,
    },
  },
  precompiles: {
    ...PETERSBURG.precompiles,
    contracts: [...PETERSBURG.precompiles.contracts, 'BLAKE2F'],
    gas: {
      ...PETERSBURG.precompiles.gas,
      bn254Add: 150,
      bn254Multiply: 6_000,
      bn254Pairing: { base: 45_000, pair: 34_000 },
    },
  },
  reference: { ...PETERSBURG.reference, hardfork: 'istanbul' },
  toolHardfork: 'Istanbul',
};
