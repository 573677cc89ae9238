/** The tokens of the chain: contracts with transfer events, and created contracts that follow a standard. */

import { client } from './chain.ts';
import { type FoundLog, forkBlock, isLimitExceeded, logsBetween, logsInParts } from './log-search.ts';
import { BATCH, SINGLE, type TokenStandard, TRANSFER, transfersIn } from './token-events.ts';
import { numberIn, textIn } from './token-facts.ts';
import { tokenStandards } from './token-standard.ts';

export interface ListedToken {
  readonly address: string;
  readonly standard: TokenStandard;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** `null` if the token does not return it. */
  readonly supply: bigint | null;
  readonly transfers: number;
}

export interface TokenList {
  readonly tokens: readonly ListedToken[];
  /** The number of tokens that are not listed. */
  readonly omitted: number;
  /** The first searched block. */
  readonly first: number;
}

const MAX_TOKENS = 200;
/** The number of latest blocks to search if the whole range has too many events. */
const MIN_BLOCKS = 2_000;
const CREATED_AT_ONCE = 100;
const GAS = '0x493e0';
const MAX_DECIMALS = 77n;
/** `name()`, `symbol()`, `decimals()` and `totalSupply()`. */
const QUESTIONS = ['0x06fdde03', '0x95d89b41', '0x313ce567', '0x18160ddd'] as const;

interface Known {
  readonly standard: TokenStandard;
  transfers: number;
}

/** Reads the tokens. The next read only searches new blocks. */
export class TokenLister {
  readonly #known = new Map<string, Known>();
  readonly #checked = new Set<string>();
  #branch = -1;
  #first = 0;
  #next = 0;
  #turn: Promise<unknown> = Promise.resolve();

  /** Resolves to the tokens up to block `last`. Use another `branch` after blocks were removed. */
  read(branch: number, last: number): Promise<TokenList> {
    const reading = this.#turn.then(() => this.#read(branch, last));
    this.#turn = reading.catch(() => undefined);
    return reading;
  }

  async #read(branch: number, last: number): Promise<TokenList> {
    if (branch !== this.#branch || last + 1 < this.#next) {
      this.#known.clear();
      this.#checked.clear();
      this.#branch = branch;
      const fork = await forkBlock();
      this.#first = fork === 0 ? 0 : fork + 1;
      this.#next = this.#first;
    }
    for (const { token, standard } of (await this.#logs(last)).flatMap(transfersIn)) {
      const known = this.#known.get(token) ?? { standard, transfers: 0 };
      known.transfers++;
      this.#known.set(token, known);
    }
    this.#next = last + 1;
    await this.#checkCreated();
    const sorted = [...this.#known].sort(([, left], [, right]) => right.transfers - left.transfers);
    return {
      tokens: await described(sorted.slice(0, MAX_TOKENS), `0x${last.toString(16)}`),
      omitted: Math.max(0, sorted.length - MAX_TOKENS),
      first: this.#first,
    };
  }

  async #logs(last: number): Promise<readonly FoundLog[]> {
    if (last < this.#next) return [];
    const filter = { topics: [[TRANSFER, SINGLE, BATCH]] };
    try {
      return await logsBetween(filter, this.#next, last);
    } catch (error) {
      if (!isLimitExceeded(error)) throw error;
      const first = Math.max(this.#next, last - MIN_BLOCKS + 1);
      if (first > this.#next) this.#first = first;
      return logsInParts(filter, first, last);
    }
  }

  /** Adds the newest created contracts that follow a standard and have no transfers yet. */
  async #checkCreated(): Promise<void> {
    const { contracts } = await client.read<{
      readonly contracts: readonly { readonly address: string }[];
    }>('inspect_deployments', [null, CREATED_AT_ONCE]);
    const fresh = contracts
      .map(({ address }) => address.toLowerCase())
      .filter((address) => !this.#known.has(address) && !this.#checked.has(address));
    const standards = await tokenStandards(fresh);
    for (const [index, address] of fresh.entries()) {
      this.#checked.add(address);
      const standard = standards[index] ?? null;
      if (standard !== null) this.#known.set(address, { standard, transfers: 0 });
    }
  }
}

async function described(
  tokens: readonly (readonly [address: string, known: Known])[],
  tag: string,
): Promise<ListedToken[]> {
  if (tokens.length === 0) return [];
  const transactions = tokens.flatMap(([to]) => QUESTIONS.map((data) => ({ to, data, gas: GAS })));
  const [answers = []] = await client.read<readonly (readonly { readonly value?: string }[])[]>(
    'eth_callMany',
    [[{ transactions }], { blockNumber: tag }],
  );
  return tokens.map(([address, { standard, transfers }], index) => {
    const answer = (question: number): string | null =>
      answers[index * QUESTIONS.length + question]?.value ?? null;
    const decimals = numberIn(answer(2));
    return {
      address,
      standard,
      transfers,
      name: textIn(answer(0)),
      symbol: textIn(answer(1)),
      decimals: decimals === null || decimals > MAX_DECIMALS ? null : Number(decimals),
      supply: numberIn(answer(3)),
    };
  });
}
