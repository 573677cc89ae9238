// Defining the methods of the Bridge: prices, access and authorization.

import type { BlockEnvironment } from '../../evm/engine.ts';
import { type NativeCall, PrecompileError } from '../../evm/precompiles/precompiled-contract.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';
import type { NetworkUpgrade } from '../../protocol/hardforks/rootstock.ts';
import { type AbiType, type AbiValues, abiSelector, decodeAbi, encodeAbi, trimAbi } from '../abi.ts';
import type { BridgeState } from './bridge-state.ts';
import { FEDERATION } from './federation.ts';

/** A call of the Bridge for its methods. */
export interface BridgeCall extends NativeCall {
  /** True when code made the call, false when it is the transaction itself. */
  readonly isFromContract: boolean;
  readonly environment: BlockEnvironment;
  readonly state: BridgeState;
}

/**
 * The callers that a method has: `call only` those of read-only calls (eth_call, eth_estimateGas), also through contracts; `read`
 * all, also through STATICCALL; `write` all, but not through STATICCALL.
 */
export type BridgeAccess = 'call only' | 'read' | 'write';

/** The definition of a method of the Bridge. */
export interface BridgeMethodParts<Inputs extends readonly AbiType[], Outputs extends readonly AbiType[]> {
  readonly name: string;
  readonly inputs: Inputs;
  readonly outputs: Outputs;
  readonly access: BridgeAccess;
  /** The proposal that introduced the method; absent when all chains of the network have it. */
  readonly upgrade?: NetworkUpgrade | undefined;
  /** Gas, without the price of the input's bytes: a fixed price, or one that depends on the arguments. */
  readonly gas: bigint | ((inputs: AbiValues<Inputs>, state: BridgeState) => bigint);
  /**
   * Gas of a call that the Bridge of the forked chain answered, without the price of the input's bytes; absent if the price
   * does not depend on the state.
   */
  readonly gasOfAnswer?: ((inputs: AbiValues<Inputs>, outputs: AbiValues<Outputs>) => bigint) | undefined;
  /** Returns the result of the method. Throws a `PrecompileError` where the network's Bridge fails. */
  run(call: BridgeCall, inputs: AbiValues<Inputs>): AbiValues<Outputs>;
}

/** A method of the Bridge with its argument types erased. */
export interface BridgeMethod {
  readonly name: string;
  /** 4 bytes. */
  readonly selector: Uint8Array;
  readonly access: BridgeAccess;
  /** The proposal that introduced the method; `undefined` when all chains of the network have it. */
  readonly upgrade: NetworkUpgrade | undefined;
  /** Returns the gas of a call with these arguments. Throws a `PrecompileError` when they are malformed. */
  gas(argumentBytes: Uint8Array, state: BridgeState): bigint;
  /** As in {@link BridgeMethodParts}. Throws a `PrecompileError` if the arguments or the output are malformed. */
  readonly gasOfAnswer: ((argumentBytes: Uint8Array, output: Uint8Array) => bigint) | undefined;
  /** True if a call returns no data, so that its output does not show whether it succeeded. */
  readonly isWithoutOutput: boolean;
  /** Returns the arguments without the bytes that follow them. Throws a `PrecompileError` when they are malformed. */
  trim(argumentBytes: Uint8Array): Uint8Array;
  run(call: BridgeCall, argumentBytes: Uint8Array): Uint8Array;
}

/** Returns a method of the Bridge. */
export function defineBridgeMethod<
  const Inputs extends readonly AbiType[],
  const Outputs extends readonly AbiType[],
>(parts: BridgeMethodParts<Inputs, Outputs>): BridgeMethod {
  const { name, inputs, outputs, access, upgrade, gas, gasOfAnswer, run } = parts;
  return {
    name,
    selector: abiSelector(name, inputs),
    access,
    upgrade,
    gas(argumentBytes, state) {
      const values = decodeAbi(inputs, argumentBytes);
      return typeof gas === 'bigint' ? gas : gas(values, state);
    },
    gasOfAnswer:
      gasOfAnswer === undefined
        ? undefined
        : (argumentBytes, output) =>
            gasOfAnswer(decodeAbi(inputs, argumentBytes), decodeAbi(outputs, output)),
    isWithoutOutput: outputs.length === 0,
    trim: (argumentBytes) => trimAbi(inputs, argumentBytes),
    run: (call, argumentBytes) => encodeAbi(outputs, run(call, decodeAbi(inputs, argumentBytes))),
  };
}

