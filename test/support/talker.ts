import { encodeFunctionData, getContractAddress, type Hex } from 'viem';
import { readArtifact } from './artifacts.ts';

const { abi, bytecode } = readArtifact('shanghai', 'Talker');

/** The code that creates a `Talker`, the fixture that writes with `console.log`. */
export const TALKER_BYTECODE: Hex = bytecode;

/** The data of a call of a `Talker`. */
export function talkerCall(functionName: string, ...args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi, functionName, args });
}

/** Where the account's transaction of that nonce puts a contract, in lower case. */
export function deployedAt(from: Hex, nonce: bigint): string {
  return getContractAddress({ from, nonce }).toLowerCase();
}
