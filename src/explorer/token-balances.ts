/** Token balances of accounts. Standard events identify tokens; the token contracts return balances. */

import { client } from './chain.ts';
import { numberOf } from './format.ts';
import { type FoundLog, forkBlock, isLimitExceeded, logsBetween, logsInParts } from './log-search.ts';
import { RpcError } from './rpc/client.ts';

export interface TokenBalance {
  readonly token: string;
  readonly account: string;
  /** The result of the token's `symbol()`; `null` if unreadable. */
  readonly symbol: string | null;
  /** 0 for ERC-721. */
  readonly decimals: number;
  readonly isPieces: boolean;
  readonly balance: bigint;
}

export interface TokenBalances {
  readonly balances: readonly TokenBalance[];
  /** The first searched block if earlier blocks have too many events; `null` if all were searched. */
  readonly first: number | null;
  /** The number of tokens that were not queried. */
  readonly omitted: number;
}

interface Metadata {
  readonly symbol: string | null;
  readonly decimals: number;
}

/** `Transfer(address,address,uint256)` of ERC-20 and ERC-721. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** The number of topics if the id is indexed: ERC-721. */
const TOPICS_WITH_ID = 4;
const BALANCE_OF = '0x70a08231';
const SYMBOL = '0x95d89b41';
const DECIMALS = '0x313ce567';
/** Gas limit of a call to a token: enough for proxies, and a bound for endless loops. */
const GAS = '0x493e0';
const WORD = 32;
/** Maximum bytes to read of a returned text, and maximum bytes of the symbol. */
const MAX_BYTES = 1_024;
const MAX_SYMBOL_LENGTH = 64;
const MAX_DECIMALS = 77n;
/** Maximum balances to query. */
const MAX_BALANCES = 200;
/** The number of latest blocks to search if the whole range has too many events. */
const MIN_BLOCKS = 2_000;

function padded(account: string): string {
  return `0x${account.slice(2).toLowerCase().padStart(64, '0')}`;
}

/** Resolves to the return data of a call; `null` if it fails. */
async function ask(to: string, data: string, tag: string): Promise<string | null> {
  try {
    return await client.read<string>('eth_call', [{ to, data, gas: GAS }, tag]);
  } catch (error) {
    if (error instanceof RpcError) return null;
    throw error;
  }
}

/** Returns the number in return data; `null` if the data are too short. */
function numberIn(returned: string | null): bigint | null {
  return returned === null || returned.length < 66 ? null : BigInt(returned.slice(0, 66));
}

/** Returns the text in return data: an ABI string, or one word for some old tokens; `null` for none. */
function textIn(returned: string | null): string | null {
  if (returned === null) return null;
  const pairs = returned.slice(2, 2 + 2 * MAX_BYTES).match(/../g) ?? [];
  const bytes = Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
  if (bytes.length === WORD) return decoded(bytes.subarray(0, (bytes.indexOf(0) + WORD + 1) % (WORD + 1)));
  const wordAt = (start: number): number => Number(`0x${pairs.slice(start, start + WORD).join('')}`);
  const start = wordAt(0);
  if (!(start <= bytes.length - WORD)) return null;
  const length = Math.min(wordAt(start), MAX_SYMBOL_LENGTH);
  return decoded(bytes.subarray(start + WORD, start + WORD + length));
}

function decoded(bytes: Uint8Array): string | null {
  const text = new TextDecoder().decode(bytes);
  return text === '' ? null : text;
}

/** Finds tokens and reads balances. Events are cached, so the next read only searches new blocks. */
export class TokenReader {
  readonly #received = new Map<string, { token: string; account: string; isPieces: boolean }>();
  readonly #metadata = new Map<string, Promise<Metadata>>();
  #turn: Promise<unknown> = Promise.resolve();
  #subject = '';
  #first: number | null = null;
  #next = 0;

