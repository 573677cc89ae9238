import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LcovFile, parseLcov } from '../../src/inspect/coverage/lcov.ts';
import { resultAt as rpc } from '../support/json-rpc.ts';
import { startNode } from '../support/node-process.ts';
import { COVERAGE_PROJECT, runCoverageSuite } from './support/coverage-suite.ts';

interface Difference {
  readonly place: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

/** The counts of a tracefile by place: of lines and functions, and of the branches of a line. */
function places(files: readonly LcovFile[]): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const { name, lines, functions, branches } of files) {
    for (const [line, times] of lines) found.set(`${name}:${line} line`, times);
    for (const { line, times } of functions) found.set(`${name}:${line} function`, times);
    for (const { line } of branches) {
      const sides = branches.filter((branch) => branch.line === line).map(({ times }) => times ?? 0);
      found.set(`${name}:${line} branches`, sides);
    }
  }
  return found;
}

function differences(theirs: readonly LcovFile[], ours: readonly LcovFile[]): Difference[] {
  const [left, right] = [places(theirs), places(ours)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .map((place) => ({ place, theirs: left.get(place) ?? null, ours: right.get(place) ?? null }))
    .filter((each) => JSON.stringify(each.theirs) !== JSON.stringify(each.ours))
    .sort((one, other) => one.place.localeCompare(other.place, 'en', { numeric: true }));
}

describe('the coverage of a suite', () => {
  let directory: string;
  let ours: LcovFile[];
  let text: string;
  let summary: Readonly<Record<string, unknown>>;
  let midway: string;

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
    await rpc(node.url, 'hardhat_reset', []);
    await node.stop();
    text = await readFile(file.replace('%p', `${node.process.pid}`), 'utf8');
    ours = parseLcov(text);
  }, 60_000);

  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('is that of solidity-coverage, but for what is known to differ', async () => {
    const theirs = parseLcov(await readFile(`${COVERAGE_PROJECT}solidity-coverage.info`, 'utf8'));
    const known: Difference[] = JSON.parse(await readFile(`${COVERAGE_PROJECT}differences.json`, 'utf8'));
    expect(differences(theirs, ours)).toEqual(
      known.map(({ place, theirs: left, ours: right }) => ({ place, theirs: left, ours: right })),
    );
  });

  it('is answered at any time, and a reset takes nothing from it', () => {
    expect(midway).toBe(text);
    expect(summary).toMatchObject({
      total: { lines: { found: 97, hit: 85 }, functions: { found: 38, hit: 33 } },
      notes: [],
    });
  });

  it('lists each file once, those that never ran too', () => {
    expect(ours.map(({ name }) => name)).toEqual([
      'contracts/Family.sol',
      'contracts/Shapes.sol',
      'contracts/Statements.sol',
      'contracts/free.sol',
    ]);
  });
});
