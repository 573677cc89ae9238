// The state of the upstream, fetched on demand.

import { equalBytes } from '../primitives/bytes.ts';
import { hexKey, toHex, toQuantity } from '../primitives/hex.ts';
import { precompileAddress } from '../protocol/hardforks/precompiles.ts';
import { type Account, type Code, codeOf, EMPTY_CODE } from '../state/account.ts';
import type { PredictableMessage, SourceCall, SourceContract, StateSource } from '../state/state-source.ts';
import { MissingStateError } from '../state/state-source.ts';
import { asObject, tolerantData, tolerantQuantity, tolerantWord } from '../wire/tolerant.ts';
import type { AccessHints } from './access-hints.ts';
import type { AnswerStore } from './answer-store.ts';
import { constantSlots } from './constant-slots.ts';
import { OfflineError } from './errors.ts';
import { hintOverrides } from './hint-overrides.ts';
import { accountQuestions, slotQuestion } from './state-questions.ts';
import { blockQuestion, PINNED_BLOCK, type Question, questionOf } from './upstream/upstream-call.ts';
import { hashOfUpstream } from './upstream-block.ts';
import { type FirstBlock, firstUpstreamBlock } from './upstream-chain.ts';

/** Accounts whose funds (wei) differ from the upstream's, by address as {@link hexKey} formats it. */
export type Funds = ReadonlyMap<string, bigint>;

/** The chain ids of Rootstock: mainnet, testnet and regtest. */
const ROOTSTOCK_CHAIN_IDS: ReadonlySet<number> = new Set([30, 31, 33]);

/** Returns true if the chain has Rootstock's Bridge. */
export function hasBridge(chainId: number): boolean {
  return ROOTSTOCK_CHAIN_IDS.has(chainId);
}

const BRIDGE_ADDRESS = precompileAddress('BRIDGE');

const NO_HASH = new Uint8Array(32);

export interface ForkStateOptions {
  /** True to send calls of Rootstock's Bridge to the upstream. */
  readonly hasBridge: boolean;
  /** `null` to request no hints from the upstream. */
  readonly hints: AccessHints | null;
  /** Accounts (20 bytes) that are fetched with the first missing value, because each block reads them. */
  readonly companions: readonly Uint8Array[];
}

/**
 * The state after the pinned block, fetched on demand. All states on it share it, including snapshots and
 * lanes. An account without nonce, balance and code counts as missing, because RPC cannot distinguish the
 * two. Accounts that get funds lose their code. On public chains, that code can steal funds from accounts
 * with known keys.
 */
export class ForkState implements StateSource {
  readonly #answers: AnswerStore;
  readonly #funds: Funds;
  readonly #hints: AccessHints | null;
  #companions: readonly Uint8Array[];
  /** The accounts whose slots with constant keys were requested, as {@link hexKey} formats them. */
  readonly #readCodes = new Set<string>();
  readonly #bridge: SourceContract | null;
  readonly #accounts = new Map<string, Account | undefined>();
  /** Values of slots by address and slot. The key of a request is longer, and so slower to make. */
  readonly #slots = new Map<string, Map<string, Uint8Array>>();
  /** The upstream's first block; fetched if code reads the hash of an earlier block. */
  #first: FirstBlock | null = null;

  constructor(answers: AnswerStore, funds: Funds, { hasBridge, hints, companions }: ForkStateOptions) {
    this.#answers = answers;
    this.#funds = funds;
    this.#hints = hints;
    this.#companions = companions;
    this.#bridge = hasBridge ? { isChanged: false, call: (call) => this.#callBridge(call) } : null;
  }

  /** @inheritdoc */
  contract(address: Uint8Array): SourceContract | null {
    return this.#bridge !== null && equalBytes(address, BRIDGE_ADDRESS) ? this.#bridge : null;
  }

  #callBridge({ data, sent }: SourceCall): Uint8Array {
    const message = { to: toHex(BRIDGE_ADDRESS), data: toHex(data) };
    const sender = sent === undefined ? {} : { from: toHex(sent.from), value: toQuantity(sent.value) };
    const params = [{ ...message, ...sender }, PINNED_BLOCK];
    const question = questionOf({ method: 'eth_call', params, expects: 'data' });
    const output = tolerantData(this.#answers.get(question));
    if (output === undefined) throw this.#missing([question]);
    return output;
  }

  /** @inheritdoc */
  async predict(message: PredictableMessage, local: Iterable<Account>): Promise<void> {
    const codeHere = (address: Uint8Array): Code | undefined => this.#accounts.get(hexKey(address))?.code;
    await this.#hints?.fetch(message, hintOverrides(message, local, codeHere));
  }