/**
 * Returns the lowest 32 bits of a number as a signed integer, which is all that the network reads of indexes, depths
 * and heights.
 */
export function lowInteger(value: bigint): number {
  return Number(BigInt.asIntN(32, value));
}

/** Returns the number. Throws a `PrecompileError` when it does not fit into 64 bits with its sign. */
export function requireLong(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new PrecompileError('the amount is too large');
  return value;
}

/** Throws a `PrecompileError` when the caller is not a member of the federation. */
export function requireMember({ caller }: BridgeCall): void {
  if (!FEDERATION.members.some(({ address }) => equalBytes(address, caller))) {
    throw new PrecompileError('the caller is not a member of the federation');
  }
}

/** The address of the Bridge. */
export const BRIDGE_ADDRESS: Uint8Array = fromHex('0x0000000000000000000000000000000001000006');

/**
 * The authorized accounts of a local network: the addresses (20 bytes each) of publicly known private keys, each of which
 * is the Keccak hash of a text.
 */
export const AUTHORIZERS = {
  /** Keys of `auth-a` to `auth-e`; three of the five must agree. */
  federation: [
    fromHex('0x5252403bca6ac3c104abdd320a736fa38282045d'),
    fromHex('0x0d8c44bd578a4e7148d1758b3332b529e93e48c1'),
    fromHex('0x566bca18df14ed75efcc1a8a4f3947e81132dbbc'),
    fromHex('0x2e7c9159614ddc0185e335d3343e92700c3e5a2d'),
    fromHex('0xf0652637df184eca87e6bde29893825721dfb79f'),
  ],
  /** Key of `auth-fee-per-kb`. */
  feePerKilobyte: [fromHex('0x53f8f6dabd612b6137215ddd7758bb5cdd638922')],
  /** Key of `auth-lock-whitelist`. */
  whitelist: [fromHex('0x87d2a0f33744929da08b65fd62b627ea52b25f8e')],
  /** Key of `auth-increase_locking_cap`. */
  lockingCap: [fromHex('0x6913bd4715eff3b25501f3212f15df38296d1f21')],
  /** Key of `changeUnionBridgeContractAddressAuthorizer`: the address of the second bridge. */
  unionBridgeAddress: [fromHex('0x6c9dfd950bf748bb26f893f7e5f693c7f60a8f85')],
  /** The first contract of the key of `UnionBridgeAuthorizerDeployer`: the permissions of the second bridge. */
  unionBridge: [fromHex('0xff6f4ff09c54561e1476203e56fcfc834911aa64')],
} as const;

/** True if the caller is one of the authorizers. */
export function isAuthorized({ caller }: BridgeCall, authorizers: readonly Uint8Array[]): boolean {
  return authorizers.some((address) => equalBytes(address, caller));
}

/** The definition of a method that only authorizers may use; its result is a number. */
export interface EntrustedMethodParts<Inputs extends readonly AbiType[]>
  extends Pick<BridgeMethodParts<Inputs, ['int256']>, 'name' | 'inputs' | 'upgrade' | 'gas'> {
  /** 20 bytes each. */
  readonly authorizers: readonly Uint8Array[];
  /** The result for all other callers. */
  readonly refused: bigint;
  /** Returns the result for the authorizers. Throws a `PrecompileError` where the network's Bridge fails. */
  decide(call: BridgeCall, inputs: AbiValues<Inputs>): bigint;
}

/** Returns a method of the Bridge that checks its caller before everything else. */
export function defineEntrustedMethod<const Inputs extends readonly AbiType[]>({
  name,
  inputs,
  upgrade,
  gas,
  authorizers,
  refused,
  decide,
}: EntrustedMethodParts<Inputs>): BridgeMethod {
  return defineBridgeMethod({
    name,
    inputs,
    outputs: ['int256'],
    access: 'write',
    upgrade,
    gas,
    run: (call, values) => [isAuthorized(call, authorizers) ? decide(call, values) : refused],
  });
}
