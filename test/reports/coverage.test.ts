import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finish } from '../../src/primitives/steps.ts';
import type { CoveredFile } from '../../src/reports/coverage/coverage-reports.ts';
import { type LcovFile, mergeLcov, parseLcov } from '../../src/reports/coverage/lcov.ts';
import { differencesFromTheirs, knownDifferences } from '../inspect/support/coverage-differences.ts';
import { COVERAGE_PROJECT, runCoverageSuite } from '../inspect/support/coverage-suite.ts';
import { resultAt as rpc } from '../support/json-rpc.ts';
import { startNode } from '../support/node-process.ts';

interface DetailedCoverage {
  readonly fileCount: number;
  readonly total: unknown;
  readonly files: readonly CoveredFile[];
}

/** A node that measures coverage, stopped at the end. */
async function runOn(
  paths: readonly string[],
  ...options: readonly string[]
): Promise<{ readonly files: LcovFile[]; readonly output: string; readonly code: number | null }> {
  const directory = await mkdtemp(join(tmpdir(), 'node-cli-test-'));
  const file = join(directory, 'lcov.info');
  const node = await startNode('--artifacts', `${COVERAGE_PROJECT}artifacts`, '--coverage', file, ...options);
  let output = '';
  node.process.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  for (const path of paths) await runCoverageSuite(`${node.url}${path}`);
  const ended = new Promise<number | null>((resolve) => node.process.once('close', resolve));
  // Like Ctrl-C.
  node.process.kill('SIGINT');
  const code = await ended;
  const files = parseLcov(await readFile(file, 'utf8'));
  await rm(directory, { recursive: true, force: true });
  return { files, output, code };
}

/** The coverage of `factor` equal runs. */
function timesOf(files: readonly LcovFile[], factor: number): LcovFile[] {
  return finish(mergeLcov(Array.from({ length: factor }, () => files).flat()));
}

describe('coverage report at the end of a node', () => {
  let once: Awaited<ReturnType<typeof runOn>>;

  beforeAll(async () => {
    once = await runOn(['/']);
  });

  it('the report is written at Ctrl-C, with a table', () => {
    expect(once.code).toBe(0);
    expect(once.files.map(({ name }) => name)).toContain('contracts/Statements.sol');
    expect(once.output).toMatch(/\nAll files +87\.6 % \(85\/97\) +\d/);
    expect(once.output).toMatch(/\nNote: coverage written to \S+lcov\.info\n/);
  });

  it('the report is the sum of the base chain and all lanes, including removed lanes', async () => {
    const { files } = await runOn(['/', '/one', '/two'], '--lanes', '--quiet');
    expect(files).toEqual(timesOf(once.files, 3));
  });

  it('the report is one entry of a JSON log', async () => {
    const { output, files } = await runOn(['/'], '--json');
    const entries = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const [report, ...others] = entries.filter(({ kind }) => kind === 'coverage');
    expect(others).toEqual([]);
    expect(report).toMatchObject({
      total: { lines: { found: 97, hit: 85 } },
      files: files.map(({ name }) => ({ name })),
      notes: [],
    });
    expect(output).not.toContain('All files');
  });
});

