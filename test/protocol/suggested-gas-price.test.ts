import { describe, expect, it } from 'vitest';
import { flatFees } from '../../src/chain/execution/fees.ts';
import { type PricedBlock, suggestedGasPrice } from '../../src/protocol/fees.ts';

const MINIMUM = 60_000_000n;
const USUAL = 66_000_000n;

interface BlockParts {
  /** Used gas in percent of the gas limit. */
  readonly fullness: number;
  /** Gas price of each transaction, in wei. */
  readonly prices: readonly bigint[];
}

function chainOf(parts: readonly BlockParts[]): PricedBlock[] {
  return parts.map(({ fullness, prices }, number) => ({
    header: { number, gasLimit: 1_000_000n, gasUsed: BigInt(fullness) * 10_000n },
    transactions: prices.map((price) => ({ gasLimit: 21_000n, ...flatFees(price) })),
  }));
}

/** The suggestion after the last block, and the number of earlier blocks that were read. */
function suggestion(blocks: readonly PricedBlock[]): { price: bigint; read: number } {
  const head = blocks.at(-1);
  if (head === undefined) throw new RangeError('there is no block');
  let read = 0;
  const price = suggestedGasPrice(head, MINIMUM, (number) => {
    read++;
    return blocks[number];
  });
  return { price, read };
}

function repeated(count: number, fullness: number, prices: readonly bigint[]): BlockParts[] {
  return Array.from({ length: count }, () => ({ fullness, prices }));
}

const DEAR = 100_000_000n;
/** Eleven transactions in each of fifty blocks are more than 512. */
const ELEVEN = new Array<bigint>(11).fill(DEAR);

describe('suggestedGasPrice', () => {
  it('the suggested price is 10% above the minimum, rounded down', () => {
    expect(suggestion(chainOf(repeated(1, 0, []))).price).toBe(USUAL);
    const [head] = chainOf(repeated(1, 0, []));
    if (head === undefined) throw new RangeError('there is no block');
    for (const [minimum, expected] of [
      [0n, 0n],
      [7n, 7n],
      [19n, 20n],
    ] as const) {
      expect(suggestedGasPrice(head, minimum, () => undefined)).toBe(expected);
    }
  });

  it('the suggested price follows paid prices after fifty blocks that are 90% full', () => {
    expect(suggestion(chainOf(repeated(50, 90, ELEVEN))).price).toBe(DEAR);
    expect(suggestion(chainOf(repeated(49, 100, ELEVEN))).price).toBe(USUAL);
    expect(suggestion(chainOf(repeated(50, 89, ELEVEN))).price).toBe(USUAL);
  });

  it('the suggested price uses the average fullness of the last fifty blocks', () => {
    const before = repeated(20, 0, []);
    const mixed = [...repeated(5, 0, []), ...repeated(45, 100, ELEVEN.concat(ELEVEN))];
    expect(suggestion(chainOf([...before, ...mixed])).price).toBe(DEAR);
    const tooEmpty = [...repeated(6, 0, []), ...repeated(44, 100, ELEVEN.concat(ELEVEN))];
    expect(suggestion(chainOf([...before, ...tooEmpty])).price).toBe(USUAL);
  });

  it('the suggested price is the first quartile of the last 512 transaction prices', () => {
    // 550 transactions with rising prices. The last 512 start at index 38, and a quarter ends 128 later.
    const rising = Array.from({ length: 50 }, (_, block) => ({
      fullness: 100,
      prices: Array.from({ length: 11 }, (_, index) => DEAR + BigInt(11 * block + index)),
    }));
    expect(suggestion(chainOf(rising)).price).toBe(DEAR + 38n + 128n);
  });

  it('the suggested price reads older blocks for 512 transactions and skips transactions without gas', () => {
    const parts = [...repeated(100, 0, ELEVEN), ...repeated(50, 100, [DEAR / 2n])];
    const blocks = chainOf(parts);
    // Of the last 512, 50 are at half the price and 462 are older.
    expect(suggestion(blocks).price).toBe(DEAR);
    const closed = blocks.map((block) => ({
      ...block,
      transactions: [...block.transactions, { gasLimit: 0n, ...flatFees(0n) }],
    }));
    expect(suggestion(closed).price).toBe(DEAR);
  });

  it('the suggested price is at least 10% above the minimum and ignores fewer than 512 transactions', () => {
    expect(suggestion(chainOf(repeated(50, 100, new Array<bigint>(11).fill(MINIMUM)))).price).toBe(USUAL);
    expect(suggestion(chainOf(repeated(50, 100, [DEAR]))).price).toBe(USUAL);
  });

  it('the suggested price reads five earlier blocks of a long empty chain', () => {
    expect(suggestion(chainOf(repeated(1_000, 0, []))).read).toBe(5);
    expect(suggestion(chainOf(repeated(1, 0, []))).read).toBe(0);
  });
});
