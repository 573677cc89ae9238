// State overrides for hints: the local accounts that the upstream does not know.

import { equalBytes } from '../primitives/bytes.ts';
import { hexKey, toHex, toQuantity } from '../primitives/hex.ts';
import type { Account, Code } from '../state/account.ts';
import type { PredictableMessage } from '../state/state-source.ts';
import { trieValues } from '../state/trie/trie.ts';

/** Maximum bytes of all overrides as JSON. Servers limit the size of a request. */
const MAX_LENGTH = 128 * 1_024;
/** Maximum local accounts that are considered for a message. */
const MAX_ACCOUNTS = 1_000;

/** The override of one account, in the form of geth. */
interface AccountOverride {
  readonly nonce: string;
  readonly balance: string;
  readonly code?: string;
  readonly stateDiff?: Readonly<Record<string, string>>;
}

export interface HintOverrides {
  /** By address. */
  readonly accounts: Readonly<Record<string, AccountOverride>>;
  /** The accounts that exist only here, as {@link hexKey} formats addresses. Nothing of them must be fetched. */
  readonly own: ReadonlySet<string>;
}

/** Returns the code of an account in the state source; `undefined` if it is unknown. */
type CodeInSource = (address: Uint8Array) => Code | undefined;

/**
 * Returns the overrides for a message: its sender and recipient, and accounts with code or slots that were written
 * here. Stops at a maximum length.
 */
export function hintOverrides(
  { sender, to }: PredictableMessage,
  local: Iterable<Account>,
  codeInSource: CodeInSource,
): HintOverrides {
  const accounts: Record<string, AccountOverride> = {};
  const own = new Set<string>();
  let length = 0;
  let count = 0;
  for (const account of local) {
    if (++count > MAX_ACCOUNTS) break;
    const { address, storage } = account;
    const isOwn = account.storageSource === undefined;
    const code = isOwn || hasOwnCode(account, codeInSource(address)) ? account.code.bytes : null;
    if (isOwn) own.add(hexKey(address));
    const isParty = equalBytes(address, sender) || (to !== null && equalBytes(address, to));
    const hasCode = code !== null && code.length > 0;
    if (!isParty && !hasCode && storage === null) continue;
    const override = {
      nonce: toQuantity(account.nonce),
      balance: toQuantity(account.balance),
      ...(code === null ? {} : { code: toHex(code) }),
      ...(storage === null ? {} : { stateDiff: slotsOf(account) }),
    };
    length += JSON.stringify(override).length;
    if (length > MAX_LENGTH) break;
    accounts[toHex(address)] = override;
  }
  return { accounts, own };
}

function hasOwnCode({ code }: Account, inSource: Code | undefined): boolean {
  return inSource !== undefined && !equalBytes(code.hash, inSource.hash);
}

const WORD_SIZE = 32;
/** Maximum slots of one account. */
const MAX_SLOTS = 1_000;

function slotsOf({ storage }: Account): Record<string, string> {
  const slots: Record<string, string> = {};
  let count = 0;
  for (const { slot, value } of trieValues(storage)) {
    if (++count > MAX_SLOTS) break;
    slots[toHex(slot)] = `0x${toHex(value)
      .slice(2)
      .padStart(2 * WORD_SIZE, '0')}`;
  }
  return slots;
}
