// Definitions of Bridge methods: prices, access and authorization.

import type { BlockEnvironment } from '../../evm/engine.ts';
import { type PrecompileCall, PrecompileError } from '../../evm/precompiles/precompiled-contract.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';
import { LOCAL_BRIDGE_VOTERS } from '../../protocol/hardforks/free-calls.ts';
import type { RootstockUpgrade } from '../../protocol/hardforks/rootstock.ts';
import { type AbiType, type AbiValues, abiSelector, decodeAbi, encodeAbi, trimAbi } from '../abi.ts';
import { BitcoinFormatError } from '../bitcoin/byte-reader.ts';
import type { BridgeConstants } from './bridge-constants.ts';
import type { BridgeState } from './bridge-state.ts';

/** A call of a Bridge method. */
export interface BridgeCall extends PrecompileCall {
  /** True if a contract made the call, false for the transaction itself. */
  readonly isFromContract: boolean;
  readonly environment: BlockEnvironment;
  readonly state: BridgeState;
  readonly constants: BridgeConstants;
  /** The upgrades of the chain. */
  readonly upgrades: ReadonlySet<RootstockUpgrade>;
}

/**
 * The calls that may use a method:
 *
 * - `call only`: read-only calls (eth_call, eth_estimateGas), also through contracts
 * - `read`: all calls, including STATICCALL
 * - `write`: all calls except STATICCALL
 */
export type BridgeAccess = 'call only' | 'read' | 'write';

export interface BridgeMethodParts<Inputs extends readonly AbiType[], Outputs extends readonly AbiType[]> {
  readonly name: string;
  readonly inputs: Inputs;
  readonly outputs: Outputs;
  readonly access: BridgeAccess;
  /** The RSKIP that introduced the method; undefined if all Rootstock chains have it. */
  readonly upgrade?: RootstockUpgrade | undefined;
  /** Gas, excluding the price of the input's bytes: fixed, or depending on the arguments. */
  readonly gas: bigint | ((inputs: AbiValues<Inputs>, state: BridgeState) => bigint);
  /**
   * Gas of a call with a result of the forked chain's Bridge, excluding the price of the input's bytes.
   * Undefined if the price does not depend on the state.
   */
  readonly gasOfAnswer?: ((inputs: AbiValues<Inputs>, outputs: AbiValues<Outputs>) => bigint) | undefined;
  /** Executes the method. Throws `PrecompileError` if Rootstock's Bridge fails. */
  run(call: BridgeCall, inputs: AbiValues<Inputs>): AbiValues<Outputs>;
}

/** A Bridge method with erased argument types. */
export interface BridgeMethod {
  readonly name: string;
  /** 4 bytes. */
  readonly selector: Uint8Array;
  readonly access: BridgeAccess;
  /** The RSKIP that introduced the method; undefined if all Rootstock chains have it. */
  readonly upgrade: RootstockUpgrade | undefined;
  /** Returns the gas of a call with these arguments. Throws `PrecompileError` if they are malformed. */
  gas(argumentBytes: Uint8Array, state: BridgeState): bigint;
  /** As in {@link BridgeMethodParts}. Throws `PrecompileError` for malformed arguments or output. */
  readonly gasOfAnswer: ((argumentBytes: Uint8Array, output: Uint8Array) => bigint) | undefined;
  /** True if a call returns no data, so that its output does not indicate success. */
  readonly isWithoutOutput: boolean;
  /** Returns the arguments without trailing bytes. Throws `PrecompileError` if they are malformed. */
  trim(argumentBytes: Uint8Array): Uint8Array;
  run(call: BridgeCall, argumentBytes: Uint8Array): Uint8Array;
}

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

/** Returns the lowest 32 bits as a signed integer, because Rootstock reads only these bits. */
export function lowInteger(value: bigint): number {
  return Number(BigInt.asIntN(32, value));
}

/** Throws `PrecompileError` if the number does not fit into a signed 64-bit integer. */
export function requireLong(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new PrecompileError('the amount is too large');
  return value;
}

/** Turns the error for malformed Bitcoin data into a failure of the call (`PrecompileError`). */
export function failingForMalformed<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof BitcoinFormatError) throw new PrecompileError(error.message);
    throw error;
  }
}

/** Throws `PrecompileError` if the caller is not a member of the federation. */
export function requireMember({ caller, constants }: BridgeCall): void {
  if (!constants.federation.members.some(({ address }) => equalBytes(address, caller))) {
    throw new PrecompileError('the caller is not a member of the federation');
  }
}

export const BRIDGE_ADDRESS: Uint8Array = fromHex('0x0000000000000000000000000000000001000006');

/** Regtest's authorized accounts (20 bytes each). Private keys: the Keccak hashes of the texts. */
export const AUTHORIZERS = {
  ...LOCAL_BRIDGE_VOTERS,
  /** Key `auth-increase_locking_cap`. */
  lockingCap: [fromHex('0x6913bd4715eff3b25501f3212f15df38296d1f21')],
  /** Key `changeUnionBridgeContractAddressAuthorizer`, for the address of the union bridge. */
  unionBridgeAddress: [fromHex('0x6c9dfd950bf748bb26f893f7e5f693c7f60a8f85')],
  /** First contract of the key `UnionBridgeAuthorizerDeployer`, for permissions of the union bridge. */
  unionBridge: [fromHex('0xff6f4ff09c54561e1476203e56fcfc834911aa64')],
} as const;

export function isAuthorized({ caller }: BridgeCall, authorizers: readonly Uint8Array[]): boolean {
  return authorizers.some((address) => equalBytes(address, caller));
}

/** A method restricted to authorizers, with a number as result. */
export interface EntrustedMethodParts<Inputs extends readonly AbiType[]>
  extends Pick<BridgeMethodParts<Inputs, ['int256']>, 'name' | 'inputs' | 'upgrade' | 'gas'> {
  /** 20 bytes each. */
  readonly authorizers: readonly Uint8Array[];
  /** The result for all other callers. */
  readonly refused: bigint;
  /** Returns the result for the authorizers. Throws `PrecompileError` if Rootstock's Bridge fails. */
  decide(call: BridgeCall, inputs: AbiValues<Inputs>): bigint;
}

/** Defines a method that checks its caller before anything else. */
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
