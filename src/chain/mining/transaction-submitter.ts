// Submits transactions to the chain and waits for their receipts.

import type { AdmittedTransaction } from '../../evm/admission.ts';
import type { Awaitable } from '../../primitives/awaitable.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { hexKey, toHex } from '../../primitives/hex.ts';
import { finish, type Steps } from '../../primitives/steps.ts';
import { nextBlobBaseFee } from '../../protocol/blobs.ts';
import type { Block } from '../../protocol/block.ts';
import type { Transaction, TransactionRequest } from '../../protocol/transaction.ts';
import { signedBy, unsignedFieldsInSteps, withoutSignature } from '../../protocol/transaction-encoding.ts';
import { runTask, type Task, waitFor } from '../../scheduling/task.ts';
import type { HashSigner } from '../../wallet/wallet.ts';
import type { NamedBlob } from '../blobs.ts';
import type { ChainCore } from '../chain-core.ts';
import type { CallToken } from '../changes.ts';
import { ReceiptTimeoutError } from '../errors.ts';
import { type AdmissionRules, checkAdmission } from '../pool/admission.ts';
import { type Bundle, dueState } from '../pool/bundles.ts';
import { requireCondition, type TransactionCondition } from '../pool/condition.ts';
import { BundleExpiredError, BundleFailedError, TransactionRejectedError } from '../pool/errors.ts';
import { baseFeeAfter, limitsAfter } from '../settings/block-settings.ts';
import type { BlockProducer } from './block-producer.ts';

/** Work units per transaction that returns to the pool. */
const RETURN_WORK = 1_024;

/** A transaction to send. A `null` nonce is set by the chain. */
export type SendRequest = Omit<TransactionRequest, 'nonce'> & { readonly nonce: bigint | null };

export interface SendOptions {
  /** Signs instead of the wallet. */
  readonly signHash?: HashSigner | undefined;
  /** Required life of the chain (see `ChainIdentity`). Default: any. */
  readonly life?: number;
  /** The client call; `null` or absent for the chain's own transactions. */
  readonly call?: CallToken | null;
  /** The transaction's blobs. They are stored unless the transaction is rejected. */
  readonly blobs?: readonly NamedBlob[];
}

/**
 * Signs a transaction, adds it to the pool, announces it, and mines it with automine. Callers must submit one
 * transaction at a time.
 */
export class TransactionSubmitter {
  readonly #core: ChainCore;
  readonly #producer: BlockProducer;

  constructor(core: ChainCore, producer: BlockProducer) {
    this.#core = core;
    this.#producer = producer;
  }

  #withNonce(sender: Uint8Array, request: SendRequest): SendRequest & { readonly nonce: bigint } {
    return { ...request, nonce: request.nonce ?? this.#core.pool.nextNonce(sender) };
  }

  /** Signs with the wallet or with `signHash`. Throws `AccountNotFoundError`. */
  *sign(sender: Uint8Array, request: SendRequest, signHash?: HashSigner): Steps<Transaction> {
    const complete = this.#withNonce(sender, request);
    const fields = yield* unsignedFieldsInSteps(complete);
    return signedBy(complete, sender, this.#signerOf(sender, signHash), fields);
  }

  #signerOf(sender: Uint8Array, signHash: HashSigner | undefined): HashSigner {
    return (hash) => signHash?.(hash) ?? this.#core.wallet.signHash(sender, hash);
  }

