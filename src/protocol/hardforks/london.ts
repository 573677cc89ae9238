import { BASE_FEE_RULE } from '../fees.ts';
import { BERLIN } from './berlin.ts';
import { withOpcodes } from './opcodes.ts';
import type { RuleSet } from './rule-set.ts';

/**
 * London: base fee and type 2 transactions (EIP-1559), BASEFEE (EIP-3198), smaller refunds (EIP-3529), no new
 * code with the prefix 0xef (EIP-3541).
 */
export const LONDON: RuleSet = {
  ...BERLIN,
  name: 'london',
  transactionTypes: [0, 1, 2],
  fees: BASE_FEE_RULE,
  opcodes: withOpcodes(BERLIN.opcodes, { BASEFEE: 2 }),
  gas: {
    ...BERLIN.gas,
    storage: { ...BERLIN.gas.storage, clearRefund: 4_800 },
    selfDestructRefund: 0,
    refundQuotient: 5,
  },
  creations: { ...BERLIN.creations, rejectsEfCode: true },
  reference: { ...BERLIN.reference, hardfork: 'london' },
  toolHardfork: 'London',
};
