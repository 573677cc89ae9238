// The changed accounts of a simulation in the form of Tenderly (`stateChanges`).

import type { Steps } from '../../primitives/steps.ts';

/** An account of geth's prestateTracer; absent members are unchanged, or zero in `pre`. */
interface TracedAccount {
  readonly balance?: string;
  readonly nonce?: number;
  readonly code?: string;
  readonly storage?: Readonly<Record<string, string>>;
}

/** The result of geth's prestateTracer with `diffMode`, by address. */
export interface StateDifference {
  readonly pre: Readonly<Record<string, TracedAccount>>;
  readonly post: Readonly<Record<string, TracedAccount>>;
}

const ZERO_WORD = `0x${'0'.repeat(64)}`;

/** Work units per account and per slot. */
const ENTRY_WORK = 256;

interface ValueChange {
  readonly previousValue: string;
  readonly newValue: string;
}

function changed(previousValue: string, newValue: string): ValueChange | null {
  return previousValue === newValue ? null : { previousValue, newValue };
}

/** Returns the values of a member before and after; `null` if it is unchanged. */
function memberChange(
  read: (account: TracedAccount) => string | undefined,
  none: string,
  before: TracedAccount,
  after: TracedAccount | undefined,
): ValueChange | null {
  const previous = read(before) ?? none;
  // A deleted account is absent after the execution.
  if (after === undefined) return changed(previous, none);
  return changed(previous, read(after) ?? previous);
}

function nonceOf({ nonce }: TracedAccount): string | undefined {
  return nonce === undefined ? undefined : `0x${nonce.toString(16)}`;
}

function* storageChanges(before: TracedAccount, after: TracedAccount | undefined): Steps<object[]> {
  const [previous, next] = [before.storage ?? {}, after?.storage ?? {}];
  const changes: object[] = [];
  for (const slot of new Set([...Object.keys(previous), ...Object.keys(next)])) {
    const change = changed(previous[slot] ?? ZERO_WORD, next[slot] ?? ZERO_WORD);
    if (change !== null) changes.push({ slot, ...change });
    yield ENTRY_WORK;
  }
  return changes;
}

/** Returns the changed accounts, with nonce, balance, code and slots before and after. */
export function* stateChangesView({ pre, post }: StateDifference): Steps<object[]> {
  const views: object[] = [];
  for (const address of new Set([...Object.keys(pre), ...Object.keys(post)])) {
    const before = pre[address] ?? {};
    const after = post[address];
    const nonce = memberChange(nonceOf, '0x0', before, after);
    const balance = memberChange((account) => account.balance, '0x0', before, after);
    const code = memberChange((account) => account.code, '0x', before, after);
    const storage = yield* storageChanges(before, after);
    yield ENTRY_WORK;
    if (nonce === null && balance === null && code === null && storage.length === 0) continue;
    views.push({
      address,
      ...(nonce === null ? {} : { nonce }),
      ...(balance === null ? {} : { balance }),
      ...(code === null ? {} : { code }),
      ...(storage.length === 0 ? {} : { storage }),
    });
  }
  return views;
}
