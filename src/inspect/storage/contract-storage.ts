/** A cache of the storage layouts of known contracts. */

import type { CodeMatch } from '../../artifacts/contract-index.ts';
import { LayoutBoundError } from '../../artifacts/layout/layout-bound.ts';
import { layoutOf } from '../../artifacts/layout/layout-of.ts';
import type { StorageLayout } from '../../artifacts/layout/storage-type.ts';
import type { KnownContract } from '../known-contracts.ts';

/** An entry lives as long as its match, until the artifacts change. */
export class KnownLayouts {
  readonly #layouts = new WeakMap<CodeMatch, Promise<StorageLayout | null>>();
  readonly #onWarning: (text: string) => void;

  /** `onWarning` is called once per contract whose layout exceeds a bound. */
  constructor(onWarning: (text: string) => void) {
    this.#onWarning = onWarning;
  }

  /** Resolves to the layout of a contract; `null` if neither the compiler nor the sources have one within the bounds. */
  of({ match, name }: KnownContract): Promise<StorageLayout | null> {
    const known = this.#layouts.get(match) ?? this.#read(match, name);
    this.#layouts.set(match, known);
    return known;
  }

  async #read(match: CodeMatch, name: string): Promise<StorageLayout | null> {
    try {
      return await layoutOf(match);
    } catch (error) {
      if (!(error instanceof LayoutBoundError)) throw error;
      this.#onWarning(`the storage layout of ${name} is not used: ${error.message}`);
      return null;
    }
  }
}

/** Slots with a fixed meaning for proxies, by convention or EIP. */
const AGREED_SLOTS: ReadonlyMap<string, { readonly name: string; readonly isAddress: boolean }> = new Map([
  [
    '360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
    { name: 'EIP-1967 implementation', isAddress: true },
  ],
  [
    'b53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103',
    { name: 'EIP-1967 admin', isAddress: true },
  ],
  [
    'a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
    { name: 'EIP-1967 beacon', isAddress: true },
  ],
  [
    '4910fdfa16fed3260ed0e7147f7cc6da11a60208b5b9406d12a635614ffd9143',
    { name: 'EIP-1967 rollback', isAddress: false },
  ],
  [
    'c5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
    { name: 'EIP-1822 implementation', isAddress: true },
  ],
  [
    '7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
    { name: 'ZeppelinOS implementation', isAddress: true },
  ],
  [
    'c8fcad8db84d3cc18b4c41d551ea0ee66dd599cde068d998e57d5e09332c131c',
    { name: 'EIP-2535 diamond storage', isAddress: false },
  ],
]);

/** Returns the meaning of a slot (64 digits) that proxies reserve; `null` for any other slot. */
export function agreedSlot(key: string): { readonly name: string; readonly isAddress: boolean } | null {
  return AGREED_SLOTS.get(key) ?? null;
}
