/** Reads the facts that the node knows of the contract at an address. */

import type { Abi, AbiFunction } from 'abitype';
import { toFunctionSelector } from 'viem/utils';
import { client } from './chain.ts';

export interface SourceFile {
  readonly name: string;
  readonly content: string | null;
}

export interface KnownContract {
  readonly name: string;
  readonly sourceName: string;
  readonly fit: string;
  readonly abi: Abi;
  /** Empty where they were not asked for. */
  readonly files: readonly SourceFile[];
}

/** The contract at an address, and the one behind it where it is a proxy. */
export interface KnownContracts {
  readonly contract: KnownContract | null;
  readonly implementation: { readonly address: string; readonly contract: KnownContract | null } | null;
}

/** Parts of structs within each other; deeper ones no compiler writes. */
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

/** True for an entry of the form that compilers write: an ABI can come from anywhere. */
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

/** Resolves to what is known of the contract at an address; `null` for nothing. */
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

/** Returns the contract behind a proxy where there is one, else the contract itself. */
export function meantContract(known: KnownContracts | null): KnownContract | null {
  return known?.implementation?.contract ?? known?.contract ?? null;
}

/** Returns the functions of an ABI. */
export function functionsOf(abi: Abi): AbiFunction[] {
  return abi.filter((entry): entry is AbiFunction => entry.type === 'function');
}

/** Returns the selector of a function; `null` for an entry that no compiler would write. */
export function selectorOf(entry: AbiFunction): string | null {
  try {
    return toFunctionSelector(entry);
  } catch {
    return null;
  }
}

/** Returns the names of the functions of an ABI by their selectors; that of what takes calls without data by `0x`. */
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
