import { readFileSync } from 'node:fs';
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { type LcovFile, parseLcov } from '../../src/reports/coverage/lcov.ts';
import { COVERAGE_PROJECT } from '../inspect/support/coverage-suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const NAME = 'contracts/Statements.vy';

interface Output {
  readonly contracts: {
    readonly [NAME]: {
      readonly Statements: {
        readonly abi: Abi;
        readonly evm: { readonly bytecode: { readonly object: Hex } };
      };
    };
  };
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** Makes the calls that the comments of the source count. Returns the coverage. */
async function coverageOf(
  version: string,
): Promise<{ readonly text: string; readonly notes: readonly string[] }> {
  const folder = `${COVERAGE_PROJECT}vyper/${version}`;
  const node = await createNode({ coverage: `${await temporaryDirectory()}/lcov.info`, artifacts: [] });
  onTestFinished(() => node.close());
  const request = (method: string, ...params: unknown[]): Promise<unknown> =>
    node.request({ method, params });
  const output = readJson(`${folder}/output.json`) as Output;
  await request('inspect_addArtifacts', readJson(`${folder}/input.json`), output);
  const { abi, evm } = output.contracts[NAME].Statements;
  const [from] = (await request('eth_accounts')) as string[];
  const send = async (transaction: object): Promise<{ readonly contractAddress: string }> => {
    const hash = await request('eth_sendTransaction', { from, gas: '0x2dc6c0', ...transaction }).catch(
      (error) => {
        return (error as { data: { transactionHash?: string; txHash?: string } }).data.transactionHash;
      },
    );
    return (await request('eth_getTransactionReceipt', hash)) as { contractAddress: string };
  };
  const data = encodeDeployData({ abi, bytecode: evm.bytecode.object, args: [1n] });
  const { contractAddress: to } = await send({ data });
  const calls: readonly [string, readonly number[]][] = [
    ['decide', [11, 5, 7, 1]],
    ['sums', [1, 8]],
    ['check', [1, 2, 4, 9]],
    ['inside', [101, 3]],
    ['either', [2, 3]],
  ];
  for (const [functionName, values] of calls) {
    for (const value of values) {
      await send({ to, data: encodeFunctionData({ abi, functionName, args: [BigInt(value)] }) }).catch(
        () => null,
      );
    }
  }
  await send({ to, data: '0x', value: '0x1' });
  const text = (await request('inspect_coverage', 'lcov')) as string;
  const { notes } = (await request('inspect_coverage')) as { notes: readonly string[] };
  return { text, notes };
}

/** Returns the expected counts of each line from the comments of the source. */
function expectedLines(version: string): [number, number][] {
  const source = readFileSync(`${COVERAGE_PROJECT}vyper/statements-${version.slice(0, 3)}.vy`, 'utf8');
  return source.split('\n').flatMap((line, index): [number, number][] => {
    const times = /# @ran (\d+)$/.exec(line)?.[1];
    return times === undefined ? [] : [[index + 1, Number(times)]];
  });
}

/** The counts of each branch by line. */
const SIDES = {
  15: [1, 2],
  28: [1, 3],
  30: [1, 2],
  34: [1, 3],
  42: [1, 7],
  44: [1, 6],
  52: [3, 1],
  53: [2, 1],
  54: [1, 1],
  61: [1, 1],
  // The `if`, and whether its right operand was needed.
  66: [1, 1, 0, 2],
  71: [null, null],
  73: [null, null],
};

/** Differences between the source map and the source. */
const KNOWN = {
  // Both `return` statements end in the same code, which has the position of the second one.
  '0.3.10': { lines: { 36: 4 }, sides: {} },
  // No code has the position of `continue` or `break`. They count like the condition before them.
  '0.4.3': { lines: { 43: 8, 45: 7 }, sides: { 42: [8, 0], 44: [7, 0] } },
} as const;

function sidesOf(file: LcovFile | undefined): Record<number, (number | null)[]> {
  const found: Record<number, (number | null)[]> = {};
  for (const { line, times } of file?.branches ?? []) found[line] = [...(found[line] ?? []), times];
  return found;
}

describe.each(['0.3.10', '0.4.3'] as const)('coverage of a Vyper %s contract', (version) => {
  const known: { readonly lines: Readonly<Record<number, number>>; readonly sides: object } = KNOWN[version];

  it('the coverage counts lines, functions and branches, with a note', async () => {
    const { text, notes } = await coverageOf(version);
    const [file, ...others] = parseLcov(text);
    expect(others).toEqual([]);
    expect(file?.name).toBe(NAME);
    expect([...(file?.lines ?? [])]).toEqual(
      expectedLines(version).map(([line, times]) => [line, known.lines[line] ?? times]),
    );
    expect(Object.fromEntries(file?.functions.map(({ name, times }) => [name, times]) ?? [])).toEqual({
      'Statements.__init__': 1,
      'Statements._twice': 3,
      'Statements._unused': 0,
      'Statements.decide': 4,
      'Statements.sums': 2,
      'Statements.check': 4,
      'Statements.inside': 2,
      'Statements.either': 2,
      'Statements.never': 0,
      'Statements.__default__': 1,
    });
    expect(sidesOf(file)).toEqual({ ...SIDES, ...known.sides });
    expect(notes).toEqual([expect.stringContaining('Vyper')]);
  });
});

it('includes the statements of a Vyper 0.3 constructor, which has no source positions', async () => {
  const project = new URL('../../fixtures/projects/vyper/0.3.10/', import.meta.url).pathname;
  const node = await createNode({ coverage: `${await temporaryDirectory()}/lcov.info`, artifacts: [] });
  onTestFinished(() => node.close());
  const request = (method: string, ...params: unknown[]): Promise<unknown> =>
    node.request({ method, params });
  const output = readJson(`${project}output.json`) as {
    contracts: { 'vyper-0.3/Odd.vy': { Odd: { abi: Abi; evm: { bytecode: { object: Hex } } } } };
  };
  await request('inspect_addArtifacts', readJson(`${project}input.json`), output);
  const { abi, evm } = output.contracts['vyper-0.3/Odd.vy'].Odd;
  const [from] = (await request('eth_accounts')) as string[];
  for (const amount of [5n, 6n]) {
    const data = encodeDeployData({ abi, bytecode: evm.bytecode.object, args: [amount, true] });
    await request('eth_sendTransaction', { from, gas: '0x2dc6c0', data });
  }
  const file = parseLcov((await request('inspect_coverage', 'lcov')) as string).find(
    ({ name }) => name === 'vyper-0.3/Odd.vy',
  );
  expect([8, 9, 10, 15].map((line) => file?.lines.get(line))).toEqual([2, 2, 2, 0]);
  expect(sidesOf(file)[8]).toEqual([2, 0]);
});
