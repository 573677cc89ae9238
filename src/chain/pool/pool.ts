import { equalBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { TransactionOrder } from '../settings/chain-options.ts';
import {
  type AdmissionRules,
  checkAdmission,
  checkDelegatedSender,
  checkKind,
  checkReplacement,
  type SenderAccount,
} from './admission.ts';
import { type Bundle, WaitingBundles } from './bundles.ts';
import type { TransactionCondition } from './condition.ts';
import {
  costOf,
  fromNonce,
  indexOfNonce,
  inMiningOrder,
  PoolEntry,
  type PoolTimeout,
  type Run,
  withoutGap,
} from './entries.ts';
import { InsufficientFundsError, KnownTransactionError } from './errors.ts';

/** The pool at one moment, unaffected by later changes. */
export interface PoolSnapshot {
  readonly runs: ReadonlyMap<string, Run>;
  readonly byHash: ReadonlyMap<string, PoolEntry>;
  readonly arrivals: number;
  readonly bundles: readonly Bundle[];
}

/** Maps that no snapshot shares. */
interface OwnMaps {
  readonly runs: Map<string, Run>;
  readonly byHash: Map<string, PoolEntry>;
}

/** The parts of the chain that the pool reads. */
export interface HeadReader {
  /** Returns the account after the head block. */
  sender(address: Uint8Array): SenderAccount;
  /** The next block's base fee (wei per gas); `null` if blocks have none. */
  nextBaseFee(): bigint | null;
  /** Returns the sender's next nonce. The transaction's own authorizations can raise it (EIP-7702). */
  nonceAfter(transaction: Transaction): bigint;
}

/** Minimum length of a run with a cached cost. Summing shorter runs is as fast as the lookup. */
const LONG_RUN = 16;

/**
 * The transactions that wait to be mined. A transaction is pending if its nonce follows the sender's without
 * a gap, and queued otherwise.
 */
export class TransactionPool {
  /** The bundles that wait for their block. They affect neither nonces nor the other transactions. */
  readonly bundles = new WaitingBundles();
  readonly #order: TransactionOrder;
  readonly #head: HeadReader;
  readonly #timeout: PoolTimeout | null;
  #runs: ReadonlyMap<string, Run>;
  #byHash: ReadonlyMap<string, PoolEntry>;
  /** The maps, if they may be changed. `null` while a snapshot shares them; a change then copies them. */
  #own: OwnMaps | null;
  #arrivals = 0;
  #version = 0;
  /** Nonces after transactions with authorizations. Cached, because recovering signers is expensive. */
  readonly #noncesAfter = new WeakMap<Transaction, bigint>();
  /** The cached cost of a long run. */
  readonly #costs = new WeakMap<Run, bigint>();

  /** With a timeout, the pool drops expired transactions at every access. */
  constructor(order: TransactionOrder, head: HeadReader, timeout: PoolTimeout | null = null) {
    this.#order = order;
    this.#head = head;
    this.#timeout = timeout;
    this.#own = { runs: new Map(), byHash: new Map() };
    ({ runs: this.#runs, byHash: this.#byHash } = this.#own);
  }

  /** Increases with every change. */
  get version(): number {
    return this.#version;
  }

  /** The number of pending and queued transactions. */
  get size(): number {
    this.#forgetOutdated();
    return this.#byHash.size;
  }

  /** The number of arrivals so far, and the arrival number of the next transaction. */
  get arrivals(): number {
    return this.#arrivals;
  }

  #forgetOutdated(): void {
    if (this.#timeout === null) return;
    this.#dropAll(new Set(this.#timeout.outdated(this.#byHash.values())));
  }

  #prepareChange(): OwnMaps {
    this.#version++;
    if (this.#own === null) {
      this.#own = { runs: new Map(this.#runs), byHash: new Map(this.#byHash) };
      ({ runs: this.#runs, byHash: this.#byHash } = this.#own);
    }
    return this.#own;
  }

  #nonceOf(sender: Uint8Array): bigint {
    return this.#head.sender(sender)?.nonce ?? 0n;
  }

  /** Returns the sender's nonce after the transaction is mined. */
  nonceAfter(transaction: Transaction): bigint {
    if (transaction.authorizationList.length === 0) return transaction.nonce + 1n;
    const known = this.#noncesAfter.get(transaction) ?? this.#head.nonceAfter(transaction);
    this.#noncesAfter.set(transaction, known);
    return known;
  }

  /** Returns the number of executable entries at the start of the run. The sender's next nonce is `nonce`. */
  #pendingLengthOf(run: Run, nonce: bigint): number {
    let length = withoutGap(run, 0, nonce);
    while (length > 0 && length < run.length) {
      const last = run[length - 1];
      if (last === undefined || run[length]?.transaction.nonce !== this.nonceAfter(last.transaction)) break;
      length = withoutGap(run, length, this.nonceAfter(last.transaction));
    }
    return length;
  }

  /**
   * Adds the transaction, or replaces the one with the same nonce. Returns `pending` if it is executable now,
   * else `queued`. If it is rejected, the pool stays unchanged and a `TransactionRejectedError` is thrown.
   */
  add(
    transaction: Transaction,
    rules: AdmissionRules,
    condition: TransactionCondition | null = null,
  ): 'pending' | 'queued' {
    this.#forgetOutdated();
    const senderKey = hexKey(transaction.sender);
    const account = this.#head.sender(transaction.sender);
    const nonce = account?.nonce ?? 0n;
    const stored = this.#runs.get(senderKey) ?? [];
    const run = fromNonce(stored, nonce);
    this.#checkUnknown(transaction, run, nonce);
    const entry = new PoolEntry(transaction, this.#arrivals, rules.ruleSet.fees, condition);
    checkAdmission(entry, account, rules);
    checkKind(transaction, run[0]?.transaction);
    checkDelegatedSender(transaction, account, run.length > 0, rules);
    const place = indexOfNonce(run, transaction.nonce);
    const found = run[place];
    const replaced = found?.transaction.nonce === transaction.nonce ? found : undefined;
    if (replaced !== undefined) checkReplacement(replaced.transaction, transaction, rules);

    const changed = run.toSpliced(place, replaced === undefined ? 0 : 1, entry);
    const pendingLength = this.#pendingLengthOf(changed, nonce);
    const isPending = place < pendingLength;
    // A replacement shares the funds with all pending transactions. Transactions that become pending when a
    // gap closes are not checked.
    const sharing = replaced === undefined ? place + 1 : pendingLength;
    // An appended transaction adds to the cached sum, so that a long run takes no quadratic time.
    const isLast = place === run.length;
    const sharedCost = isLast ? this.#costOf(run) + entry.maximumCost : costOf(changed.slice(0, sharing));
    if (rules.checksBalances && isPending && sharedCost > (account?.balance ?? 0n)) {
      throw new InsufficientFundsError('pending', account?.balance ?? 0n, sharedCost);
    }
    if (isLast && changed.length >= LONG_RUN) this.#costs.set(changed, sharedCost);

    const { runs, byHash } = this.#prepareChange();
    this.#arrivals++;
    runs.set(senderKey, changed);
    for (const stale of stored.slice(0, stored.length - run.length)) {
      byHash.delete(hexKey(stale.transaction.hash));
    }
    if (replaced !== undefined) byHash.delete(hexKey(replaced.transaction.hash));
    byHash.set(hexKey(transaction.hash), entry);
    this.#timeout?.note(entry);
    return isPending ? 'pending' : 'queued';
  }

  #costOf(run: Run): bigint {
    return this.#costs.get(run) ?? costOf(run);
  }

  #checkUnknown(transaction: Transaction, run: Run, nonce: bigint): void {
    const known = this.#byHash.get(hexKey(transaction.hash));
    if (known === undefined) return;
    const isPending = run.indexOf(known) < this.#pendingLengthOf(run, nonce);
    throw new KnownTransactionError(isPending ? 'pending' : 'queued');
  }

  byHash(hash: Uint8Array): Transaction | undefined {
    this.#forgetOutdated();
    return this.#byHash.get(hexKey(hash))?.transaction;
  }

  /** Yields each sender's run without stale entries, and the number of its executable entries. */
  *#waiting(): Generator<{ readonly run: Run; readonly pendingLength: number }> {
    this.#forgetOutdated();
    for (const stored of this.#runs.values()) {
      const first = stored[0];
      if (first === undefined) continue;
      const nonce = this.#nonceOf(first.transaction.sender);
      const run = fromNonce(stored, nonce);
      yield { run, pendingLength: this.#pendingLengthOf(run, nonce) };
    }
  }

  bySenderAndNonce(sender: Uint8Array, nonce: bigint): Transaction | undefined {
    this.#forgetOutdated();
    const run = this.#runs.get(hexKey(sender)) ?? [];
    const found = run[indexOfNonce(run, nonce)]?.transaction;
    return found?.nonce === nonce ? found : undefined;
  }

  /**
   * Returns the executable transactions in mining order. For each sender, the result ends before the first
   * transaction with an arrival number of at least `arrivals`.
   */
  executable(arrivals: number = this.#arrivals): PoolEntry[] {
    const runs: Run[] = [];
    for (const { run, pendingLength } of this.#waiting()) {
      const end = arrivals === this.#arrivals ? -1 : run.findIndex(({ arrival }) => arrival >= arrivals);
      runs.push(run.slice(0, end === -1 ? pendingLength : Math.min(end, pendingLength)));
    }
    // Most pools have transactions of one sender.
    const [only] = runs;
    if (only === undefined || runs.length === 1) return [...(only ?? [])];
    return inMiningOrder(runs, { order: this.#order, baseFeePerGas: this.#head.nextBaseFee() });
  }

  /** Returns the executable transactions in mining order. */
  pending(): Transaction[] {
    return this.executable().map(({ transaction }) => transaction);
  }

  /** Returns the transactions behind a nonce gap, by sender and nonce. */
  queued(): Transaction[] {
    return Array.from(this.#waiting(), ({ run, pendingLength }) => run.slice(pendingLength)).flatMap((run) =>
      run.map((entry) => entry.transaction),
    );
  }

  /** Returns the sender's executable transactions, lowest nonce first. */
  pendingOf(sender: Uint8Array): Transaction[] {
    this.#forgetOutdated();
    const nonce = this.#nonceOf(sender);
    const run = fromNonce(this.#runs.get(hexKey(sender)) ?? [], nonce);
    return run.slice(0, this.#pendingLengthOf(run, nonce)).map((entry) => entry.transaction);
  }

  /** Returns the sender's next nonce after its pending transactions. */
  nextNonce(sender: Uint8Array): bigint {
    this.#forgetOutdated();
    const nonce = this.#nonceOf(sender);
    const run = fromNonce(this.#runs.get(hexKey(sender)) ?? [], nonce);
    const last = run[this.#pendingLengthOf(run, nonce) - 1];
    return last === undefined ? nonce : this.nonceAfter(last.transaction);
  }

  /** Returns true if all transactions are plain transfers, so that no account's code can change. */
  hasOnlyTransfers(): boolean {
    for (const { transaction } of this.#byHash.values()) {
      const { to, data, authorizationList } = transaction;
      if (to === null || data.length > 0 || authorizationList.length > 0) return false;
    }
    return true;
  }

  /** Removes the transaction. Returns false if it was not in the pool. */
  remove(hash: Uint8Array): boolean {
    const entry = this.#byHash.get(hexKey(hash));
    if (entry === undefined) return false;
    this.#drop(hexKey(entry.transaction.sender), (other) => other === entry);
    return true;
  }

  /** Removes the transaction, and the bundles that contain it. */
  removeEverywhere(hash: Uint8Array): void {
    this.remove(hash);
    this.bundles.removeWhere(({ transactions }) =>
      transactions.some(({ admitted }) => equalBytes(admitted.transaction.hash, hash)),
    );
  }

  removeWhere(isDropped: (transaction: Transaction) => boolean): void {
    const dropped = new Set<PoolEntry>();
    for (const entry of this.#byHash.values()) if (isDropped(entry.transaction)) dropped.add(entry);
    this.#dropAll(dropped);
  }

  /** Scans each sender's run once. */
  #dropAll(dropped: ReadonlySet<PoolEntry>): void {
    const senders = new Set<string>();
    for (const { transaction } of dropped) senders.add(hexKey(transaction.sender));
    for (const sender of senders) this.#drop(sender, (entry) => dropped.has(entry));
  }

  /**
   * Removes transactions whose nonce is below their sender's nonce, because they can never be mined.
   * `senders` are the accounts with increased nonces.
   */
  removeStale(senders: Iterable<Uint8Array>): void {
    for (const sender of senders) {
      if (this.#runs.size === 0) return;
      const key = hexKey(sender);
      const first = this.#runs.get(key)?.[0];
      if (first === undefined) continue;
      const nonce = this.#nonceOf(sender);
      if (first.transaction.nonce >= nonce) continue;
      this.#drop(key, (entry) => entry.transaction.nonce < nonce);
    }
  }

  #drop(senderKey: string, isDropped: (entry: PoolEntry) => boolean): void {
    const { runs, byHash } = this.#prepareChange();
    const kept: PoolEntry[] = [];
    for (const entry of runs.get(senderKey) ?? []) {
      if (isDropped(entry)) byHash.delete(hexKey(entry.transaction.hash));
      else kept.push(entry);
    }
    if (kept.length > 0) runs.set(senderKey, kept);
    else runs.delete(senderKey);
  }

  /** Returns all transactions, unordered. */
  entries(): Iterable<PoolEntry> {
    return this.#byHash.values();
  }

  /** Returns the present pool in constant time. The maps are shared, not copied. */
  snapshot(): PoolSnapshot {
    this.#own = null;
    const { all: bundles } = this.bundles;
    return { runs: this.#runs, byHash: this.#byHash, arrivals: this.#arrivals, bundles };
  }

  /** Restores a snapshot of any pool, sharing its maps. Expired transactions are dropped again. */
  restore(snapshot: PoolSnapshot): void {
    this.#version++;
    this.#own = null;
    this.#runs = snapshot.runs;
    this.#byHash = snapshot.byHash;
    this.#arrivals = snapshot.arrivals;
    this.bundles.restore(snapshot.bundles);
    if (this.#timeout !== null) for (const entry of snapshot.byHash.values()) this.#timeout.note(entry);
  }
}
