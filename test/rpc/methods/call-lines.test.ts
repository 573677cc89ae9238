import { encodeErrorResult, encodeFunctionData } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc-harness.ts';

interface Item {
  readonly kind: string;
  readonly gasUsed?: string;
  readonly input?: string;
  readonly items?: readonly Item[];
}

interface Value {
  readonly value: unknown;
}

interface Line {
  readonly index: number;
  readonly depth: number;
  readonly below: number;
  readonly calls: number;
  readonly callsBefore: number;
  readonly gasBefore: string;
  readonly item: Item;
}

interface Answer {
  readonly call: Item;
  readonly changes: object | null;
  readonly lineCount: number;
  readonly lines: readonly Line[];
  readonly next: number | null;
}

/** Facts of an execution besides its calls. */
interface Facts {
  readonly failure: { readonly message: string } | null;
  readonly stackTrace: readonly unknown[];
  readonly stack: string;
  readonly changes: { readonly storage: readonly unknown[] } | null;
  readonly omitted?: Readonly<Record<string, number>>;
}

const [INNER, MIDDLE, OUTER] = ['a1', 'b2', 'c3'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
];
const MIDDLE_CALLS = 3;
const OUTER_CALLS = 100;

/** Code that emits an empty LOG0, then calls an address `times` times with its own input. */
function caller(target: string, times: number): string {
  const call = `365f5f375f5f365f5f73${target.slice(2)}5af150`;
  return `0x5f5fa060${times.toString(16).padStart(2, '0')}5b${call}6001900380600557${'00'}`;
}

/** The lines of the whole tree. */
function linesOf(root: Item): Line[] {
  const lines: Line[] = [];
  const add = (item: Item, depth: number, callsBefore: number, gas: bigint): void => {
    const index = lines.length;
    const { items = [], ...facts } = item;
    const calls = items.filter(({ kind }) => kind === 'call');
    const gasBefore = `0x${gas.toString(16)}`;
    lines.push({ index, depth, below: 0, calls: calls.length, callsBefore, gasBefore, item: facts });
    for (const inner of items) {
      const before = items.slice(0, items.indexOf(inner)).filter(({ kind }) => kind === 'call');
      const used = before.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed ?? '0x0'), 0n);
      add(inner, depth + 1, before.length, used);
    }
    const line = lines[index];
    if (line !== undefined) lines[index] = { ...line, below: lines.length - index - 1 };
  };
  add(root, 0, 0, 0n);
  return lines;
}

