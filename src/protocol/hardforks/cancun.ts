import { withOpcodes } from './opcodes.ts';
import type { RuleSet } from './rule-set.ts';
import { SHANGHAI } from './shanghai.ts';
import { BEACON_ROOTS } from './system-contracts.ts';

/**
 * Cancun:
 *
 * - TLOAD and TSTORE (EIP-1153), MCOPY (EIP-5656)
 * - blobs with BLOBHASH and point evaluation (EIP-4844), BLOBBASEFEE (EIP-7516)
 * - the beacon root in headers and in a system contract (EIP-4788)
 * - SELFDESTRUCT only for new contracts (EIP-6780)
 */
export const CANCUN: RuleSet = {
  ...SHANGHAI,
  name: 'cancun',
  hasBlobFields: true,
  systemContracts: [BEACON_ROOTS],
  transactionTypes: [0, 1, 2, 3],
  blobs: {
    target: 3,
    maximum: 6,
    maximumInTransaction: 6,
    minBaseFee: 1n,
    baseFeeUpdateFraction: 3_338_477n,
    reserveGas: null,
    sidecar: 'blob proofs',
  },
  opcodes: withOpcodes(SHANGHAI.opcodes, { TLOAD: 100, TSTORE: 100, MCOPY: 3, BLOBHASH: 3, BLOBBASEFEE: 2 }),
  accounts: { ...SHANGHAI.accounts, selfDestructRemoves: 'created in the same transaction' },
  precompiles: {
    ...SHANGHAI.precompiles,
    contracts: [...SHANGHAI.precompiles.contracts, 'KZG_POINT_EVALUATION'],
  },
  reference: { ...SHANGHAI.reference, hardfork: 'cancun' },
  toolHardfork: 'Cancun',
};
