// Computes the access list of a block (EIP-7928): executes the block again with an observer, on its parent
// state.

import { reachedAuthorizations, signedAuthorizations } from '../evm/authorizations.ts';
import type { ExecutionObserver } from '../evm/observer.ts';
import type { ImpersonatedSigner } from '../evm/signers.ts';
import { type AccessedAccount, AccessRecorder } from '../evm/tracers/access-recorder.ts';
import type { Awaitable } from '../primitives/awaitable.ts';
import { compareBytes, EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import type { Steps } from '../primitives/steps.ts';
import {
  type AccountAccess,
  accessListItems,
  type BlockAccessList,
  encodeAccessList,
  type IndexedChange,
  maximumAccessListItems,
} from '../protocol/block-access-list.ts';
import { SYSTEM_ADDRESS } from '../protocol/hardforks/system-contracts.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { type Task, waitFor } from '../scheduling/task.ts';
import { Overlay } from '../state/overlay.ts';
import { fetchingState } from '../state/state-source.ts';
import type { WorldState } from '../state/world-state.ts';
import { fetchReads } from './fetched-reads.ts';
import {
  beginBlock,
  endBlock,
  type StoredSlots,
  type SystemCallSite,
  systemMessage,
} from './system-calls.ts';

export type ReadableState = Pick<Overlay, 'account' | 'storageAt'>;

interface GrowingAccess {
  readonly address: Uint8Array;
  readonly slots: Map<string, { readonly slot: Uint8Array; readonly changes: IndexedChange<Uint8Array>[] }>;
  readonly balanceChanges: IndexedChange<bigint>[];
  readonly nonceChanges: IndexedChange<bigint>[];
  readonly codeChanges: IndexedChange<Uint8Array>[];
}

const NO_CODE = new Uint8Array(0);
/** Work units of a slot. */
const SLOT_WORK = 256;

/** Add the parts of a block in order. */
export class AccessListBuilder {
  readonly #accounts = new Map<string, GrowingAccess>();

  /** Adds the accesses of a part of the block. `before` and `after` are the states around it. */
  add(index: number, accessed: Iterable<AccessedAccount>, before: ReadableState, after: ReadableState): void {
    for (const { address, slots } of accessed) {
      const account = this.#accountOf(address);
      const [old, now] = [before.account(address), after.account(address)];
      const balance = now?.balance ?? 0n;
      const nonce = now?.nonce ?? 0n;
      const code = now?.code.bytes ?? NO_CODE;
      if (balance !== (old?.balance ?? 0n)) account.balanceChanges.push({ index, value: balance });
      if (nonce !== (old?.nonce ?? 0n)) account.nonceChanges.push({ index, value: nonce });
      if (!equalBytes(code, old?.code.bytes ?? NO_CODE)) account.codeChanges.push({ index, value: code });
      for (const [key, slot] of slots) {
        const changes = changesOf(account, key, slot);
        const value = after.storageAt(address, slot);
        if (!equalBytes(value, before.storageAt(address, slot))) changes.push({ index, value });
      }
    }
  }

  /**
   * Adds slots with new values. The old values are not read, because they may have to be fetched and always
   * differ. Nothing else may change the slots at this index.
   */
  *addStored(index: number, { address, slots }: StoredSlots, after: ReadableState): Steps<void> {
    const account = this.#accountOf(address);
    for (const slot of slots) {
      changesOf(account, hexKey(slot), slot).push({ index, value: after.storageAt(address, slot) });
      yield SLOT_WORK;
    }
  }

  /** Returns the sorted list. */
  list(): BlockAccessList {
    return Array.from(this.#accounts.values())
      .sort((one, other) => compareBytes(one.address, other.address))
      .map(accessOf);
  }

  #accountOf(address: Uint8Array): GrowingAccess {
    const key = hexKey(address);
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const account: GrowingAccess = {
      address,
      slots: new Map(),
      balanceChanges: [],
      nonceChanges: [],
      codeChanges: [],
    };
    this.#accounts.set(key, account);
    return account;
  }
}

function changesOf({ slots }: GrowingAccess, key: string, slot: Uint8Array): IndexedChange<Uint8Array>[] {
  const known = slots.get(key) ?? { slot, changes: [] };
  slots.set(key, known);
  return known.changes;
}

function accessOf({ slots, ...account }: GrowingAccess): AccountAccess {
  const sorted = Array.from(slots.values()).sort((one, other) => compareBytes(one.slot, other.slot));
  return {
    ...account,
    storageChanges: sorted.filter(({ changes }) => changes.length > 0),
    storageReads: sorted.filter(({ changes }) => changes.length === 0).map(({ slot }) => slot),
  };
}

/** An executed block, and the context to execute it again. */
export interface RecordedBlock extends Omit<SystemCallSite, 'state' | 'observer'> {
  readonly chainId: bigint;
  readonly impersonatedSigner: ImpersonatedSigner;
  /** The state before the block. */
  readonly before: WorldState;
  readonly transactions: readonly Transaction[];
  /** Executes a transaction. Default: `transact` of the engine. */
  readonly run?: (
    state: Overlay,
    transaction: Transaction,
    observer: ExecutionObserver,
  ) => Awaitable<unknown>;
  /** Work units per transaction; absent if the work must not yield. */
  readonly work?: number;
}

/**
 * Returns the access list of the block. It includes the hashes of earlier blocks without system calls, which
 * the first block after them stores before its transactions. Throws the errors of the engine and of
 * `checkCancelled`.
 */
export function recordBlockAccesses(block: RecordedBlock): Task<BlockAccessList> {
  return recordAccesses(block, true);
}

function* recordAccesses(block: RecordedBlock, withStored: boolean): Task<BlockAccessList> {
  const { engine, ruleSet, environment, before, transactions, checkCancelled } = block;
  const builder = new AccessListBuilder();
  const message = systemMessage(ruleSet, SYSTEM_ADDRESS, EMPTY_BYTES);
  const state = new Overlay(before);

  const beginning = new AccessRecorder(ruleSet, message, []);
  const stored = yield* beginBlock({ ...block, state, observer: beginning });
  yield* addPart(block, builder, 0, { accessed: beginning.accounts(), before, after: state });
  if (stored.slots.length > 0) {
    if (withStored) yield* builder.addStored(0, stored, state);
    yield* state.toWorldStateInSteps();
  }

  const run =
    block.run ??
    ((on: Overlay, transaction: Transaction, observer: ExecutionObserver) =>
      engine.transact(environment, on, transaction, observer, checkCancelled));
  const payee = environment.feeRecipient ?? environment.coinbase;
  for (const [index, transaction] of transactions.entries()) {
    const { sender, authorizationList } = transaction;
    const signed = signedAuthorizations(authorizationList, block.chainId, block.impersonatedSigner);
    const reached = state.toWorldState();
    const looked = yield* waitFor(
      fetchingState(
        () => reachedAuthorizations(signed, transaction, new Overlay(reached), ruleSet),
        checkCancelled,
      ),
    );
    const parties = [sender, payee, ...looked.signed.map(({ authority }) => authority)];
    const recorder = new AccessRecorder(ruleSet, transaction, parties, looked.arePaid);
    yield* waitFor(run(state, transaction, recorder));
    const accessed = recorder.accounts();
    yield* addPart(block, builder, index + 1, { accessed, before: reached, after: state });
    if (block.work !== undefined) yield block.work;
  }

  const atEnd = state.toWorldState();
  const end = new AccessRecorder(ruleSet, message, []);
  yield* endBlock({ ...block, state, observer: end });
  const accessed = end.accounts();
  yield* addPart(block, builder, transactions.length + 1, { accessed, before: atEnd, after: state });
  return builder.list();
}

/** The accesses of a part of a block, and the states around it. */
interface BlockPart {
  readonly accessed: Iterable<AccessedAccount>;
  readonly before: ReadableState;
  readonly after: ReadableState;
}

/**
 * Adds a part of a block. On a fork, first fetches the accessed values that the execution did not read: an
 * access can run out of gas before its read.
 */
function* addPart(
  { before: { isPartial }, checkCancelled }: RecordedBlock,
  builder: AccessListBuilder,
  index: number,
  { accessed, before, after }: BlockPart,
): Task<void> {
  const accounts = [...accessed];
  const reads = (): (() => unknown)[] =>
    accounts.flatMap(({ address, slots }) => [
      () => before.account(address),
      ...Array.from(
        slots.values(),
        (slot) => () => [before, after].map((state) => state.storageAt(address, slot)),
      ),
    ]);
  if (isPartial) yield* fetchReads(reads(), checkCancelled);
  builder.add(index, accounts, before, after);
}

/** Returns the hash (32 bytes) of the access list; `null` under rule sets without access lists. */
export function* accessListHash(block: RecordedBlock): Task<Uint8Array | null> {
  if (!block.ruleSet.hasAccessLists) return null;
  return keccak256(encodeAccessList(yield* recordBlockAccesses(block)));
}

/** Minimum gas of a transaction for a new account or slot: the gas of a cold slot read. */
const CHEAPEST_ITEM_GAS = 2_100n;

/**
 * Upper bound of the accounts and slots that a block accesses without gas. The system contracts dequeue at
 * most 64 requests with 7 slots each. The fee recipient and the precompiles are also included.
 */
const MAX_ITEMS_WITHOUT_GAS = 1_024;

/**
 * Checks that a block accesses no more accounts and slots than its gas limit allows (EIP-7928). The hashes of
 * earlier blocks without system calls do not count, because they would leave no space for transactions if the
 * gas limit is low.
 */
export class AccessListLimit {
  readonly #block: Omit<RecordedBlock, 'transactions'>;
  /** The maximum number of items without gas; `null` until the block was executed without transactions. */
  #withoutGas: number | null = null;

  constructor(block: Omit<RecordedBlock, 'transactions'>) {
    this.#block = block;
  }

  /**
   * Returns true if the accesses of the transactions fit into the block. Executes them only if `maxGas`,
   * their total gas, does not already prove it. Throws the errors of {@link recordBlockAccesses}.
   */
  *has(transactions: readonly Transaction[], maxGas: bigint): Task<boolean> {
    const maximum = maximumAccessListItems(this.#block.environment.gasLimit);
    const paid = maxGas / CHEAPEST_ITEM_GAS;
    if (paid + BigInt(MAX_ITEMS_WITHOUT_GAS) <= maximum) return true;
    this.#withoutGas ??= (yield* this.#items([])) + 1 + this.#block.ruleSet.precompiles.contracts.length;
    if (paid + BigInt(this.#withoutGas) <= maximum) return true;
    return BigInt(yield* this.#items(transactions)) <= maximum;
  }

  *#items(transactions: readonly Transaction[]): Task<number> {
    return accessListItems(yield* recordAccesses({ ...this.#block, transactions }, false));
  }
}
