import { withOpcodes } from './opcodes.ts';
import { PRAGUE } from './prague.ts';
import type { BlobRules, RuleSet } from './rule-set.ts';

/** The blob parameters that Osaka has from Prague: how many blobs there are in a block, and how fast their price moves. */
type BlobParameters = Pick<BlobRules, 'target' | 'maximum' | 'baseFeeUpdateFraction'>;

/** Returns the rules of Osaka for blobs, with the numbers that the blob-parameter forks after it change (EIP-7892). */
export function osakaBlobs({ target, maximum, baseFeeUpdateFraction }: BlobParameters): BlobRules {
  return {
    target,
    maximum,
    maximumInTransaction: 6,
    leastBaseFee: 1n,
    baseFeeUpdateFraction,
    reserveGas: 8_192n,
    sidecar: 'cell proofs',
  };
}

/**
 * Osaka: at most 2^24 gas in a transaction (EIP-7825), blocks of at most 8 MiB (EIP-7934), blocks of 60 million gas
 * (EIP-7935), CLZ (EIP-7939), the check of secp256r1 signatures (EIP-7951), MODEXP with a limit (EIP-7823) and at a higher
 * price (EIP-7883), proofs of the cells of blobs, of which a transaction has at most 6 (EIP-7594), a
 * base fee of blobs that follows that of gas (EIP-7918).
 */
export const OSAKA: RuleSet = {
  ...PRAGUE,
  name: 'osaka',
  blobs: osakaBlobs({ target: 6, maximum: 9, baseFeeUpdateFraction: 5_007_716n }),
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