  /** @inheritdoc */
  account(address: Uint8Array): Account | undefined {
    const key = hexKey(address);
    const known = this.#accounts.get(key);
    if (known !== undefined || this.#accounts.has(key)) return known;
    const account = this.#readAccount(address, this.#funds.get(key));
    this.#accounts.set(key, account);
    return account;
  }

  #readAccount(address: Uint8Array, funds: bigint | undefined): Account | undefined {
    const name = toHex(address);
    const members = accountQuestions(name);
    const questions = funds === undefined ? members : members.slice(0, 1);
    const answers = questions.map((question) => this.#answers.get(question));
    if (answers.includes(undefined)) throw this.#missing(questions, `data of account ${name}`);
    const [nonce, balance, code] = answers;
    const read = {
      nonce: tolerantQuantity(nonce) ?? 0n,
      balance: funds ?? tolerantQuantity(balance) ?? 0n,
      code: codeOfAnswer(code),
    };
    const isThere = read.nonce > 0n || read.balance > 0n || read.code.bytes.length > 0;
    return isThere ? { address, ...read, storage: null, storageSource: this } : undefined;
  }

  /** @inheritdoc */
  storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const slots = this.#slotsOf(hexKey(address));
    const key = hexKey(slot);
    let value = slots.get(key);
    if (value !== undefined) return value;
    const question = slotQuestion(toHex(address), toHex(slot));
    value = this.#answers.getBytes(question, tolerantWord);
    if (value === undefined) throw this.#missing([question], null, this.#constantSlots(address));
    slots.set(key, value);
    return value;
  }

  /** The missing slots with constant keys. Each account's are returned once. */
  #constantSlots(address: Uint8Array): readonly Question[] {
    const key = hexKey(address);
    const code = this.#accounts.get(key)?.code.bytes;
    if (code === undefined || this.#readCodes.has(key)) return [];
    this.#readCodes.add(key);
    const name = toHex(address);
    return constantSlots(code).map((slot) => slotQuestion(name, toHex(slot)));
  }

  #slotsOf(key: string): Map<string, Uint8Array> {
    let slots = this.#slots.get(key);
    if (slots === undefined) {
      slots = new Map();
      this.#slots.set(key, slots);
    }
    return slots;
  }

  /** @inheritdoc */
  blockHash(number: number): Uint8Array {
    if (this.#first !== null && number < this.#first.number)
      return (
        (number === this.#first.number - 1 ? hashOfUpstream(this.#first.parentHash) : undefined) ?? NO_HASH
      );
    const question = blockQuestion(toQuantity(number), false);
    const hash = this.#answers.getBytes(question, (block) => hashOfUpstream(asObject(block)?.hash));
    if (hash === undefined) throw new MissingStateError(() => this.#fetchBlock(number, question));
    return hash;
  }

  /** Below the first block, code reads only the first block's parent hash. */
  async #fetchBlock(number: number, question: Question): Promise<void> {
    if ((await this.#answers.fetch(question)) !== null) return;
    this.#first = await firstUpstreamBlock(this.#answers);
    if (number >= this.#first.number) await this.#answers.fetch({ ...question, isThere: true });
  }

  /**
   * Returns the error for missing responses. `subject` replaces the request in the error of an offline fork.
   * `likely` are questions that the reader will probably ask next.
   */
  #missing(
    questions: readonly Question[],
    subject: string | null = null,
    likely: readonly Question[] = [],
  ): MissingStateError {
    const isPending = questions.every((question) => this.#answers.isPending(question));
    return new MissingStateError(async () => {
      const companions = this.#companions.flatMap((one) => accountQuestions(toHex(one)));
      this.#companions = [];
      this.#fetchEarly([...likely, ...companions]);
      try {
        await this.#answers.fetchAll(questions);
      } catch (error) {
        throw subject !== null && error instanceof OfflineError
          ? new OfflineError(subject, error.options)
          : error;
      }
    }, isPending);
  }

  /** Fetches missing values in the batch of another value. Their reader asks again, and reports a failure. */
  #fetchEarly(questions: readonly Question[]): void {
    const missing = questions.filter((question) => this.#answers.get(question) === undefined);
    if (missing.length > 0) void this.#answers.fetchAll(missing).catch(() => undefined);
  }
}

/** Some nodes return `null` for an account without code. */
function codeOfAnswer(answer: unknown): Code {
  const bytes = tolerantData(answer);
  return bytes === undefined ? EMPTY_CODE : codeOf(bytes);
}
