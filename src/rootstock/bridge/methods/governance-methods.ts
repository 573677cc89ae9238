import { PrecompileError } from '../../../evm/precompiles/precompiled-contract.ts';
import type { AbiType, AbiValues } from '../../abi.ts';
import type { BridgeCall } from '../bridge-method.ts';
import {
  AUTHORIZERS,
  type BridgeMethod,
  defineBridgeMethod,
  defineEntrustedMethod,
  isAuthorized,
  requireLong,
} from '../bridge-method.ts';

const HASH_SIZE = 32;
const HIGHEST_FEE_PER_KILOBYTE = 5_000_000n;
/** Maximum factor of one increase of the locking cap. */
const LOCKING_CAP_GROWTH = 2n;

const FEE_VOTE = { success: 1n, notPositive: -1n, tooHigh: -2n, refused: -10n } as const;

const FEDERATION_VOTE = { noPendingFederation: -1n, refused: -10n } as const;

/**
 * Defines a vote on a new federation. Regtest keeps its genesis federation, because a new federation would
 * have to prove on the parent chain that it can sign. A vote can therefore neither create nor change a
 * federation.
 */
function federationVote<const Inputs extends readonly AbiType[]>(
  name: string,
  inputs: Inputs,
  gas: bigint,
  decide: (call: BridgeCall, inputs: AbiValues<Inputs>) => bigint,
): BridgeMethod {
  return defineEntrustedMethod({
    name,
    inputs,
    gas,
    authorizers: AUTHORIZERS.federation,
    refused: FEDERATION_VOTE.refused,
    decide,
  });
}

function noPendingFederation(): bigint {
  return FEDERATION_VOTE.noPendingFederation;
}

/** The methods of authorizers: federation, fee and cap. */
export const GOVERNANCE_METHODS: readonly BridgeMethod[] = [
  federationVote('createFederation', [], 11_000n, () => FEDERATION_VOTE.refused),
  federationVote('addFederatorPublicKeyMultikey', ['bytes', 'bytes', 'bytes'], 13_000n, noPendingFederation),
  federationVote('rollbackFederation', [], 12_000n, noPendingFederation),
  federationVote('commitFederation', ['bytes'], 38_000n, (_call, [hash]) => {
    if (hash.length !== HASH_SIZE) throw new PrecompileError('the hash must be 32 bytes long');
    return FEDERATION_VOTE.noPendingFederation;
  }),
  defineBridgeMethod({
    name: 'getFeePerKb',
    inputs: [],
    outputs: ['int256'],
    access: 'call only',
    gas: 2_000n,
    run: ({ state }) => [state.feePerKilobyte],
  }),
  defineEntrustedMethod({
    name: 'voteFeePerKbChange',
    inputs: ['int256'],
    gas: 10_000n,
    authorizers: AUTHORIZERS.feePerKilobyte,
    refused: FEE_VOTE.refused,
    decide({ state }, [fee]) {
      if (BigInt.asIntN(64, fee) !== fee) return FEE_VOTE.refused;
      if (fee <= 0n) return FEE_VOTE.notPositive;
      if (fee > HIGHEST_FEE_PER_KILOBYTE) return FEE_VOTE.tooHigh;
      // There is only one voter, so a vote decides.
      state.feePerKilobyte = fee;
      return FEE_VOTE.success;
    },
  }),
  defineBridgeMethod({
    name: 'getLockingCap',
    inputs: [],
    outputs: ['int256'],
    access: 'call only',
    gas: 3_000n,
    run: ({ state }) => [state.lockingCap],
  }),
  defineBridgeMethod({
    name: 'increaseLockingCap',
    inputs: ['int256'],
    outputs: ['bool'],
    access: 'write',
    gas: 8_000n,
    run(call, [cap]) {
      const { state } = call;
      if (requireLong(cap) <= 0n) throw new PrecompileError('the cap must be above zero');
      if (!isAuthorized(call, AUTHORIZERS.lockingCap)) return [false];
      if (cap < state.lockingCap || cap > LOCKING_CAP_GROWTH * state.lockingCap) return [false];
      state.lockingCap = cap;
      return [true];
    },
  }),
];
