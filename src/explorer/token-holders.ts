/** The holders, items and transfers of one token. Events identify them; the token returns balances. */

import { client } from './chain.ts';
import { type FoundLog, forkBlock, logsInParts } from './log-search.ts';
import {
  BATCH,
  NOBODY,
  SINGLE,
  type TokenStandard,
  TRANSFER,
  type Transfer,
  topicOf,
  transfersIn,
} from './token-events.ts';
import { numberIn } from './token-facts.ts';

/** The tokens of an account; for ERC-1155, of one id. */
export interface Holding {
  readonly account: string;
  /** The id of ERC-1155; `null` for other tokens. */
  readonly id: bigint | null;
  /** The result of `balanceOf`; otherwise the sum of the transfers. */
  readonly balance: bigint;
  /** False if the balance is a sum of transfers. */
  readonly isRead: boolean;
}

/** An id of ERC-721 or ERC-1155. */
export interface TokenItem {
  readonly id: bigint;
  /** The accounts that have the id, by the transfers; one for ERC-721. */
  readonly owners: readonly string[];
  /** The sum of the amounts. */
  readonly amount: bigint;
}

export interface TokenHistory {
  /** `null` without transfers. */
  readonly standard: TokenStandard | null;
  /** The largest first. */
  readonly holdings: readonly Holding[];
  /** The lowest id first; empty for ERC-20. */
  readonly items: readonly TokenItem[];
  /** Newest first. */
  readonly transfers: readonly Transfer[];
  readonly transferCount: number;
  /** The first searched block: 0, or the block after the fork block. */
  readonly first: number;
}

/** Blocks per request. */
const BLOCKS_AT_ONCE = 50_000;
/** Transfers to keep for the list. */
const MAX_TRANSFERS = 20_000;
/** Balances to read, and balances per request. Smaller holdings are sums of transfers. */
const MAX_READ = 1_000;
const READ_AT_ONCE = 500;
/** Gas limit of a call to a token. */
const GAS = '0x493e0';

interface Sum {
  readonly account: string;
  readonly id: bigint | null;
  amount: bigint;
}

function byAmount(left: { readonly balance: bigint }, right: { readonly balance: bigint }): number {
  return left.balance === right.balance ? 0 : left.balance < right.balance ? 1 : -1;
}

