// Estimated fees of pegouts (RSKIP-271, RSKIP-305, RSKIP-540).

import { PrecompileError } from '../../evm/precompiles/precompiled-contract.ts';
import { fromHex } from '../../primitives/hex.ts';
import { hash160 } from '../bitcoin/script.ts';
import type { PegoutCall } from './add-release.ts';
import { buildBatch } from './pegout-creation.ts';
import { assumedSize } from './release-transaction.ts';

/** The inputs and outputs of a usual pegout, and the outputs in addition to the queue in an estimate. */
const USUAL_INPUTS = 2;
const USUAL_OUTPUTS = 2;

/** The recipient of simulated pegouts: the hash of a key that nobody has. */
const RECIPIENT = hash160(fromHex('0x0329f519f8d13a7e3dd35fa5c2480c6bf6c0489da40081e8311a91813492083953'));

/** The parts of a call that assumed fees depend on. */
type FeeCall = Pick<PegoutCall, 'state' | 'constants' | 'upgrades'>;

/** Returns the fee of a transaction with two inputs and this number of outputs, in satoshi. */
function assumedFee({ state, constants, upgrades }: FeeCall, outputs: number): bigint {
  const size = assumedSize(constants.federation, USUAL_INPUTS, outputs, upgrades);
  return (state.feePerKilobyte * BigInt(size)) / 1000n;
}

/** Returns the lowest amount that can be released, in satoshi, if only its fee counts. */
export function minimumForFee(call: FeeCall): bigint {
  const fee = assumedFee(call, USUAL_OUTPUTS);
  return fee + (fee * call.constants.leftAfterFee) / 100n;
}

/** Returns the fee of the transaction with the queued pegouts and one more; `null` if it cannot be built. */
function simulatedFee(call: PegoutCall, amount: bigint): bigint | null {
  const result = buildBatch(call, [...call.state.queuedPegouts(), { destination: RECIPIENT, amount }]);
  if ('failure' in result) return null;
  const sum = (items: readonly { readonly value: bigint }[]): bigint =>
    items.reduce((total, { value }) => total + value, 0n);
  return sum(result.inputs) - sum(result.outputs);
}

/** Returns the fee of the next pegout transaction with one more pegout, in satoshi. */
export function feeOfNextPegout(call: PegoutCall): bigint {
  const { state, constants } = call;
  return simulatedFee(call, constants.minimumPegout) ?? assumedFee(call, state.queueLength + USUAL_OUTPUTS);
}

/**
 * Returns the fee of the next pegout transaction with one more pegout of this amount (satoshi). Throws
 * `PrecompileError` if the federation cannot pay it.
 */
export function feeOfAmount(call: PegoutCall, amount: bigint): bigint {
  if (amount < call.constants.minimumPegout) throw new PrecompileError('the amount is too low for a pegout');
  const fee = simulatedFee(call, amount);
  if (fee === null)
    throw new PrecompileError('the federation cannot pay the pegout from its coins on the parent chain');
  return fee;
}
