import { withOpcodes } from './opcodes.ts';
import { PRAGUE } from './prague.ts';
import type { BlobRules, RuleSet } from './rule-set.ts';

/** The blob parameters that blob-parameter-only forks change. */
type BlobParameters = Pick<BlobRules, 'target' | 'maximum' | 'baseFeeUpdateFraction'>;

/** Returns the blob rules of Osaka with the parameters of a blob-parameter-only fork (EIP-7892). */
export function osakaBlobs({ target, maximum, baseFeeUpdateFraction }: BlobParameters): BlobRules {
  return {
    target,
    maximum,
    maximumInTransaction: 6,
    minBaseFee: 1n,
    baseFeeUpdateFraction,
    reserveGas: 8_192n,
    sidecar: 'cell proofs',
  };
}

/**
 * Osaka:
 *
 * - limits: 2^24 gas per transaction (EIP-7825), 8 MiB per block (EIP-7934), default block gas of 60 million
 *   (EIP-7935)
 * - CLZ (EIP-7939) and secp256r1 verification (EIP-7951)
 * - MODEXP: operand limit (EIP-7823) and higher price (EIP-7883)
 * - blobs: cell proofs and at most 6 blobs per transaction (EIP-7594), a base fee bound to the gas price
 *   (EIP-7918)
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
      modularExponentiation: { formula: 'EIP-7883', divisor: 1, minimum: 500, maxOperandLength: 1_024 },
    },
  },
  reference: {
    ...PRAGUE.reference,
    hardfork: 'osaka',
    // Calls may exceed the gas limit of transactions, so the engine does not check it.
    parameters: { ...PRAGUE.reference.parameters, 7825: { maxTransactionGasLimit: Number.MAX_SAFE_INTEGER } },
  },
  toolHardfork: 'Osaka',
};