describe('coverage of a suite', () => {
  let directory: string;
  let ours: LcovFile[];
  let text: string;
  let summary: Readonly<Record<string, unknown>>;
  let midway: string;
  let byLine: DetailedCoverage;
  let ofChild: DetailedCoverage;
  let page: DetailedCoverage;
  let none: unknown;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'node-cli-test-'));
    const file = join(directory, 'made', 'coverage-%p.info');
    const node = await startNode(
      '--artifacts',
      `${COVERAGE_PROJECT}artifacts`,
      '--coverage',
      file,
      '--quiet',
    );
    expect(await runCoverageSuite(node.url)).toHaveLength(9);
    midway = (await rpc(node.url, 'inspect_coverage', ['lcov'])) as string;
    summary = (await rpc(node.url, 'inspect_coverage', [])) as Record<string, unknown>;
    byLine = (await rpc(node.url, 'inspect_coverage', ['lines'])) as DetailedCoverage;
    ofChild = (await rpc(node.url, 'inspect_coverage', [
      'lines',
      { file: 'Family.sol', contract: 'Child' },
    ])) as DetailedCoverage;
    page = (await rpc(node.url, 'inspect_coverage', [
      'lines',
      { first: '0x1', count: '0x2' },
    ])) as DetailedCoverage;
    none = await rpc(node.url, 'inspect_coverage', ['summary', { file: 'amily.sol' }]);
    await rpc(node.url, 'hardhat_reset', []);
    await node.stop();
    text = await readFile(file.replace('%p', `${node.process.pid}`), 'utf8');
    ours = parseLcov(text);
  });

  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('equals solidity-coverage except for known differences', async () => {
    expect(differencesFromTheirs(ours)).toEqual(knownDifferences(null));
  });

  it('inspect_coverage returns the current coverage, and a reset does not change it', () => {
    expect(midway).toBe(text);
    expect(summary).toMatchObject({
      total: { lines: { found: 97, hit: 85 }, functions: { found: 38, hit: 33 } },
      notes: [],
    });
  });

  it('inspect_coverage returns counts by line that equal the file', () => {
    expect(byLine.fileCount).toBe(4);
    expect(byLine.files.map(({ name }) => name)).toEqual(ours.map(({ name }) => name));
    for (const [index, { lineTimes, functionTimes, branchTimes }] of byLine.files.entries()) {
      const file = ours[index];
      expect(new Map(lineTimes.map(({ line, times }) => [line, times]))).toEqual(file?.lines);
      expect(functionTimes).toEqual(file?.functions);
      const sides = branchTimes.flatMap(({ times }): (number | null)[] => [...(times ?? [null, null])]);
      expect(sides).toEqual(file?.branches.map(({ times }) => times));
    }
  });

  it('inspect_coverage filters by file and contract, and returns pages', () => {
    const [family, ...others] = ofChild.files;
    expect(others).toEqual([]);
    expect(family?.name).toBe('contracts/Family.sol');
    expect(family?.contracts).toEqual(['Parent', 'Child', 'Grandchild', 'Nursery', 'Named', 'Untouched']);
    expect(family?.functionTimes.map(({ name }) => name.split('.')[0])).toContain('Child');
    expect(new Set(family?.functionTimes.map(({ name }) => name.split('.')[0]))).toEqual(new Set(['Child']));
    // The contract is on lines 24 to 30.
    const all = byLine.files.find(({ name }) => name === 'contracts/Family.sol');
    expect(family?.lineTimes).toEqual(all?.lineTimes.filter(({ line }) => line >= 24 && line <= 30));
    expect(ofChild.total).toEqual({
      lines: family?.lines,
      functions: family?.functions,
      branches: family?.branches,
    });
    expect(page.files).toEqual(byLine.files.slice(1, 3));
    expect(none).toMatchObject({ files: [], total: { lines: { found: 0, hit: 0 } } });
  });

  it('lists each file once, including files without runs', () => {
    expect(ours.map(({ name }) => name)).toEqual([
      'contracts/Family.sol',
      'contracts/Shapes.sol',
      'contracts/Statements.sol',
      'contracts/free.sol',
    ]);
  });
});

describe('coverage of a node without transactions', () => {
  it('lists the files of all contracts without hits', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'node-cli-test-'));
    const file = join(directory, 'lcov.info');
    const node = await startNode(
      '--artifacts',
      `${COVERAGE_PROJECT}artifacts`,
      '--coverage',
      file,
      '--quiet',
    );
    const { total, files } = (await rpc(node.url, 'inspect_coverage', ['lines'])) as DetailedCoverage;
    await node.stop();
    await rm(directory, { recursive: true, force: true });
    expect(total).toMatchObject({ lines: { hit: 0 }, functions: { hit: 0 } });
    expect(files.filter(({ contracts }) => contracts.length > 0).map(({ name }) => name)).toEqual([
      'contracts/Family.sol',
      'contracts/Shapes.sol',
      'contracts/Statements.sol',
    ]);
    expect(new Set(files.flatMap(({ lineTimes }) => lineTimes.map(({ times }) => times)))).toEqual(
      new Set([0]),
    );
  });
});
