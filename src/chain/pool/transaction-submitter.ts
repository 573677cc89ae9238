// Submitting transactions to the chain, and waiting for their receipts.

import { equalBytes } from '../../primitives/bytes.ts';
import type { Timers } from '../../primitives/clock.ts';
import { toHex } from '../../primitives/hex.ts';
import { type Awaitable, runTask, type Task, waitFor } from '../../primitives/task.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Transaction, TransactionRequest } from '../../protocol/transaction.ts';
import { signingHash, withoutSignature, withSignature } from '../../protocol/transaction-encoding.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { ChainEvents } from '../../storage/chain-events.ts';
import type { HashSigner, Wallet } from '../../wallet/wallet.ts';
import type { Impersonation } from '../cheats/impersonation.ts';
import { ReceiptTimeoutError } from '../errors.ts';
import type { BlockProducer } from '../mining/block-producer.ts';
import type { Miner } from '../mining/miner.ts';
import type { ChainOptions } from '../settings/chain-options.ts';
import type { NextLimits } from '../settings/next-limits.ts';
import type { AdmissionRules } from './admission.ts';
import { TransactionRejectedError } from './errors.ts';
import type { TransactionPool } from './pool.ts';

/** A transaction request of an account, with an optional nonce. */
export type SendRequest = Omit<TransactionRequest, 'nonce'> & { readonly nonce: bigint | null };

/** The options of sending a transaction. */
export interface SendOptions {
  /** Signs instead of the wallet. */
  readonly signHash?: HashSigner | undefined;
  /** The life of the chain (see `ChainIdentity`) that the transaction is for; any when omitted. */
  readonly life?: number;
}

/** The dependencies of submission, all of one chain. */
export interface IntakeParts {
  readonly options: ChainOptions;
  readonly ruleSet: RuleSet;
  readonly wallet: Wallet;
  readonly impersonation: Impersonation;
  readonly pool: TransactionPool;
  readonly miner: Miner;
  readonly producer: BlockProducer;
  readonly events: ChainEvents;
  /** Wei per gas of the next block's base fee; `null` where there is none. */
  readonly nextBaseFee: () => bigint | null;
  /** The limits that the next block has for its transactions, in total and for each. */
  readonly nextLimits: () => NextLimits;
}

/**
 * The path of a transaction into the chain: signed, added to the pool, announced, and mined when automine is on.
 * Callers must submit one transaction at a time.
 */
export class TransactionSubmitter {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  #withNonce(sender: Uint8Array, request: SendRequest): SendRequest & { readonly nonce: bigint } {
    return { ...request, nonce: request.nonce ?? this.#parts.pool.nextNonce(sender) };
  }

  /** Signs with the wallet, or as the options say. Throws `AccountNotFoundError`. */
  sign(sender: Uint8Array, request: SendRequest, signHash?: HashSigner): Transaction {
    const complete = this.#withNonce(sender, request);
    const hash = signingHash(complete);
    return withSignature(complete, signHash?.(hash) ?? this.#parts.wallet.signHash(sender, hash), sender);
  }

  /** Returns the unsigned transaction of the sender, whose key is not needed. */
  unsigned(sender: Uint8Array, request: SendRequest): Transaction {
    return withoutSignature(this.#withNonce(sender, request), sender);
  }

  /**
   * Signs the transaction if there is a key; otherwise returns it unsigned for an account that is impersonated or has
   * no key.
   */
  signAs(sender: Uint8Array, request: SendRequest, signHash?: HashSigner): Transaction {
    const { impersonation, wallet } = this.#parts;
    const isWithoutKey = impersonation.covers(sender) || wallet.isUnlockedWithoutKey(sender);
    return signHash === undefined && isWithoutKey && !wallet.isUnlocked(sender)
      ? this.unsigned(sender, request)
      : this.sign(sender, request, signHash);
  }

  /** Adds the transaction to the pool; returns its hash. Throws a `TransactionRejectedError`. */
  submit(transaction: Transaction): Awaitable<Uint8Array> {
    return runTask(this.#admit(transaction));
  }

  *#admit(transaction: Transaction): Task<Uint8Array> {
    const { pool, miner, producer } = this.#parts;
    const isReplacement = transaction.nonce < pool.nextNonce(transaction.sender);
    const list = pool.add(transaction, this.#admissionRules());
    if (list === 'pending') this.#announce(transaction, isReplacement);
    if (miner.automine) yield* waitFor(producer.mineWaiting());
    return transaction.hash;
  }

  /** Announces a transaction that can be mined now, and those that waited for it. */
  #announce(transaction: Transaction, isReplacement: boolean): void {
    const { pool, events } = this.#parts;
    events.emit('pendingTransaction', transaction);
    const isLast = pool.nextNonce(transaction.sender) === transaction.nonce + 1n;
    if (isReplacement || isLast) return;
    for (const follower of pool.pendingOf(transaction.sender)) {
      if (follower.nonce > transaction.nonce) events.emit('pendingTransaction', follower);
    }
  }

  /** Puts a transaction that was removed from the chain back into the pool; drops it when the pool refuses it. */
  takeBack(transaction: Transaction): void {
    const { pool, events } = this.#parts;
    try {
      if (pool.add(transaction, this.#admissionRules()) === 'pending') {
        events.emit('pendingTransaction', transaction);
      }
    } catch (error) {
      if (!(error instanceof TransactionRejectedError)) throw error;
    }
  }

  #admissionRules(): AdmissionRules {
    const { options, ruleSet, miner, nextBaseFee, nextLimits } = this.#parts;
    // With automine no later block is waited for: a transaction that the next block cannot take is refused.
    const leastFeeCap = miner.automine ? nextBaseFee() : null;
    const { codeSizeLimit, networkLimits } = options;
    const { transactionGasLimit, minimumGasPrice } = nextLimits();
    return { ruleSet, transactionGasLimit, minimumGasPrice, leastFeeCap, codeSizeLimit, networkLimits };
  }
}

/** The parts of a chain that waiting for receipts needs. */
export interface WaitingParts {
  readonly blockchain: Blockchain;
  readonly events: ChainEvents;
  readonly timers: Timers;
}

/** Waits for transactions to be mined. */
export class ReceiptWaiting {
  readonly #parts: WaitingParts;

  constructor(parts: WaitingParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when the transaction with that hash is mined, at once when it already is. Rejects with
   * {@link ReceiptTimeoutError} when `milliseconds` pass before.
   */
  async untilMined(hash: Uint8Array, milliseconds: number): Promise<void> {
    const { blockchain, events, timers } = this.#parts;
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
}
