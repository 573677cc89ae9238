import { withOpcodes } from './opcodes.ts';
import { PARIS } from './paris.ts';
import type { RuleSet } from './rule-set.ts';

/** Shanghai: withdrawals (EIP-4895), warm coinbase (EIP-3651), PUSH0 (EIP-3855), initcode (EIP-3860). */
export const SHANGHAI: RuleSet = {
  ...PARIS,
  name: 'shanghai',
  hasWithdrawals: true,
  maximumInitcodeSize: 49_152,
  opcodes: withOpcodes(PARIS.opcodes, { PUSH0: 2 }),
  gas: {
    ...PARIS.gas,
    size: { ...PARIS.gas.size, initcodeWord: 2 },
    access: { warm: 100, coldAccount: 2_600, coldSlot: 2_100, coldSlotOfStore: 2_100, isCoinbaseWarm: true },
  },
  reference: { ...PARIS.reference, hardfork: 'shanghai' },
  toolHardfork: 'Shanghai',
};
