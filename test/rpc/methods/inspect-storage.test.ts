import { readFileSync } from 'node:fs';
import { toFunctionSelector } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc-harness.ts';

const run = new URL('../../../fixtures/projects/solc/0.8.28/', import.meta.url);
const input = JSON.parse(readFileSync(new URL('input.json', run), 'utf8'));
const output = JSON.parse(readFileSync(new URL('output.json', run), 'utf8'));

interface Node {
  readonly name: string;
  readonly variable: string;
  readonly value: string | boolean | null;
  readonly length: string | null;
  readonly items: readonly Node[] | null;
  readonly hasMore: boolean;
}
interface Answer {
  readonly contract: string | null;
  readonly origin: string | null;
  readonly variables: readonly Node[];
  readonly unnamed: readonly { readonly slot: string }[];
  readonly unnamedCount: number | null;
}

/** The values of a tree by name. */
function valuesOf({ value, items }: Node): unknown {
  return items === null ? value : Object.fromEntries(items.map((item) => [item.name, valuesOf(item)]));
}

describe('inspect_storage', () => {
  let node: Awaited<ReturnType<typeof createRpcHarness>>;
  let to: string;
  let before: string;

  beforeAll(async () => {
    node = await createRpcHarness({}, { ruleSet: 'prague' });
    await node.call('inspect_addArtifacts', [input, output, '0.8.28']);
    const [from] = (await node.call('eth_accounts')) as string[];
    const send = async (fields: object): Promise<{ contractAddress: string }> => {
      const hash = await node.call('eth_sendTransaction', [{ from, gas: '0x4c4b40', ...fields }]);
      return (await node.call('eth_getTransactionReceipt', [hash])) as { contractAddress: string };
    };
    const code = output.contracts['Layouts.sol'].Layouts.evm.bytecode.object.replaceAll(
      /__\$\w{34}\$__/g,
      '00'.repeat(20),
    );
    to = (await send({ data: `0x${code}${'7'.padStart(64, '0')}` })).contractAddress;
    before = (await node.call('eth_blockNumber')) as string;
    await send({ to, data: toFunctionSelector('fill()') });
  });

  const storage = async (...params: unknown[]): Promise<Answer> =>
    (await node.call('inspect_storage', [to, ...params])) as Answer;

  it('returns all variables with their values, and mapping entries with known keys', async () => {
    const { contract, origin, variables, unnamedCount } = await storage();
    expect({ contract, origin, unnamedCount }).toEqual({
      contract: 'Layouts',
      origin: 'compiler',
      unnamedCount: 0,
    });
    const values = Object.fromEntries(variables.map((variable) => [variable.name, valuesOf(variable)]));
    expect(values).toMatchObject({
      low: '1',
      middle: '2',
      high: true,
      color: 'Blue',
      negative: '-3',
      short: 'short',
      long: 'a text that is longer than thirty-one bytes',
      blob: '0x0102',
      balances: { '[0x0000000000000000000000000000000000001111]': '11' },
      nested: {
        '[0x0000000000000000000000000000000000002222]': { '[5]': { amount: '22', label: 'nested' } },
      },
      byName: { '["key"]': '-44' },
      pair: { amount: '55', label: 'pair' },
      pairs: { '[0]': { amount: '77', label: 'first' }, '[1]': { amount: '99', label: 'second' } },
      packed: { '[0]': '1', '[1]': '2', '[2]': '3' },
      fixedPacked: { '[0]': '4', '[4]': '8' },
      matrix: { '[0]': { '[0]': '9', '[1]': '10' } },
      copy: {},
    });
  });

  it('returns the values after the given block', async () => {
    const { variables, unnamedCount } = await storage(before);
    expect(variables.find(({ name }) => name === 'low')?.value).toBe('0');
    expect(variables.find(({ name }) => name === 'balances')?.items).toEqual([]);
    expect(unnamedCount).toBe(0);
  });

  it('returns a page of one variable by its full name', async () => {
    const page = async (given: object): Promise<Answer> => storage('latest', given);
    expect((await page({ variable: 'pairs', first: 1, count: 1 })).variables).toMatchObject([
      { variable: 'pairs', length: '2', hasMore: false, items: [{ name: '[1]', variable: 'pairs[1]' }] },
    ]);
    expect((await page({ variable: 'packed', count: 2 })).variables).toMatchObject([
      { items: [{ value: '1' }, { value: '2' }], hasMore: true },
    ]);
    const name = 'nested[0x0000000000000000000000000000000000002222][5].label';
    expect((await page({ variable: name })).variables).toMatchObject([{ variable: name, value: 'nested' }]);
    await expect(page({ variable: 'pairs[2]' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('page.variable'),
    });
  });

  it('returns the slots without a variable', async () => {
    const slot = `0x${'5'.repeat(64)}`;
    await node.call('hardhat_setStorageAt', [to, slot, `0x${'9'.padStart(64, '0')}`]);
    expect(await storage()).toMatchObject({
      unnamedCount: 1,
      unnamed: [{ slot, word: `0x${'9'.padStart(64, '0')}` }],
    });
  });

  it('returns only words for an unknown contract, and nothing for an account without code', async () => {
    const other = `0x${'ab'.repeat(20)}`;
    expect(await node.call('inspect_storage', [other])).toEqual({
      address: other,
      contract: null,
      implementation: null,
      origin: null,
      variables: [],
      unnamed: [],
      unnamedCount: 0,
    });
  });
});
