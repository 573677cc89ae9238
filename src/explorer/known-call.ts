/** Decodes the input data of a call with the ABI of the called contract. */

import type { AbiFunction } from 'abitype';
import { decodeAbiParameters, encodeFunctionData } from 'viem/utils';
import { encodable } from './abi-input.ts';

/** The characters of a selector in hexadecimal data. */
export const SELECTOR = 10;

/** A known function, with the decoded arguments of a call. */
export interface KnownCall {
  readonly entry: AbiFunction;
  readonly args: readonly unknown[];
}

/** Returns true for a function that cannot change the state. */
export function isView({ stateMutability }: AbiFunction): boolean {
  return stateMutability === 'view' || stateMutability === 'pure';
}

/** Returns the decoded arguments of the input data; `null` if the data do not match the function's types. */
export function callOf(entry: AbiFunction, input: string): KnownCall | null {
  try {
    return { entry, args: decodeAbiParameters(encodable(entry.inputs), `0x${input.slice(SELECTOR)}`) };
  } catch {
    return null;
  }
}

/** Returns true if viem encodes the call as the same input data. Unusual encodings contain other bytes. */
export function isEncodedAs({ entry, args }: KnownCall, input: string): boolean {
  try {
    return encodeFunctionData({ abi: [entry], functionName: entry.name, args }) === input.toLowerCase();
  } catch {
    // Viem cannot encode the type `function`.
    return false;
  }
}
