// Conditions of the inclusion of a transaction (ERC-7796).

import { EMPTY_BYTES, equalBytes, padLeft } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { storageRoot } from '../../state/account.ts';
import type { WorldState } from '../../state/world-state.ts';
import { TransactionConditionError } from './errors.ts';

/** The expected state of an account before the transaction. Absent parts are not checked. */
export interface KnownAccount {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** 32 bytes; `null` if not checked. */
  readonly storageRoot: Uint8Array | null;
  /** Slots and values, 32 bytes each. */
  readonly slots: readonly { readonly slot: Uint8Array; readonly value: Uint8Array }[];
  readonly nonce: bigint | null;
  /** In wei. */
  readonly balance: bigint | null;
  /** Empty for an account without code. */
  readonly code: Uint8Array | null;
}

/** `null` for no limit. Timestamps are in seconds since 1970. */
export interface TransactionCondition {
  readonly knownAccounts: readonly KnownAccount[];
  readonly blockNumberMin: bigint | null;
  readonly blockNumberMax: bigint | null;
  readonly timestampMin: bigint | null;
  readonly timestampMax: bigint | null;
}

/** Returns the broken part of the condition as text; `null` if the block at this state satisfies it. */
export function conditionFault(
  condition: TransactionCondition,
  { number, timestamp }: { readonly number: number; readonly timestamp: number },
  state: WorldState,
): string | null {
  return (
    rangeFault('block number', BigInt(number), condition.blockNumberMin, condition.blockNumberMax) ??
    rangeFault('timestamp', BigInt(timestamp), condition.timestampMin, condition.timestampMax) ??
    accountsFault(condition.knownAccounts, state)
  );
}

function rangeFault(name: string, value: bigint, least: bigint | null, most: bigint | null): string | null {
  if (least !== null && value < least)
    return `the ${name} of the block is ${value}, but at least ${least} is required`;
  if (most !== null && value > most)
    return `the ${name} of the block is ${value}, but at most ${most} is allowed`;
  return null;
}

function accountsFault(accounts: readonly KnownAccount[], state: WorldState): string | null {
  for (const account of accounts) {
    const fault = accountFault(account, state);
    if (fault !== null) return `account ${toHex(account.address)}: ${fault}`;
  }
  return null;
}

function accountFault(known: KnownAccount, state: WorldState): string | null {
  const { address, slots, nonce, balance, code } = known;
  const account = state.account(address);
  const present = { nonce: account?.nonce ?? 0n, balance: account?.balance ?? 0n };
  if (nonce !== null && present.nonce !== nonce) return `the nonce is ${present.nonce}, expected ${nonce}`;
  if (balance !== null && present.balance !== balance)
    return `the balance is ${present.balance}, expected ${balance}`;
  if (code !== null && !equalBytes(account?.code.bytes ?? EMPTY_BYTES, code)) return 'the code is different';
  for (const { slot, value } of slots) {
    const stored = padLeft(state.storageAt(address, slot), value.length);
    if (!equalBytes(stored, value))
      return `slot ${toHex(slot)} is ${toHex(stored)}, expected ${toHex(value)}`;
  }
  if (known.storageRoot === null) return null;
  if (account?.storageSource !== undefined)
    return 'the fork URL does not return its storage root; pass slots instead of the root';
  const root = storageRoot(account?.storage ?? null);
  if (equalBytes(root, known.storageRoot)) return null;
  return `the storage root is ${toHex(root)}, expected ${toHex(known.storageRoot)}`;
}

/** Throws a {@link TransactionConditionError} if the block at this state breaks the condition. */
export function requireCondition(
  condition: TransactionCondition,
  block: { readonly number: number; readonly timestamp: number },
  state: WorldState,
): void {
  const fault = conditionFault(condition, block, state);
  if (fault !== null) throw new TransactionConditionError(fault);
}