describe('pages of a call tree', () => {
  let call: (method: string, params: readonly unknown[]) => Promise<unknown>;
  let hash: string;
  let whole: Line[];
  const ask = async (page: object): Promise<Answer> =>
    (await call('inspect_transaction', [hash, page])) as Answer;

  beforeAll(async () => {
    ({ call } = await createRpcHarness({}, { ruleSet: 'prague' }));
    await call('anvil_setCode', [INNER, '0x5f5fa0']);
    await call('anvil_setCode', [MIDDLE, caller(INNER, MIDDLE_CALLS)]);
    await call('anvil_setCode', [OUTER, caller(MIDDLE, OUTER_CALLS)]);
    const [from] = (await call('eth_accounts', [])) as string[];
    hash = (await call('eth_sendTransaction', [{ from, to: OUTER, gas: '0x4c4b40' }])) as string;
    whole = linesOf(((await call('inspect_transaction', [hash])) as Answer).call);
  });

  it('pages together contain all lines of the call tree', async () => {
    expect(whole.length).toBe(2 + OUTER_CALLS * (2 + 2 * MIDDLE_CALLS));
    const paged: Line[] = [];
    let next: number | null = 0;
    for (let pages = 0; next !== null; pages++) {
      expect(pages).toBeLessThan(9);
      const page: Answer = await ask({ first: next, count: 100 });
      expect(page.lineCount).toBe(whole.length);
      expect(page.call).not.toHaveProperty('items');
      paged.push(...page.lines);
      ({ next } = page);
    }
    expect(paged).toEqual(whole);
  });

  it('a page can start at any line, and the last page has no next', async () => {
    const { lines, next } = await ask({ first: whole.length - 3 });
    expect(lines).toEqual(whole.slice(-3));
    expect(next).toBeNull();
    expect(await ask({ first: whole.length + 1 })).toMatchObject({ lines: [], next: null });
    expect(await ask({ count: 0 })).toMatchObject({ lines: [], next: 0 });
  });

  it('leastGas selects only calls that use at least this gas', async () => {
    const gasOf = ({ item }: Line): bigint => BigInt(item.gasUsed ?? '0x0');
    const least = gasOf(whole.find(({ depth, item }) => depth === 1 && item.kind === 'call') as Line);
    const { lines } = await ask({ leastGas: `0x${least.toString(16)}`, count: 2_000 });
    const expected = whole.filter((line) => line.item.kind === 'call' && gasOf(line) >= least);
    expect(expected.length).toBeGreaterThan(1);
    expect(expected.length).toBeLessThan(OUTER_CALLS + 2);
    expect(lines).toEqual(expected);
  });

  it('changes: false omits the changes', async () => {
    expect((await ask({})).changes).not.toBeNull();
    expect((await ask({ changes: false })).changes).toBeNull();
  });

  it('the response is bounded for large inputs', async () => {
    const data = `0x${'ab'.repeat(50_000)}`;
    const answer = (await call('inspect_call', [
      { to: OUTER, data, gas: '0x1c9c380' },
      'latest',
      {},
      null,
      { count: 2_000, changes: false },
    ])) as Answer;
    expect(answer.lineCount).toBe(whole.length);
    expect(answer.call.input).toBe(`${data.slice(0, 1_000)}…`);
    expect(JSON.stringify(answer).length).toBeLessThan(2_500_000);
    expect(answer.lines.filter(({ item }) => (item.input?.length ?? 0) > 1_001)).toEqual([]);
  });

  /** Runs code at a new account. Resolves to the facts with a page of one line, and without a page. */
  async function run(code: string, input = '0x'): Promise<{ readonly paged: Facts; readonly all: Facts }> {
    const to = `0x${'e5'.repeat(20)}`;
    await call('anvil_setCode', [to, code]);
    const asked = [{ to, data: input, gas: '0x1c9c380' }, 'latest', {}, null];
    const paged = (await call('inspect_call', [...asked, { count: 1 }])) as Facts;
    return { paged, all: (await call('inspect_call', asked)) as Facts };
  }

  it('a page truncates the reason of a failure', async () => {
    const error = encodeErrorResult({
      abi: [{ type: 'error', name: 'Error', inputs: [{ name: 'message', type: 'string' }] }],
      args: ['x'.repeat(60_000)],
    });
    // It reverts with its input.
    const { paged, all } = await run('0x365f5f37365ffd', error);
    expect(all.failure?.message.length).toBeGreaterThan(60_000);
    expect(paged.failure?.message).toBe(`${all.failure?.message.slice(0, 1_000)}…`);
    expect(JSON.stringify(paged).length).toBeLessThan(10_000);
  });

  it('a page truncates the other lists and returns the number of omitted entries', async () => {
    // It stores 600 in slot 600, 599 in slot 599, and so on.
    const written = await run('0x6102585b80805560019003806003575000');
    expect(written.all.changes?.storage).toHaveLength(600);
    expect(written.paged.changes?.storage).toEqual(written.all.changes?.storage.slice(0, 500));
    expect(written.paged.omitted).toEqual({ storage: 100 });
    expect(written.all).not.toHaveProperty('omitted');
    // It calls itself until it runs out of gas.
    const { paged, all } = await run('0x5f5f5f5f5f305af15f5ffd');
    expect(all.stackTrace.length).toBeGreaterThan(500);
    expect(paged.stackTrace).toEqual(all.stackTrace.slice(0, 500));
    expect(paged.stack).toBe(all.stack.split('\n').slice(0, 500).join('\n'));
    expect(paged.omitted).toEqual({ stackTrace: all.stackTrace.length - 500 });
  });

  it('a page truncates decoded lists and strings', async () => {
    const abi = [
      {
        type: 'function',
        name: 'take',
        stateMutability: 'nonpayable',
        inputs: [
          { name: 'many', type: 'uint256[]' },
          { name: 'long', type: 'string' },
        ],
        outputs: [],
      },
    ] as const;
    const many = Array.from({ length: 500 }, (_, at) => BigInt(at));
    const data = encodeFunctionData({ abi, args: [many, 'x'.repeat(3_000)] });
    const code = { object: '5f5fa0' };
    const evm = { bytecode: { object: '' }, deployedBytecode: code };
    const input = { language: 'Solidity', sources: {} };
    await call('inspect_addArtifacts', [input, { contracts: { 'Taker.sol': { Taker: { abi, evm } } } }]);
    const asked = [{ to: INNER, data }, 'latest', {}, null, {}];
    const { lines } = (await call('inspect_call', asked)) as {
      readonly lines: readonly {
        readonly item: { readonly call: { readonly parameters: readonly Value[] } };
      }[];
    };
    const values = lines[0]?.item.call.parameters.map(({ value }) => value);
    expect(values).toEqual([
      [...many.slice(0, 98).map((value) => expect.objectContaining({ value: `${value}` })), '… 402 more'],
      `${'x'.repeat(1_000)}…`,
    ]);
  });

  it.each([
    [{ count: 2_001 }, /params: page.count:/],
    [{ first: -1 }, /params: page.first:/],
    [{ leastGas: 'much' }, /params: page.leastGas:/],
    [{ changes: 1 }, /params: page.changes:/],
    [{ least: 1 }, /params: page.least:/],
  ])('the page %o is rejected, and the error contains the member', async (page, message) => {
    await expect(ask(page)).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(message) });
  });
});
