import { createMPT } from '@ethereumjs/mpt';
import { bigIntToBytes } from '../../src/primitives/bytes.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { encodeRlp } from '../../src/primitives/rlp.ts';

/** A plain account as input for the reference implementation. */
export interface PlainAccount {
  readonly address: Uint8Array;
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly code: Uint8Array;
  readonly storage: readonly { readonly slot: Uint8Array; readonly value: Uint8Array }[];
}

/** The root of `@ethereumjs/mpt` for the entries. */
export async function referenceRoot(
  entries: Iterable<readonly [Uint8Array, Uint8Array]>,
): Promise<Uint8Array> {
  const trie = await createMPT();
  for (const [key, value] of entries) await trie.put(key, value);
  return trie.root();
}

/** The state root of `@ethereumjs/mpt` for the accounts. */
export async function referenceStateRoot(accounts: Iterable<PlainAccount>): Promise<Uint8Array> {
  const entries: [Uint8Array, Uint8Array][] = [];
  for (const { address, nonce, balance, code, storage } of accounts) {
    const storageRoot = await referenceRoot(
      storage.map(({ slot, value }) => [keccak256(slot), encodeRlp(value)] as const),
    );
    const body = [bigIntToBytes(nonce), bigIntToBytes(balance), storageRoot, keccak256(code)];
    entries.push([keccak256(address), encodeRlp(body)]);
  }
  return referenceRoot(entries);
}
