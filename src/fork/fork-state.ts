// The state of the upstream, fetched on demand.

import { equalBytes } from '../primitives/bytes.ts';
import { hexKey, toHex, toQuantity } from '../primitives/hex.ts';
import { precompileAddress } from '../protocol/hardforks/precompiles.ts';
import { type Account, type Code, codeOf, EMPTY_CODE } from '../state/account.ts';
import type { SourceCall, SourceContract, StateSource } from '../state/state-source.ts';
import { MissingStateError } from '../state/state-source.ts';
import { asObject, tolerantData, tolerantQuantity, tolerantWord } from '../wire/tolerant.ts';
import { CallOutputs } from './call-outputs.ts';
import { OfflineError, UpstreamError } from './errors.ts';
import { blockCall, PINNED_BLOCK, textOfCall, type UpstreamCall } from './upstream/upstream-call.ts';
import { hashOfUpstream } from './upstream-block.ts';
import { firstUpstreamBlock, type UpstreamChain } from './upstream-chain.ts';

/** Decodes a response; `undefined` for an invalid one. */
type Reading<Value> = (answer: unknown) => Value | undefined;

/** Accounts whose funds (wei) differ from the upstream's, by address as {@link hexKey} formats it. */
export type Funds = ReadonlyMap<string, bigint>;

/** The chain ids of Rootstock: mainnet, testnet and regtest. */
const ROOTSTOCK_CHAIN_IDS: ReadonlySet<number> = new Set([30, 31, 33]);

/** Returns true if the chain has Rootstock's Bridge. */
export function hasBridge(chainId: number): boolean {
  return ROOTSTOCK_CHAIN_IDS.has(chainId);
}

const BRIDGE_ADDRESS = precompileAddress('BRIDGE');

/** The parts of the upstream that the state is fetched from. */
export type FetchedFrom = Pick<UpstreamChain, 'known' | 'ask'>;

/**
 * The state after the pinned block, fetched on demand. All states on it share it, including snapshots and
 * lanes. An account without nonce, balance and code counts as missing, because RPC cannot distinguish the
 * two. Accounts that get funds lose their code. On public chains, that code can steal funds from accounts
 * with known keys.
 */
export class ForkState implements StateSource {
  readonly #upstream: FetchedFrom;
  readonly #funds: Funds;
  readonly #bridge: SourceContract | null;
  readonly #accounts = new Map<string, Account | undefined>();
  readonly #slots = new Map<string, Uint8Array>();
  readonly #hashes = new Map<number, Uint8Array>();
  /** Results of Bridge calls. */
  readonly #outputs = new CallOutputs();
  /** Fetched but unread responses by request text. Without a cache they exist only here. */
  readonly #fetched = new Map<string, unknown>();

  /** With `hasBridge`, calls of Rootstock's Bridge are sent to the upstream. */
  constructor(upstream: FetchedFrom, funds: Funds, { hasBridge }: { readonly hasBridge: boolean }) {
    this.#upstream = upstream;
    this.#funds = funds;
    this.#bridge = hasBridge ? { isChanged: false, call: (call) => this.#callBridge(call) } : null;
  }

  /** @inheritdoc */
  contract(address: Uint8Array): SourceContract | null {
    return this.#bridge !== null && equalBytes(address, BRIDGE_ADDRESS) ? this.#bridge : null;
  }