  /** Returns an unsigned transaction of the sender. No key is needed. */
  unsigned(sender: Uint8Array, request: SendRequest): Transaction {
    return withoutSignature(this.#withNonce(sender, request), sender);
  }

  /**
   * Signs the transaction if a key is available. Otherwise returns it unsigned for an impersonated account or
   * an account without a key.
   */
  signAs(sender: Uint8Array, request: SendRequest, signHash?: HashSigner): Transaction {
    const { impersonation, wallet } = this.#core;
    const isWithoutKey = impersonation.covers(sender) || wallet.isUnlockedWithoutKey(sender);
    return signHash === undefined && isWithoutKey && !wallet.isUnlocked(sender)
      ? this.unsigned(sender, request)
      : finish(this.sign(sender, request, signHash));
  }

  /** Adds the transaction to the pool and returns its hash. Throws a `TransactionRejectedError`. */
  submit(transaction: Transaction, condition: TransactionCondition | null = null): Awaitable<Uint8Array> {
    return runTask(this.#admit(transaction, condition));
  }

  *#admit(transaction: Transaction, condition: TransactionCondition | null): Task<Uint8Array> {
    const { pool, miner } = this.#core;
    if (condition !== null) this.#requireCondition(condition);
    const isReplacement = pool.bySenderAndNonce(transaction.sender, transaction.nonce) !== undefined;
    const list = pool.add(transaction, this.#admissionRules(transaction), condition);
    if (list === 'pending') this.#announce(transaction, isReplacement);
    if (miner.automine) yield* waitFor(this.#producer.mineWaiting(transaction));
    return transaction.hash;
  }

  /** Checks the condition in the next block. A later block checks it again. */
  #requireCondition(condition: TransactionCondition): void {
    const { block, state } = this.#core.blockchain.head;
    const next = { number: block.header.number + 1, timestamp: this.#producer.nextTimestamp() };
    requireCondition(condition, next, state);
  }

  /**
   * With automine, mines a bundle for the next block alone. Otherwise the bundle waits for its block. A bundle with the
   * same replacement id is replaced. Throws a `TransactionRejectedError`, `BundleExpiredError`, `BundleFailedError` or
   * `TooManyBundlesError`; the chain and the waiting bundles are then unchanged.
   */
  submitBundle(bundle: Bundle): Awaitable<void> {
    for (const { admitted } of bundle.transactions) this.#checkInBundle(admitted);
    return runTask(
      this.#producer.inTurn(() => this.#placeBundle(bundle)),
      this.#producer.timeSlice(),
    );
  }

  *#placeBundle(bundle: Bundle): Task<void> {
    const { pool, miner, blockchain } = this.#core;
    const { replacementId, lastBlock, maxTimestamp, hash } = bundle;
    const next = blockchain.head.block.header.number + 1;
    const timestamp = this.#producer.nextTimestamp();
    const state = dueState(bundle, next, timestamp);
    if (state === 'expired')
      throw maxTimestamp !== null && timestamp > maxTimestamp
        ? BundleExpiredError.timestamp(maxTimestamp, timestamp)
        : BundleExpiredError.block(lastBlock, next);
    const fault = miner.automine && state === 'due' ? yield* this.#producer.mineBundle(bundle) : 'it waits';
    if (fault !== null && miner.automine && state === 'due' && lastBlock === next)
      throw new BundleFailedError(hash, fault);
    const { all } = pool.bundles;
    if (replacementId !== null) pool.bundles.cancel(replacementId);
    if (fault === null) return;
    try {
      pool.bundles.add(bundle);
    } catch (error) {
      pool.bundles.restore(all);
      throw error;
    }
  }

  /** Checks a transaction without its nonce and funds, because earlier transactions of the bundle change them. */
  #checkInBundle(admitted: AdmittedTransaction): void {
    const { transaction } = admitted;
    const account = this.#core.blockchain.head.state.account(transaction.sender);
    const sender = { ...account, nonce: transaction.nonce, balance: admitted.maximumCost };
    // The fees of later blocks are unknown.
    const rules = { ...this.#admissionRules(transaction), minFeeCap: null, minBlobFeeCap: null };
    checkAdmission(admitted, sender, rules);
  }

  /** Announces an executable transaction, and queued ones that it makes executable. */
  #announce(transaction: Transaction, isReplacement: boolean): void {
    const { pool, events } = this.#core;
    events.emit('pendingTransaction', transaction);
    const isLast = pool.bySenderAndNonce(transaction.sender, pool.nonceAfter(transaction)) === undefined;
    if (isReplacement || isLast) return;
    for (const follower of pool.pendingOf(transaction.sender)) {
      if (follower.nonce > transaction.nonce) events.emit('pendingTransaction', follower);
    }
  }

  /**
   * Returns transactions of removed blocks (lowest first) to the pool, unless the replacement blocks include
   * them. Transactions that the pool rejects are dropped. Call it inside a change; it yields between
   * transactions.
   */
  *returnTransactions(removed: readonly Block[], inTheirPlace: readonly Block[]): Steps<void> {
    const mined = new Set(
      inTheirPlace.flatMap(({ transactions }) => transactions.map(({ hash }) => hexKey(hash))),
    );
    for (const transaction of removed.flatMap(({ transactions }) => transactions)) {
      if (!mined.has(hexKey(transaction.hash))) this.#takeBack(transaction);
      yield RETURN_WORK;
    }
  }

  #takeBack(transaction: Transaction): void {
    const { pool, events } = this.#core;
    try {
      if (pool.add(transaction, this.#admissionRules(transaction)) === 'pending') {
        events.emit('pendingTransaction', transaction);
      }
    } catch (error) {
      if (!(error instanceof TransactionRejectedError)) throw error;
    }
  }

  #admissionRules({ sender, blobVersionedHashes }: Transaction): AdmissionRules {
    const { impersonation, options, ruleSet, miner, blockchain, settings } = this.#core;
    const { block: head } = blockchain.head;
    // With automine the next block takes the transaction immediately, so it is rejected if that block cannot
    // include it.
    const minFeeCap = miner.automine ? baseFeeAfter(head, settings.current, ruleSet) : null;
    const paysForBlobs = miner.automine && blobVersionedHashes.length > 0;
    const minBlobFeeCap = paysForBlobs ? nextBlobBaseFee(head.header, ruleSet.blobs) : null;
    const {
      codeSizeLimit,
      networkLimits,
      checksPoolBalances: checksBalances,
      replacesAtAnyIncrease,
    } = options;
    const { transactionGasLimit, minimumGasPrice } = limitsAfter(
      head,
      settings.current,
      networkLimits,
      ruleSet,
    );
    return {
      ruleSet,
      transactionGasLimit,
      minimumGasPrice,
      minFeeCap,
      minBlobFeeCap,
      codeSizeLimit,
      senderMayHaveCode: impersonation.covers(sender),
      checksBalances,
      networkLimits,
      replacesAtAnyIncrease,
    };
  }
}

/** Resolves when the transaction is mined. Rejects with {@link ReceiptTimeoutError} after `milliseconds`. */
export async function untilMined(
  { blockchain, events, timers }: ChainCore,
  hash: Uint8Array,
  milliseconds: number,
): Promise<void> {
  if (blockchain.positionOf(hash) !== undefined) return;
  await new Promise<void>((resolve, reject) => {
    const timer = timers.after(milliseconds, () => {
      stopListening();
      reject(new ReceiptTimeoutError(toHex(hash), milliseconds));
    });
    const stopListening = events.on('block', ({ transactions }) => {
      if (!transactions.some((transaction) => equalBytes(transaction.hash, hash))) return;
      stopListening();
      timer.cancel();
      resolve();
    });
  });
}
