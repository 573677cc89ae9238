/** Token balances of accounts. Standard events identify tokens; the token contracts return balances. */

import { client } from './chain.ts';
import { numberOf } from './format.ts';
import { type FoundLog, forkBlock, isLimitExceeded, logsBetween, logsInParts } from './log-search.ts';
import { BATCH, SINGLE, type TokenStandard, TRANSFER, topicOf, transfersIn } from './token-events.ts';
import { askToken, numberIn, readTokenFacts, type TokenFacts } from './token-facts.ts';

export interface TokenBalance {
  readonly token: string;
  readonly account: string;
  readonly standard: TokenStandard;
  /** The id of ERC-1155; `null` for other tokens. */
  readonly id: bigint | null;
  /** The result of the token's `symbol()`; `null` if unreadable. */
  readonly symbol: string | null;
  /** 0 for pieces (ERC-721, ERC-1155), and for impossible decimals. */
  readonly decimals: number;
  readonly balance: bigint;
}

export interface TokenBalances {
  readonly balances: readonly TokenBalance[];
  /** The first searched block if earlier blocks have too many events; `null` if all were searched. */
  readonly first: number | null;
  /** The number of tokens that were not queried. */
  readonly omitted: number;
}

const BALANCE_OF = '0x70a08231';
/** `balanceOf(address,uint256)` of ERC-1155. */
const BALANCE_OF_ID = '0x00fdd58e';
/** Maximum balances to query. */
const MAX_BALANCES = 200;
/** The number of latest blocks to search if the whole range has too many events. */
const MIN_BLOCKS = 2_000;

/** A token that an account received, or one id of ERC-1155. */
type Received = Pick<TokenBalance, 'token' | 'account' | 'standard' | 'id'>;

function wordOf(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

/** Finds tokens and reads balances. Events are cached, so the next read only searches new blocks. */
export class TokenReader {
  readonly #received = new Map<string, Received>();
  readonly #metadata = new Map<string, Promise<TokenFacts>>();
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
    const to = accounts.map(topicOf);
    const filters = [{ topics: [TRANSFER, null, to] }, { topics: [[SINGLE, BATCH], null, null, to] }];
    const found = await Promise.all(filters.map((filter) => this.#logs(filter, last)));
    for (const { token, to: account, standard, id } of found.flat().flatMap(transfersIn)) {
      const ofId = standard === 'ERC-1155' ? id : null;
      const key = `${token}${account}${ofId ?? ''}`;
      this.#received.set(key, { token, account, standard, id: ofId });
    }
    this.#next = last + 1;
  }

  async #logs(filter: object, last: number): Promise<readonly FoundLog[]> {
    try {
      return await logsBetween(filter, this.#next, last);
    } catch (error) {
      if (!isLimitExceeded(error)) throw error;
      const first = Math.max(this.#next, last - MIN_BLOCKS + 1);
      const logs = await logsInParts(filter, first, last);
      if (first > this.#next) this.#first = first;
      return logs;
    }
  }

  async #balance(received: Received, tag: string): Promise<TokenBalance | null> {
    const { token, account, standard, id } = received;
    const owner = topicOf(account).slice(2);
    const data = id === null ? `${BALANCE_OF}${owner}` : `${BALANCE_OF_ID}${owner}${wordOf(id)}`;
    const balance = numberIn(await askToken(token, data, tag));
    if (balance === null) return null;
    const { symbol, decimals } = await this.#metadataOf(token, tag);
    return { ...received, symbol, decimals: standard === 'ERC-20' ? (decimals ?? 0) : 0, balance };
  }

  #metadataOf(token: string, tag: string): Promise<TokenFacts> {
    const known = this.#metadata.get(token);
    if (known !== undefined) return known;
    const asked = readTokenFacts(token, tag);
    this.#metadata.set(token, asked);
    asked.catch(() => this.#metadata.delete(token));
    return asked;
  }
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
