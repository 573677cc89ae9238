import { bytesToBigInt } from '../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { KECCAK_EMPTY } from '../../primitives/keccak.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { storageRoot } from '../../state/account.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { AskedSlot } from '../codecs/data.ts';

/** The proof of an account and of slots of its storage as JSON (service document, Account proof object). */
export type AccountProofView = Readonly<Record<string, unknown>>;

/**
 * The proof of an account and slots in the state; that there are none, where there are none. The key of a slot is a
 * QUANTITY for the network (service document), and for Ethereum what the caller wrote.
 */
export function accountProofView(
  state: WorldState,
  address: Uint8Array,
  slots: readonly AskedSlot[],
  { encoding }: Pick<RuleSet, 'encoding'>,
): AccountProofView {
  const account = state.account(address);
  return {
    address: toHex(address),
    balance: toQuantity(account?.balance ?? 0n),
    codeHash: toHex(account?.code.hash ?? KECCAK_EMPTY),
    nonce: toQuantity(account?.nonce ?? 0n),
    storageHash: toHex(storageRoot(account?.storage ?? null)),
    accountProof: state.accountProof(address).map(toHex),
    storageProof: slots.map(({ slot, asked }) => ({
      key: encoding === 'ethereum' ? asked : toQuantity(bytesToBigInt(slot)),
      value: toQuantity(bytesToBigInt(state.storageAt(address, slot))),
      proof: state.storageProof(address, slot).map(toHex),
    })),
  };
}
