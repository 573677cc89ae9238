import { keyOf, toHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { Steps } from '../../primitives/steps.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import { type Account, storageRoot } from '../../state/account.ts';
import { trieValues } from '../../state/trie/trie.ts';
import type { WorldState } from '../../state/world-state.ts';

/** Units of work for showing a slot, or an account without code and storage. */
const ENTRY_WORK = 192;

function* accountView(
  { address, nonce, balance, code, storage }: Account,
  pieces: WorkPieces,
): Steps<Readonly<Record<string, unknown>>> {
  const slots: Record<string, string> = {};
  for (const { slot, value } of trieValues(storage)) {
    slots[toHex(slot)] = keyOf(value);
    const turn = pieces.spend(ENTRY_WORK);
    if (turn !== undefined) yield turn;
  }
  return {
    balance: balance.toString(),
    nonce: Number(nonce),
    root: toHex(storageRoot(storage)),
    codeHash: toHex(code.hash),
    ...(code.bytes.length === 0 ? {} : { code: toHex(code.bytes) }),
    ...(Object.keys(slots).length === 0 ? {} : { storage: slots }),
    address: toHex(address),
    key: toHex(keccak256(address)),
  };
}

/** A state as JSON, as geth dumps it: the root without `0x`, accounts by address. */
export function* stateDumpView(
  state: WorldState,
  pieces: WorkPieces,
): Steps<Readonly<Record<string, unknown>>> {
  const accounts: Record<string, unknown> = {};
  for (const account of state.accounts()) {
    accounts[toHex(account.address)] = yield* accountView(account, pieces);
    const turn = pieces.spend(ENTRY_WORK + 2 * account.code.bytes.length);
    if (turn !== undefined) yield turn;
  }
  return { root: keyOf(state.root), accounts };
}
