import { fromHex } from '../../primitives/hex.ts';
import { CANCUN } from './cancun.ts';
import type { RuleSet } from './rule-set.ts';
import { CONSOLIDATION_REQUESTS, HISTORY_STORAGE, WITHDRAWAL_REQUESTS } from './system-contracts.ts';

/**
 * Prague:
 *
 * - set-code transactions and delegations (EIP-7702), calldata floor (EIP-7623)
 * - requests (EIP-7685) for withdrawals (EIP-7002), consolidations (EIP-7251) and deposits (EIP-6110)
 * - a system contract with block hashes (EIP-2935)
 * - more blobs (EIP-7691), BLS12-381 precompiles (EIP-2537)
 */
export const PRAGUE: RuleSet = {
  ...CANCUN,
  name: 'prague',
  transactionTypes: [0, 1, 2, 3, 4],
  blobs: {
    target: 6,
    maximum: 9,
    maximumInTransaction: 9,
    minBaseFee: 1n,
    baseFeeUpdateFraction: 5_007_716n,
    reserveGas: null,
    sidecar: 'blob proofs',
  },
  hasRequests: true,
  systemContracts: [...CANCUN.systemContracts, HISTORY_STORAGE, WITHDRAWAL_REQUESTS, CONSOLIDATION_REQUESTS],
  depositContract: fromHex('0x00000000219ab540356cbb839cbe05303d7705fa'),
  intrinsicGas: { ...CANCUN.intrinsicGas, floorPerToken: 10n },
  calls: { ...CANCUN.calls, followsDelegations: true },
  precompiles: {
    ...CANCUN.precompiles,
    contracts: [
      ...CANCUN.precompiles.contracts,
      'BLS12_G1ADD',
      'BLS12_G1MSM',
      'BLS12_G2ADD',
      'BLS12_G2MSM',
      'BLS12_PAIRING_CHECK',
      'BLS12_MAP_FP_TO_G1',
      'BLS12_MAP_FP2_TO_G2',
    ],
  },
  reference: { ...CANCUN.reference, hardfork: 'prague' },
  toolHardfork: 'Prague',
};
