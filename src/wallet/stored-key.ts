import type { Keystore } from './keystore.ts';

/** How a locked key comes back: out of its keystore, or as it is (32 bytes) when its account has no passphrase. */
export type KeyAtRest = { readonly keystore: Keystore } | { readonly privateKey: Uint8Array };

/** An account of a wallet as it is kept. */
export interface StoredKey {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** True for the accounts of the start and those of seeds, which are listed first. */
  readonly isInitial: boolean;
  readonly stored: KeyAtRest;
}