  #callBridge(made: SourceCall): Uint8Array {
    const key = CallOutputs.keyOf(made);
    const held = this.#outputs.get(key);
    if (held !== undefined) return held;
    const { data, sent } = made;
    const message = { to: toHex(BRIDGE_ADDRESS), data: toHex(data) };
    const sender = sent === undefined ? {} : { from: toHex(sent.from), value: toQuantity(sent.value) };
    const params = [{ ...message, ...sender }, PINNED_BLOCK];
    const call = { method: 'eth_call', params, expects: 'data' } as const;
    const hold = (answer: unknown): Uint8Array => {
      const output = this.#read(call, answer, tolerantData) ?? new Uint8Array(0);
      this.#outputs.set(key, output);
      return output;
    };
    const known = this.#upstream.known(call);
    if (known !== undefined) return hold(known);
    // The upstream chain does not cache every response.
    throw new MissingStateError(async () => {
      hold((await this.#upstream.ask(call)) ?? null);
    });
  }

  /** @inheritdoc */
  account(address: Uint8Array): Account | undefined {
    const key = hexKey(address);
    const known = this.#accounts.get(key);
    if (known !== undefined || this.#accounts.has(key)) return known;
    const account = this.#readAccount(address);
    this.#accounts.set(key, account);
    return account;
  }

  #readAccount(address: Uint8Array): Account | undefined {
    const params = [toHex(address), PINNED_BLOCK];
    const funds = this.#funds.get(hexKey(address));
    const questions = funds === undefined ? ACCOUNT_QUESTIONS : ACCOUNT_QUESTIONS.slice(0, 1);
    const calls = questions.map((question) => ({ ...question, params }));
    const [nonce, balance, code] = this.#answers(calls, `data of account ${toHex(address)}`);
    const read = {
      nonce: this.#read(calls[0], nonce, tolerantQuantity) ?? 0n,
      balance: funds ?? this.#read(calls[1], balance, tolerantQuantity) ?? 0n,
      code: funds === undefined ? (this.#read(calls[2], code, codeOfAnswer) ?? EMPTY_CODE) : EMPTY_CODE,
    };
    const isThere = read.nonce > 0n || read.balance > 0n || read.code.bytes.length > 0;
    return isThere ? { address, ...read, storage: null, storageSource: this } : undefined;
  }

  /** @inheritdoc */
  storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const key = hexKey(address) + hexKey(slot);
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const params = [toHex(address), toHex(slot), PINNED_BLOCK];
    const call = { method: 'eth_getStorageAt', params, expects: 'word' } as const;
    const [answer] = this.#answers([call]);
    const value = this.#read(call, answer, tolerantWord) ?? new Uint8Array(0);
    this.#slots.set(key, value);
    return value;
  }

  /** @inheritdoc */
  blockHash(number: number): Uint8Array {
    const known = this.#hashes.get(number);
    if (known !== undefined) return known;
    const call = blockCall(toQuantity(number), false);
    const answer = this.#known(call);
    if (answer === undefined) throw new MissingStateError(() => this.#fetchHash(number, call));
    const hash = this.#read(call, answer, (block) => hashOfUpstream(asObject(block)?.hash)) ?? NO_HASH;
    this.#hashes.set(number, hash);
    return hash;
  }

  /**
   * Returns the responses in memory, or throws {@link MissingStateError}. `subject` replaces the request in
   * the error of an offline fork.
   */
  #answers(calls: readonly UpstreamCall[], subject: string | null = null): unknown[] {
    const answers = calls.map((call) => this.#known(call));
    if (answers.every((answer) => answer !== undefined)) return answers;
    throw new MissingStateError(async () => {
      try {
        await Promise.all(calls.map((call) => this.#fetch(call)));
      } catch (error) {
        throw subject !== null && error instanceof OfflineError
          ? new OfflineError(subject, error.options)
          : error;
      }
    });
  }

  /** `null` is a valid response too. */
  #known(call: UpstreamCall): unknown {
    const text = textOfCall(call);
    return this.#fetched.has(text) ? this.#fetched.get(text) : this.#upstream.known(call);
  }

  async #fetch(call: UpstreamCall): Promise<void> {
    const answer = await this.#upstream.ask(call);
    this.#fetched.set(textOfCall(call), answer ?? null);
  }

  /** Fetches the block for its hash. Below the first block, code reads only the first block's parent hash. */
  async #fetchHash(number: number, call: UpstreamCall): Promise<void> {
    let answer = await this.#upstream.ask(call);
    if (answer === null) {
      const first = await firstUpstreamBlock(this.#upstream);
      if (number < first.number) {
        const parent = number === first.number - 1 ? hashOfUpstream(first.parentHash) : undefined;
        this.#hashes.set(number, parent ?? NO_HASH);
        return;
      }
      answer = await this.#upstream.ask({ ...call, isThere: true });
    }
    this.#fetched.set(textOfCall(call), answer);
  }

  #read<Value>(call: UpstreamCall | undefined, answer: unknown, reading: Reading<Value>): Value | undefined {
    if (call === undefined) return undefined;
    this.#fetched.delete(textOfCall(call));
    const value = reading(answer);
    if (value === undefined) {
      const given = JSON.stringify(answer)?.slice(0, 80);
      throw new UpstreamError(`invalid response from the fork URL to ${call.method}: ${given}`);
    }
    return value;
  }
}

const NO_HASH = new Uint8Array(32);
const ACCOUNT_QUESTIONS = [
  { method: 'eth_getTransactionCount', expects: 'quantity' },
  { method: 'eth_getBalance', expects: 'quantity' },
  { method: 'eth_getCode', expects: 'dataOrNull' },
] as const;

/** Some nodes return `null` for an account without code. */
function codeOfAnswer(answer: unknown): Code | undefined {
  if (answer === null) return EMPTY_CODE;
  const bytes = tolerantData(answer);
  return bytes === undefined ? undefined : codeOf(bytes);
}
