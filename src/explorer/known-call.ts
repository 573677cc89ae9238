/** Decodes the input data of a call with the ABI of the called contract. */

import type { AbiFunction } from 'abitype';
import { decodeAbiParameters, encodeFunctionData } from 'viem/utils';
import { encodable } from './abi-input.ts';
import { contractsAt, functionsOf, selectorOf } from './contract-facts.ts';

const SELECTOR = 10;

/** A known function, with the decoded arguments of a call. */
export interface KnownCall {
  readonly entry: AbiFunction;
  readonly args: readonly unknown[];
}

/** Returns the decoded arguments of the input data; `null` if the data do not match the function's types. */
export function callOf(entry: AbiFunction, input: string): KnownCall | null {
  try {
    return { entry, args: decodeAbiParameters(encodable(entry.inputs), `0x${input.slice(SELECTOR)}`) };
  } catch {
    return null;
  }
}

/**
 * Resolves to the function and arguments of the input data; `null` if the function is unknown, or if the data
 * do not match its types.
 */
export async function knownCall(to: string, input: string): Promise<KnownCall | null> {
  const known = await contractsAt(to);
  const selector = input.slice(0, SELECTOR).toLowerCase();
  for (const contract of [known?.implementation?.contract, known?.contract]) {
    const entry = functionsOf(contract?.abi ?? []).find((one) => selectorOf(one) === selector);
    if (entry !== undefined) return callOf(entry, input);
  }
  return null;
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