  /**
   * Resolves to the accounts' tokens after block `last`. Use another `branch` after blocks were removed.
   * Rejects with the node's error.
   */
  read(accounts: readonly string[], branch: number, last: number): Promise<TokenBalances> {
    // Run one read after the other, because each continues after the last searched block.
    const reading = this.#turn.then(() => this.#read(accounts, branch, last));
    this.#turn = reading.catch(() => undefined);
    return reading;
  }

  async #read(accounts: readonly string[], branch: number, last: number): Promise<TokenBalances> {
    if (accounts.length === 0) return { balances: [], first: null, omitted: 0 };
    const subject = [branch, ...accounts].join();
    if (subject !== this.#subject || last + 1 < this.#next) await this.#startAnew(subject);
    if (last >= this.#next) await this.#readEvents(accounts, last);
    const tag = `0x${last.toString(16)}`;
    const wanted = [...this.#received.values()];
    const balances = await Promise.all(wanted.slice(0, MAX_BALANCES).map((each) => this.#balance(each, tag)));
    return {
      balances: balances.flatMap((each) => (each === null || each.balance === 0n ? [] : [each])),
      first: this.#first,
      omitted: Math.max(0, wanted.length - MAX_BALANCES),
    };
  }

  async #startAnew(subject: string): Promise<void> {
    this.#received.clear();
    this.#metadata.clear();
    this.#subject = subject;
    this.#first = null;
    // Start after the fork block, because the upstream chain would have to search all of its blocks.
    this.#next = await forkBlock();
  }

  async #readEvents(accounts: readonly string[], last: number): Promise<void> {
    const filter = { topics: [TRANSFER, null, accounts.map(padded)] };
    let logs: readonly FoundLog[];
    try {
      logs = await logsBetween(filter, this.#next, last);
    } catch (error) {
      if (!isLimitExceeded(error)) throw error;
      const first = Math.max(this.#next, last - MIN_BLOCKS + 1);
      logs = await logsInParts(filter, first, last);
      if (first > this.#next) this.#first = first;
    }
    for (const { address: token, topics } of logs) {
      const account = `0x${(topics[2] ?? '').slice(-40)}`;
      const isPieces = topics.length === TOPICS_WITH_ID;
      this.#received.set(`${token}${account}`, { token, account, isPieces });
    }
    this.#next = last + 1;
  }

  async #balance(
    { token, account, isPieces }: { token: string; account: string; isPieces: boolean },
    tag: string,
  ): Promise<TokenBalance | null> {
    const balance = numberIn(await ask(token, `${BALANCE_OF}${padded(account).slice(2)}`, tag));
    if (balance === null) return null;
    const { symbol, decimals } = await this.#metadataOf(token, tag);
    return { token, account, symbol, decimals: isPieces ? 0 : decimals, isPieces, balance };
  }

  #metadataOf(token: string, tag: string): Promise<Metadata> {
    const known = this.#metadata.get(token);
    if (known !== undefined) return known;
    const asked = metadata(token, tag);
    this.#metadata.set(token, asked);
    asked.catch(() => this.#metadata.delete(token));
    return asked;
  }
}

async function metadata(token: string, tag: string): Promise<Metadata> {
  const [symbol, decimals] = await Promise.all([ask(token, SYMBOL, tag), ask(token, DECIMALS, tag)]);
  const number = numberIn(decimals) ?? 0n;
  return { symbol: textIn(symbol), decimals: number > MAX_DECIMALS ? 0 : Number(number) };
}

/** An account: its balance, its nonce, and whether it has code. */
export interface AccountRow {
  readonly address: string;
  readonly balance: bigint;
  readonly nonce: number;
  readonly isContract: boolean;
}

/** Resolves to the account's values after a block. Rejects with the node's error. */
export async function accountRow(address: string, tag: string): Promise<AccountRow> {
  const [balance, nonce, code] = await Promise.all([
    client.read<string>('eth_getBalance', [address, tag]),
    client.read<string>('eth_getTransactionCount', [address, tag]),
    client.read<string>('eth_getCode', [address, tag]),
  ]);
  return { address, balance: BigInt(balance), nonce: numberOf(nonce), isContract: code !== '0x' };
}