/** Reads the events of a token. The next read only searches new blocks. */
export class TokenHistoryReader {
  readonly #token: string;
  readonly #sums = new Map<string, Sum>();
  /** Owners of ERC-721 by id. */
  readonly #owners = new Map<bigint, string>();
  #transfers: Transfer[] = [];
  #count = 0;
  #standard: TokenStandard | null = null;
  #branch = -1;
  #first = 0;
  #next = 0;
  #history: TokenHistory | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(token: string) {
    this.#token = token.toLowerCase();
  }

  /** Resolves to the history up to block `last`. Use another `branch` after blocks were removed. */
  read(branch: number, last: number): Promise<TokenHistory> {
    const reading = this.#turn.then(() => this.#read(branch, last));
    this.#turn = reading.catch(() => undefined);
    return reading;
  }

  async #read(branch: number, last: number): Promise<TokenHistory> {
    if (branch !== this.#branch || last + 1 < this.#next) await this.#startAnew(branch);
    const before = this.#count;
    while (this.#next <= last) {
      const end = Math.min(last, this.#next + BLOCKS_AT_ONCE - 1);
      const filter = { address: this.#token, topics: [[TRANSFER, SINGLE, BATCH]] };
      for (const log of await logsInParts(filter, this.#next, end)) this.#take(log);
      this.#next = end + 1;
    }
    if (this.#history !== null && this.#count === before) return this.#history;
    this.#history = await this.#found(`0x${last.toString(16)}`);
    return this.#history;
  }

  async #startAnew(branch: number): Promise<void> {
    this.#sums.clear();
    this.#owners.clear();
    this.#transfers = [];
    this.#count = 0;
    this.#standard = null;
    this.#history = null;
    this.#branch = branch;
    const fork = await forkBlock();
    // The forked chain would have to search all of its blocks.
    this.#first = fork === 0 ? 0 : fork + 1;
    this.#next = this.#first;
  }

  #take(log: FoundLog): void {
    for (const transfer of transfersIn(log)) {
      const { standard, from, to, id, amount } = transfer;
      this.#standard ??= standard;
      // A contract can emit events of several standards. The first one counts.
      if (standard !== this.#standard) continue;
      this.#count++;
      this.#transfers.push(transfer);
      const ofId = standard === 'ERC-1155' ? id : null;
      this.#add(from, ofId, -amount);
      this.#add(to, ofId, amount);
      if (standard !== 'ERC-721' || id === null) continue;
      if (to === NOBODY) this.#owners.delete(id);
      else this.#owners.set(id, to);
    }
    if (this.#transfers.length > 2 * MAX_TRANSFERS) this.#transfers = this.#transfers.slice(-MAX_TRANSFERS);
  }

  #add(account: string, id: bigint | null, amount: bigint): void {
    if (account === NOBODY) return;
    const key = `${account}${id ?? ''}`;
    const sum = this.#sums.get(key) ?? { account, id, amount: 0n };
    sum.amount += amount;
    this.#sums.set(key, sum);
  }

  async #found(tag: string): Promise<TokenHistory> {
    const sums = [...this.#sums.values()].map(({ account, id, amount }) => ({
      account,
      id,
      balance: amount,
      isRead: false,
    }));
    sums.sort(byAmount);
    // A negative sum is a balance from before the first searched block. Only the token knows this balance.
    const [known, older] = [
      sums.filter(({ balance }) => balance >= 0n),
      sums.filter(({ balance }) => balance < 0n),
    ];
    const wanted = [...older, ...known];
    const read = await this.#withBalances(wanted.slice(0, MAX_READ), tag);
    const holdings = [...read, ...wanted.slice(MAX_READ)].filter(({ balance }) => balance > 0n);
    return {
      standard: this.#standard,
      holdings: holdings.sort(byAmount),
      items: this.#items(),
      transfers: this.#transfers.slice(-MAX_TRANSFERS).reverse(),
      transferCount: this.#count,
      first: this.#first,
    };
  }

  #items(): TokenItem[] {
    const items = new Map<bigint, { id: bigint; owners: string[]; amount: bigint }>();
    for (const [id, owner] of this.#owners) items.set(id, { id, owners: [owner], amount: 1n });
    for (const { account, id, amount } of this.#sums.values()) {
      if (id === null || amount <= 0n) continue;
      const item = items.get(id) ?? { id, owners: [], amount: 0n };
      item.owners.push(account);
      item.amount += amount;
      items.set(id, item);
    }
    return [...items.values()].sort((left, right) => (left.id < right.id ? -1 : 1));
  }

  /** Replaces the sums of transfers with the balances that the token returns. */
  async #withBalances(sums: readonly Holding[], tag: string): Promise<Holding[]> {
    const found: Holding[] = [];
    for (let start = 0; start < sums.length; start += READ_AT_ONCE) {
      const part = sums.slice(start, start + READ_AT_ONCE);
      const transactions = part.map(({ account, id }) => ({
        to: this.#token,
        data: balanceCall(account, id),
        gas: GAS,
      }));
      const [answers = []] = await client.read<readonly (readonly { readonly value?: string }[])[]>(
        'eth_callMany',
        [[{ transactions }], { blockNumber: tag }],
      );
      for (const [index, holding] of part.entries()) {
        const balance = numberIn(answers[index]?.value ?? null);
        found.push(balance === null ? holding : { ...holding, balance, isRead: true });
      }
    }
    return found;
  }
}

function balanceCall(account: string, id: bigint | null): string {
  const owner = topicOf(account).slice(2);
  return id === null ? `0x70a08231${owner}` : `0x00fdd58e${owner}${id.toString(16).padStart(64, '0')}`;
}
