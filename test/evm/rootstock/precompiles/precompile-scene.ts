import { Interface } from 'ethers';
import type { ExecutionResult } from '../../../../src/evm/engine.ts';
import { bytesToBigInt } from '../../../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../../../src/primitives/hex.ts';
import { rootstockPrecompiles } from '../../../../src/protocol/hardforks/precompiles.ts';
import { ruleSetNamed } from '../../../../src/protocol/hardforks/registry.ts';
import { intrinsicGas } from '../../../../src/protocol/intrinsic-gas.ts';
import { type Scene, SENDER } from '../../../reference/scene.ts';
import { push, runs } from '../rootstock-scene.ts';
import { BLOCK_HEADER_GETTERS } from './block-header-getters.ts';

/** The Solidity functions of Rootstock's precompiles. */
export const NATIVE_INTERFACE: Interface = new Interface([
  'function toBase58Check(bytes hash, int256 version) returns (string)',
  'function deriveExtendedPublicKey(string key, string path) returns (string)',
  'function extractPublicKeyFromExtendedPublicKey(string key) returns (bytes)',
  'function getMultisigScriptHash(int256 required, bytes[] keys) returns (bytes)',
  ...BLOCK_HEADER_GETTERS.map((name) => `function ${name}(int256 depth) returns (bytes)`),
  'function getUncleCoinbaseAddress(int256 depth, int256 index) returns (bytes)',
  'function getCallStackDepth() returns (uint32)',
]);

/** The address of Rootstock's precompile with this name. */
export function nativeAddress(name: string): Uint8Array {
  const contract = rootstockPrecompiles().find((each) => each.name === name);
  if (contract === undefined) throw new Error(`the network has no contract ${name}`);
  return contract.address;
}

/** The call data of a function. */
export function nativeData(name: string, values: readonly unknown[]): Uint8Array {
  return fromHex(NATIVE_INTERFACE.encodeFunctionData(name, values));
}

/** Code that calls an address with its own call data, and returns the success flag and the return data. */
export function forwarding(to: Uint8Array): string {
  const call = `6000 6000 36 6000 6000 ${push(to)} 5a f1`;
  return `36 6000 6000 37 ${call} 6000 52 3d 6000 6020 3e 3d 6020 01 6000 f3`;
}

/** The result of a call from a contract. */
export interface NativeAnswer {
  readonly isSuccess: boolean;
  readonly output: Uint8Array;
  readonly result: ExecutionResult;
}

/** Calls Rootstock's precompile with this name from a contract. */
export async function callFromContract(scene: Scene, name: string, data: Uint8Array): Promise<NativeAnswer> {
  const result = await runs(scene, forwarding(nativeAddress(name)), { data });
  if (result.outcome !== 'success') throw new Error(`${result.outcome}: ${result.haltReason}`);
  const { returnData } = result;
  return {
    isSuccess: bytesToBigInt(returnData.subarray(0, 32)) === 1n,
    output: returnData.subarray(32),
    result,
  };
}

/**
 * The result of a function: a string, a number or hex bytes; `null` if it fails.
 * Throws if a contract and `eth_call` get different results.
 */
export async function answerOfNative(
  scene: Scene,
  contract: string,
  name: string,
  values: readonly unknown[],
): Promise<unknown> {
  const data = nativeData(name, values);
  const { isSuccess, output } = await callFromContract(scene, contract, data);
  const question = await scene.call({ to: nativeAddress(contract), data });
  if (toHex(question.returnData) !== toHex(output))
    throw new Error('a question and a call are answered differently');
  return isSuccess ? NATIVE_INTERFACE.decodeFunctionResult(name, output)[0] : null;
}

/** Gas of a transaction to Rootstock's precompile, without the intrinsic gas. */
export async function priceOfNative(scene: Scene, contract: string, data: Uint8Array): Promise<bigint> {
  const to = nativeAddress(contract);
  const nonce = scene.state.account(SENDER)?.nonce ?? 0n;
  const { gasUsed } = await scene.transact({ to, data, nonce });
  const parts = { sender: SENDER, to, value: 0n, data, accessList: [], authorizationList: [] };
  return gasUsed - intrinsicGas(ruleSetNamed('rootstock'), parts);
}
