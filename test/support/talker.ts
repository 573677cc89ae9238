import { encodeFunctionData, getContractAddress, type Hex } from 'viem';
import { readArtifact } from './artifacts.ts';

const { abi, bytecode } = readArtifact('shanghai', 'Talker');

/** Initcode of `Talker`, the fixture that calls `console.log`. */
export const TALKER_BYTECODE: Hex = bytecode;

/** Calldata for a `Talker`. */
export function talkerCall(functionName: string, ...args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi, functionName, args });
}

/** Address of the contract that the account creates with this nonce, in lower case. */
export function deployedAt(from: Hex, nonce: bigint): string {
  return getContractAddress({ from, nonce }).toLowerCase();
}
