/** Reads the gas of the latest blocks with transactions, by call. */

import { client } from './chain.ts';
import { contractsAt, namesBySelector, selectedContract } from './contract-facts.ts';
import { numberOf, shortHex } from './format.ts';

export interface BusyBlock {
  readonly number: number;
  readonly hash: string;
  readonly timestamp: number;
  readonly gasUsed: number;
  readonly transactions: number;
  readonly failed: number;
}

interface Cell {
  readonly kind: 'block' | 'empty';
  readonly number: string;
  readonly hash: string;
  readonly timestamp: string;
  readonly gasUsed: string;
  readonly transactions: number;
  readonly failed: number;
}

interface Line {
  readonly cells: readonly Cell[];
  readonly next: string | null;
}

/** A page of a block's transactions, last ones first. */
export interface PageOfBlock {
  readonly fullblock: {
    readonly hash: string;
    readonly transactions: readonly { readonly to: string | null; readonly input: string }[];
  };
  readonly receipts: readonly {
    readonly gasUsed: string;
    readonly status: string;
    readonly contractAddress: string | null;
  }[];
}

/** Timeline cells per request. */
const CELLS = 400;

/**
 * Resolves to the latest blocks with transactions, oldest first. A run of empty blocks is one cell, which
 * keeps the number of requests low.
 */
async function newestBlocks(
  count: number,
  last: number | null,
): Promise<{ readonly blocks: readonly BusyBlock[]; readonly hasOlder: boolean }> {
  const found: Cell[] = [];
  let next: string | null = last === null ? null : `0x${last.toString(16)}`;
  do {
    const line: Line = await client.read<Line>('inspect_timeline', [next, CELLS]);
    found.push(...line.cells.filter(({ kind, transactions }) => kind === 'block' && transactions > 0));
    next = line.next;
  } while (next !== null && found.length <= count);
  const blocks = found
    .slice(0, count)
    .reverse()
    .map(({ number, hash, timestamp, gasUsed, transactions, failed }) => ({
      number: numberOf(number),
      hash,
      timestamp: numberOf(timestamp),
      gasUsed: numberOf(gasUsed),
      transactions,
      failed,
    }));
  return { blocks, hasOlder: found.length > count };
}

/**
 * Resolves to a page of a block's transactions; page 0 has the last ones. Resolves to `null` if another block
 * has replaced it. The next read then finds the new block.
 */
async function transactionsOf(
  { number, hash }: BusyBlock,
  page: number,
  size: number,
): Promise<PageOfBlock | null> {
  const found = await client.read<PageOfBlock>('ots_getBlockTransactions', [
    `0x${number.toString(16)}`,
    page,
    size,
  ]);
  return found.fullblock.hash === hash ? found : null;
}

/** A transaction of one of the blocks. */
export interface GasCall {
  /** Index of its block in {@link GasHistory.blocks}. */
  readonly block: number;
  /** The called or created contract: its name, otherwise its address. Empty for a transfer. */
  readonly contract: string;
  /** `null` without an artifact. */
  readonly source: string | null;
  /** The function, `constructor`, or `transfer` for a transfer to an unnamed account. */
  readonly function: string;
  readonly gas: number;
  readonly isFailed: boolean;
}

export interface GasHistory {
  /** Oldest first. */
  readonly blocks: readonly BusyBlock[];
  readonly calls: readonly GasCall[];
  /** Transactions that were not read because their block has too many. */
  readonly omitted: number;
  /** True if there are older blocks with transactions. */
  readonly hasOlder: boolean;
}

interface RawCall {
  /** The called or created account; empty if the creation failed. */
  readonly account: string;
  readonly selector: string;
  readonly isCreation: boolean;
  readonly gas: number;
  readonly isFailed: boolean;
}

interface Named {
  readonly name: string;
  readonly source: string | null;
  readonly functions: ReadonlyMap<string, string>;
}

/** Maximum transactions to read per block; the last ones are read. */
export const MAX_IN_BLOCK = 250;
/** Blocks to request in parallel. */
const AT_ONCE = 20;
/** Maximum contract names to request. */
const MAX_NAMED = 200;
const SELECTOR_LENGTH = 10;

/** Reads the gas of the latest blocks. Blocks are cached, so the next read only requests new ones. */
export class GasReader {
  readonly #calls = new Map<string, readonly RawCall[]>();
  readonly #names = new Map<string, Named | null>();

