/** Reads the contract data that the node has for an address. */

import type { Abi, AbiFunction } from 'abitype';
import { toFunctionSelector } from 'viem/utils';
import { client } from './chain.ts';
import { callOf, type KnownCall, SELECTOR } from './known-call.ts';

export interface SourceFile {
  readonly name: string;
  readonly content: string | null;
}

export interface KnownContract {
  readonly name: string;
  readonly sourceName: string;
  readonly fit: string;
  readonly abi: Abi;
  /** Empty unless requested. */
  readonly files: readonly SourceFile[];
}

/** The contract at an address and, for a proxy, its implementation. */
export interface KnownContracts {
  readonly contract: KnownContract | null;
  readonly implementation: { readonly address: string; readonly contract: KnownContract | null } | null;
}

/** Maximum nesting of structs. Compilers do not write deeper ones. */
const DEEPEST = 20;

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isParameter(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return false;
  const { name, type, components }: Readonly<Record<string, unknown>> = { ...value };
  if (typeof type !== 'string' || !isText(name)) return false;
  if (components === undefined) return !type.startsWith('tuple');
  return Array.isArray(components) && components.every((part) => isParameter(part, depth + 1));
}

/** Validates an ABI entry, because an ABI can come from any source. */
export function isEntry(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { type, name, inputs, outputs, stateMutability }: Readonly<Record<string, unknown>> = { ...value };
  const isNamed = type === 'function' || type === 'event' || type === 'error';
  if (typeof type !== 'string' || !isText(name) || !isText(stateMutability)) return false;
  if (isNamed && (typeof name !== 'string' || !Array.isArray(inputs))) return false;
  return [inputs, outputs].every(
    (list) => list === undefined || (Array.isArray(list) && list.every((each) => isParameter(each))),
  );
}

function withEntries(contract: KnownContract): KnownContract {
  return { ...contract, abi: contract.abi.filter(isEntry) };
}

/** Resolves to the contract at an address; `null` if unknown. */
export async function contractsAt(address: string, hasFiles = false): Promise<KnownContracts | null> {
  const known = await client.read<KnownContracts | null>('inspect_source', [address, hasFiles]);
  if (known === null) return null;
  const { contract, implementation } = known;
  return {
    contract: contract && withEntries(contract),
    implementation: implementation && {
      ...implementation,
      contract: implementation.contract && withEntries(implementation.contract),
    },
  };
}

/** Returns the implementation of a proxy; otherwise the contract itself. */
export function selectedContract(known: KnownContracts | null): KnownContract | null {
  return known?.implementation?.contract ?? known?.contract ?? null;
}

export function functionsOf(abi: Abi): AbiFunction[] {
  return abi.filter((entry): entry is AbiFunction => entry.type === 'function');
}

/** Returns the selector of a function; `null` for an invalid entry. */
export function selectorOf(entry: AbiFunction): string | null {
  try {
    return toFunctionSelector(entry);
  } catch {
    return null;
  }
}

/** Returns the function names of an ABI by selector. The key `0x` has the function for calls without data. */
export function namesBySelector(abi: Abi): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const without = ['receive', 'fallback'].find((type) => abi.some((entry) => entry.type === type));
  if (without !== undefined) names.set('0x', `<${without}>`);
  for (const entry of functionsOf(abi)) {
    const selector = selectorOf(entry);
    if (selector !== null) names.set(selector, entry.name);
  }
  return names;
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
