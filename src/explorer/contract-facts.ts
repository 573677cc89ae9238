/** What the node knows of the contract at an address. */

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

/** Resolves to what is known of the contract at an address; `null` for nothing. */
export function contractsAt(address: string, hasFiles = false): Promise<KnownContracts | null> {
  return client.read<KnownContracts | null>('inspect_source', [address, hasFiles]);
}

/** Returns the contract behind a proxy where there is one, else the contract itself. */
export function meantContract(known: KnownContracts | null): KnownContract | null {
  return known?.implementation?.contract ?? known?.contract ?? null;
}

/** Returns the functions of an ABI. */
export function functionsOf(abi: Abi): AbiFunction[] {
  return abi.filter((entry): entry is AbiFunction => entry.type === 'function');
}

/** Returns the names of the functions of an ABI by their selectors. */
export function namesBySelector(abi: Abi): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const entry of functionsOf(abi)) {
    try {
      names.set(toFunctionSelector(entry), entry.name);
    } catch {
      // An entry that no compiler would write has no selector.
    }
  }
  return names;
}
