import { CONSTANTINOPLE } from './constantinople.ts';
import type { RuleSet } from './rule-set.ts';

/** Petersburg removes EIP-1283 (EIP-1716). The public state tests call it `ConstantinopleFix`. */
export const PETERSBURG: RuleSet = {
  ...CONSTANTINOPLE,
  name: 'petersburg',
  gas: {
    ...CONSTANTINOPLE.gas,
    storage: { scheme: 'flat', set: 20_000, reset: 5_000, clearRefund: 15_000 },
  },
  reference: { ...CONSTANTINOPLE.reference, hardfork: 'petersburg' },
  toolHardfork: 'Petersburg',
};
