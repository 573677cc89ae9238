import { ISTANBUL } from './istanbul.ts';
import { withOpcodes } from './opcodes.ts';
import type { RuleSet } from './rule-set.ts';

/** Gas of the opcodes that access a warm account or slot (EIP-2929). */
export const WARM_ACCESS_GAS = {
  SLOAD: 100,
  BALANCE: 100,
  EXTCODESIZE: 100,
  EXTCODECOPY: 100,
  EXTCODEHASH: 100,
  CALL: 100,
  CALLCODE: 100,
  DELEGATECALL: 100,
  STATICCALL: 100,
};

/** Berlin: cold and warm accesses (EIP-2929), access lists (EIP-2930), MODEXP price (EIP-2565). */
export const BERLIN: RuleSet = {
  ...ISTANBUL,
  name: 'berlin',
  transactionTypes: [0, 1],
  opcodes: withOpcodes(ISTANBUL.opcodes, WARM_ACCESS_GAS),
  gas: {
    ...ISTANBUL.gas,
    storage: {
      scheme: 'net',
      sentry: 2_300,
      unchanged: 100,
      set: 20_000,
      reset: 2_900,
      clearRefund: 15_000,
      restoredZeroRefund: 19_900,
      restoredValueRefund: 2_800,
    },
    access: { warm: 100, coldAccount: 2_600, coldSlot: 2_100, coldSlotOfStore: 2_100, isCoinbaseWarm: false },
  },
  precompiles: {
    ...ISTANBUL.precompiles,
    gas: {
      ...ISTANBUL.precompiles.gas,
      modularExponentiation: { formula: 'EIP-2565', divisor: 3, minimum: 200, maxOperandLength: null },
    },
  },
  reference: { ...ISTANBUL.reference, hardfork: 'berlin' },
  toolHardfork: 'Berlin',
};