  /** Resolves to the gas of the latest `count` blocks with transactions, up to block `last`. */
  async read(count: number, last: number | null): Promise<GasHistory> {
    const { blocks, hasOlder } = await newestBlocks(count, last);
    const missing = blocks.filter(({ hash }) => !this.#calls.has(hash));
    for (let first = 0; first < missing.length; first += AT_ONCE)
      await Promise.all(missing.slice(first, first + AT_ONCE).map((block) => this.#readBlock(block)));
    const wanted = new Set(blocks.map(({ hash }) => hash));
    for (const hash of this.#calls.keys()) if (!wanted.has(hash)) this.#calls.delete(hash);
    await this.#nameAll();
    const calls = blocks.flatMap(({ hash }, index) =>
      (this.#calls.get(hash) ?? []).map((call) => this.#named(call, index)),
    );
    const all = blocks.reduce((sum, { transactions }) => sum + transactions, 0);
    return { blocks, calls, omitted: Math.max(0, all - calls.length), hasOlder };
  }

  async #readBlock(block: BusyBlock): Promise<void> {
    const page = await transactionsOf(block, 0, MAX_IN_BLOCK);
    if (page === null) return;
    const calls = page.fullblock.transactions.flatMap(({ to, input }, index): RawCall[] => {
      const receipt = page.receipts[index];
      if (receipt === undefined) return [];
      return [
        {
          account: (to ?? receipt.contractAddress ?? '').toLowerCase(),
          selector: input.slice(0, SELECTOR_LENGTH),
          isCreation: to === null,
          gas: numberOf(receipt.gasUsed),
          isFailed: receipt.status === '0x0',
        },
      ];
    });
    this.#calls.set(block.hash, calls);
  }

  /** Requests the unknown names of the contracts with the most calls. */
  async #nameAll(): Promise<void> {
    const counts = new Map<string, number>();
    for (const { account, selector } of [...this.#calls.values()].flat())
      if (selector !== '0x' && account !== '') counts.set(account, (counts.get(account) ?? 0) + 1);
    const unknown = Array.from(counts)
      .toSorted(([, left], [, right]) => right - left)
      .slice(0, MAX_NAMED)
      .flatMap(([account]) => (this.#names.has(account) ? [] : [account]));
    for (let first = 0; first < unknown.length; first += AT_ONCE) {
      await Promise.all(
        unknown.slice(first, first + AT_ONCE).map(async (account) => {
          const contract = selectedContract(await contractsAt(account));
          this.#names.set(
            account,
            contract === null
              ? null
              : {
                  name: contract.name,
                  source: contract.sourceName,
                  functions: namesBySelector(contract.abi),
                },
          );
        }),
      );
    }
  }

  #named({ account, selector, isCreation, gas, isFailed }: RawCall, block: number): GasCall {
    const known = this.#names.get(account) ?? null;
    const common = { block, source: known?.source ?? null, gas, isFailed };
    if (isCreation)
      return { ...common, contract: known?.name ?? 'unknown contract', function: 'constructor' };
    // All transfers count as one kind, independent of the recipient.
    if (selector === '0x' && known === null) return { ...common, contract: '', function: 'transfer' };
    const name = known?.functions.get(selector) ?? (selector === '0x' ? '<unrecognized-selector>' : selector);
    return { ...common, contract: known?.name ?? shortHex(account), function: name };
  }
}

function labelOf(call: Pick<GasCall, 'contract' | 'function'>): string {
  return call.contract === '' ? call.function : `${call.contract}.${call.function}`;
}

/** The average gas of a function per block; `null` for blocks without a call. */
export interface FunctionLine {
  readonly label: string;
  readonly isCreation: boolean;
  readonly calls: number;
  readonly total: number;
  readonly values: readonly (number | null)[];
}

/** Returns the called functions, highest total gas first. */
export function functionLines({ blocks, calls }: GasHistory): FunctionLine[] {
  const byLabel = new Map<string, GasCall[]>();
  for (const call of calls) {
    const label = labelOf(call);
    const known = byLabel.get(label);
    if (known === undefined) byLabel.set(label, [call]);
    else known.push(call);
  }
  const lines = Array.from(byLabel, ([label, own]): FunctionLine => {
    const sums = new Map<number, { gas: number; count: number }>();
    for (const { block, gas } of own) {
      const sum = sums.get(block) ?? { gas: 0, count: 0 };
      sums.set(block, { gas: sum.gas + gas, count: sum.count + 1 });
    }
    const values = blocks.map((_, index) => {
      const sum = sums.get(index);
      return sum === undefined ? null : Math.round(sum.gas / sum.count);
    });
    const isCreation = own.every((call) => call.function === 'constructor');
    const total = own.reduce((sum, { gas }) => sum + gas, 0);
    return { label, isCreation, calls: own.length, total, values };
  });
  return lines.sort((left, right) => right.total - left.total);
}
