import { withOpcodes } from './opcodes.ts';
import { PRAGUE } from './prague.ts';
import type { RuleSet } from './rule-set.ts';

/**
 * Osaka: at most 2^24 gas in a transaction (EIP-7825), blocks of at most 8 MiB (EIP-7934), blocks of 60 million gas
 * (EIP-7935), CLZ (EIP-7939), the check of secp256r1 signatures (EIP-7951), MODEXP with a limit (EIP-7823) and at a higher
 * price (EIP-7883).
 */
export const OSAKA: RuleSet = {
  ...PRAGUE,
  name: 'osaka',
  maximumTransactionGas: 16_777_216n,
  maximumBlockSize: 8_388_608,
  usualBlockGas: 60_000_000n,
  opcodes: withOpcodes(PRAGUE.opcodes, { CLZ: 5 }),
  precompiles: {
    ...PRAGUE.precompiles,
    contracts: [...PRAGUE.precompiles.contracts, 'P256VERIFY'],
    gas: {
      ...PRAGUE.precompiles.gas,
      modularExponentiation: { formula: 'EIP-7883', divisor: 1, minimum: 500, longestOperand: 1_024 },
    },
  },
  reference: {
    ...PRAGUE.reference,
    hardfork: 'osaka',
    // Calls may ask for more than a transaction can have, which the node checks itself.
    parameters: { ...PRAGUE.reference.parameters, 7825: { maxTransactionGasLimit: Number.MAX_SAFE_INTEGER } },
  },
  toolHardfork: 'Osaka',
};
