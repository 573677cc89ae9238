// The chain as the thread of a tracer sees it: what it reads is asked of the main thread, for which it waits.

import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { hexKey } from '../../primitives/hex.ts';
import type { Block } from '../../protocol/block.ts';
import type { Account } from '../../state/account.ts';
import type { StateSource } from '../../state/state-source.ts';
import type { BlockEnvironment } from '../engine.ts';
import type { ImpersonatedSigner } from '../signers.ts';
import type { PlainEnvironment, Question, QuestionAnswer, ThreadStart } from './trace-job.ts';

/** Thrown when the main thread could not read something; it knows why. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** Asks the main thread, and waits. */
class Asking {
  readonly #signal: Int32Array;
  readonly #questions: MessagePort;

  constructor({ signal, questions }: ThreadStart) {
    this.#signal = signal;
    this.#questions = questions;
  }

  ask(question: Question): unknown {
    Atomics.store(this.#signal, 0, 0);
    this.#questions.postMessage(question);
    Atomics.wait(this.#signal, 0, 0);
    const received = receiveMessageOnPort(this.#questions);
    if (received === undefined) throw new Error('the answer was announced and has not come');
    const answer: QuestionAnswer = received.message;
    if ('isFailure' in answer) throw new UnreadableError('the main thread could not read it');
    return answer.value;
  }
}

/** The state before a message, and its chain. Values that were read once are kept. */
export class RemoteChain implements StateSource {
  readonly #asking: Asking;
  readonly #accounts = new Map<string, Account | undefined>();
  readonly #slots = new Map<string, Uint8Array>();

  constructor(start: ThreadStart) {
    this.#asking = new Asking(start);
  }

  account(address: Uint8Array): Account | undefined {
    const key = hexKey(address);
    if (this.#accounts.has(key)) return this.#accounts.get(key);
    const found = this.#asking.ask({ kind: 'account', address }) as Omit<Account, 'storage'> | undefined;
    const account = found === undefined ? undefined : { ...found, storage: null, storageSource: this };
    this.#accounts.set(key, account);
    return account;
  }

  storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const key = hexKey(address) + hexKey(slot);
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const value = this.#asking.ask({ kind: 'storage', address, slot }) as Uint8Array;
    this.#slots.set(key, value);
    return value;
  }

  blockHash(number: number): Uint8Array {
    return this.#asking.ask({ kind: 'block hash', number }) as Uint8Array;
  }

  /** The environment with what reads the chain. */
  environment(plain: PlainEnvironment): BlockEnvironment {
    return {
      ...plain,
      blockHash: (number) => this.blockHash(number),
      ancestor: (number) => this.#asking.ask({ kind: 'ancestor', number }) as Block | undefined,
    };
  }

  readonly impersonatedSigner: ImpersonatedSigner = (signature) =>
    this.#asking.ask({ kind: 'signer', signature }) as Uint8Array | undefined;
}
