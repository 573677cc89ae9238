import { equalBytes } from '../../../../primitives/bytes.ts';
import type { NetworkUpgrade } from '../../../../protocol/hardforks/network-upgrades.ts';
import { PrecompileError } from '../../errors.ts';
import { type AbiType, type AbiValues, abiSelector, decodeAbi, encodeAbi } from '../abi.ts';
import type { BridgeCall } from './bridge-call.ts';
import type { BridgeState } from './bridge-state.ts';
import { FEDERATION } from './federation.ts';

/**
 * Who may call a method: `question` only what is not a transaction (eth_call, eth_estimateGas), also through contracts;
 * `reading` everybody, also through STATICCALL; `writing` everybody, but not through STATICCALL.
 */
export type BridgeAccess = 'question' | 'reading' | 'writing';

/** What a method of the Bridge is made of. */
export interface BridgeMethodParts<Inputs extends readonly AbiType[], Outputs extends readonly AbiType[]> {
  readonly name: string;
  readonly inputs: Inputs;
  readonly outputs: Outputs;
  readonly access: BridgeAccess;
  /** The proposal that brought the method; left out where all chains of the network have it. */
  readonly upgrade?: NetworkUpgrade | undefined;
  /** Gas, without what each byte of the input costs: a fixed price, or one by the arguments. */
  readonly gas: bigint | ((inputs: AbiValues<Inputs>, state: BridgeState) => bigint);
  /** What the method answers. Throws a `PrecompileError` where the network's Bridge fails. */
  run(call: BridgeCall, inputs: AbiValues<Inputs>): AbiValues<Outputs>;
}

/** A method of the Bridge with its types put away. */
export interface BridgeMethod {
  readonly name: string;
  /** 4 bytes. */
  readonly selector: Uint8Array;
  readonly access: BridgeAccess;
  /** The proposal that brought the method; `undefined` where all chains of the network have it. */
  readonly upgrade: NetworkUpgrade | undefined;
  /** Gas for a call with these arguments. Throws a `PrecompileError` when there is nothing to be read from them. */
  gas(argumentBytes: Uint8Array, state: BridgeState): bigint;
  run(call: BridgeCall, argumentBytes: Uint8Array): Uint8Array;
}

/** A method of the Bridge. */
export function defineBridgeMethod<
  const Inputs extends readonly AbiType[],
  const Outputs extends readonly AbiType[],
>(parts: BridgeMethodParts<Inputs, Outputs>): BridgeMethod {
  const { name, inputs, outputs, access, upgrade, gas, run } = parts;
  return {
    name,
    selector: abiSelector(name, inputs),
    access,
    upgrade,
    gas(argumentBytes, state) {
      const values = decodeAbi(inputs, argumentBytes);
      return typeof gas === 'bigint' ? gas : gas(values, state);
    },
    run: (call, argumentBytes) => encodeAbi(outputs, run(call, decodeAbi(inputs, argumentBytes))),
  };
}

/** The lowest 32 bits of a number, with their sign: all that the network reads of indexes, depths and heights. */
export function lowInteger(value: bigint): number {
  return Number(BigInt.asIntN(32, value));
}

/** Refuses a number that does not fit into 64 bits with its sign. */
export function requireLong(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new PrecompileError('The amount is too large');
  return value;
}

/** Refuses callers that are no members of the federation. */
export function requireMember({ caller }: BridgeCall): void {
  if (!FEDERATION.members.some(({ address }) => equalBytes(address, caller))) {
    throw new PrecompileError('The caller is not a member of the federation');
  }
}
