import { keyOf, toHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { type Account, storageRoot } from '../../state/account.ts';
import { trieValues } from '../../state/trie.ts';
import type { WorldState } from '../../state/world-state.ts';

function accountView({ address, nonce, balance, code, storage }: Account): Readonly<Record<string, unknown>> {
  const slots = Array.from(trieValues(storage), ({ slot, value }) => [toHex(slot), keyOf(value)]);
  return {
    balance: balance.toString(),
    nonce: Number(nonce),
    root: toHex(storageRoot(storage)),
    codeHash: toHex(code.hash),
    ...(code.bytes.length === 0 ? {} : { code: toHex(code.bytes) }),
    ...(slots.length === 0 ? {} : { storage: Object.fromEntries(slots) }),
    address: toHex(address),
    key: toHex(keccak256(address)),
  };
}

/** A state as JSON, as geth dumps it: the root without `0x`, accounts by address. */
export function stateDumpView(state: WorldState): Readonly<Record<string, unknown>> {
  const accounts = Array.from(state.accounts(), (account) => [toHex(account.address), accountView(account)]);
  return { root: keyOf(state.root), accounts: Object.fromEntries(accounts) };
}
