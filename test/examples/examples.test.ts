import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { install } from '../clients/tool-project.ts';
import { CHROMIUM, CHROMIUM_ADVICE } from '../support/browser/browser.ts';
import { type PackedExamples, packExamples } from './packed-examples.ts';

/** Package installation and the start of a runner depend on the registry and the machine. */
const LONG = { timeout: 600_000 };

/** The suite of an example. */
interface Example {
  readonly name: string;
  readonly passed: RegExp;
  /** A change of one expectation that makes a test fail. */
  readonly breaks: { readonly file: string; readonly from: string; readonly to: string };
  /** Transactions in the gas report of the base chain and all lanes. */
  readonly transactions: number;
  /** Calls per vault function in transactions, calls and estimates of both workers. */
  readonly covered?: Readonly<Record<string, number>>;
}

const EXAMPLES: readonly Example[] = [
  {
    name: 'vitest',
    passed: /Tests {2}6 passed/,
    breaks: {
      file: 'test/lanes.test.ts',
      from: 'rejects.toThrow(/TooMuch/)',
      to: 'resolves.toBe(5n)',
    },
    transactions: 5,
    covered: { 'Vault.deposit': 4, 'Vault.withdraw': 1 },
  },
  {
    name: 'jest',
    passed: /Tests: +4 passed/,
    breaks: { file: 'test/lanes.test.js', from: "name: 'TooMuch'", to: "name: 'Other'" },
    transactions: 4,
    covered: { 'Vault.deposit': 4, 'Vault.withdraw': 3 },
  },
  {
    name: 'mocha',
    passed: /5 passing/,
    breaks: { file: 'test/snapshots.test.js', from: "'TooMuch'", to: "'Other'" },
    transactions: 4,
  },
  {
    name: 'node-test',
    passed: /pass 6/,
    breaks: { file: 'tests/lanes.test.js', from: 'assert.rejects(', to: 'assert.doesNotReject(' },
    transactions: 5,
  },
  {
    name: 'hardhat',
    passed: /5 passing/,
    breaks: { file: 'test/deposits.test.ts', from: 'assert.rejects(', to: 'assert.doesNotReject(' },
    transactions: 4,
  },
  {
    name: 'hardhat-2',
    passed: /5 passing/,
    breaks: { file: 'test/snapshots.test.js', from: "'TooMuch'", to: "'Other'" },
    transactions: 4,
  },
  {
    name: 'playwright',
    passed: /2 passed/,
    breaks: {
      file: 'test/vault.spec.ts',
      from: "toContainText('revert')",
      to: "toContainText('Done', { timeout: 1 })",
    },
    transactions: 2,
  },
  {
    name: 'pytest',
    passed: /5 passed/,
    breaks: { file: 'test_vault.py', from: 'startswith("0x6073b21f")', to: 'startswith("0x1")' },
    transactions: 4,
  },
];

/** The report of a failed test: the error, its source position and the page of its lane. */
const TOLD =
  /Error: reverted with custom error 'TooMuch\(asked: 5, held: 0\)'\n\s+at Vault\.withdraw \(contracts\/Vault\.sol:20:40\)\n\s+http:\/\/127\.0\.0\.1:\d+\/\S+\/_\/(?:failure\/\d+|tx\/0x[0-9a-f]{64})\n\s*lane http:\/\/127\.0\.0\.1:\d+\/\S+\/_\/feed/g;

/** The file with the state of a failed test. */
const STATE = /\n\s*state node_modules\/\.cache\/node-cli\/\S+\.json\.gz \(npx node-cli debug --load-state /;

/** Each npm package of Foundry contains the programs of one platform. */
const HAS_FOUNDRY = process.platform === 'linux' && process.arch === 'x64';
const ON_SYSTEM = HAS_FOUNDRY ? '' : ', which is not tested on this system: its programs are not installed';

let examples: PackedExamples;

/** Hardhat 3 does not run with Node 20. npm omits optional packages that require a newer Node. */
const project = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const NODE_22 = fileURLToPath(new URL('../clients/hardhat/node-22/node_modules/.bin', import.meta.url));
const ON_NODE_22 = {
  PATH: [NODE_22, process.env.PATH].join(delimiter),
  HARDHAT_DISABLE_TELEMETRY: 'true',
  HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
};

beforeAll(async () => {
  if (CHROMIUM === undefined) throw new Error(`no browser found; ${CHROMIUM_ADVICE}`);
  execFileSync('python3', ['-m', 'pytest', '--version'], { stdio: 'pipe' });
  examples = packExamples();
  await install('hardhat/node-22');
  await Promise.all([
    examples.install([...EXAMPLES.map(({ name }) => name), 'foundry'], ON_NODE_22),
    ...(HAS_FOUNDRY ? [install('foundry')] : []),
  ]);
}, LONG.timeout);

afterAll(() => examples?.remove());

const run = (name: string): ReturnType<PackedExamples['run']> =>
  examples.run(name, 'npm', ['test'], {
    CHROMIUM: CHROMIUM ?? '',
    ...(name.startsWith('hardhat') && ON_NODE_22),
  });

/** Returns the call count of each function in an lcov file. */
function functionCounts(lcov: string): Record<string, number> {
  const lines = lcov.matchAll(/^FNDA:(\d+),(.*)$/gm);
  return Object.fromEntries(Array.from(lines, ([, count, name = '']) => [name, Number(count)]));
}

/** Returns the gas of each transaction in the JSON log of a node. The output contains other lines too. */
function gasInLog(output: string): number[] {
  const entries = output.split('\n').filter((line) => line.startsWith('{"time":'));
  const parsed = entries.map((line) => JSON.parse(line));
  return parsed.filter(({ kind }) => kind === 'transaction').map(({ gasUsed }) => Number(gasUsed));
}

/** Replaces a text in a file of an example. */
function edit(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

/** The file with the settings of an example, whose node runs in the process of the runner by default. */
const SETTINGS: Readonly<Record<string, string>> = {
  vitest: 'vitest.config.ts',
  jest: 'jest.config.js',
  mocha: '.mocharc.cjs',
  'node-test': 'tests/node-cli.cjs',
};

/** The settings of an example without its setup, with another base. */
function withBase(settings: string, base: string): string {
  const changed = settings.replace(/^ *setup: .*\n/m, '').replace(/(hardfork: 'cancun',)/, `$1 ${base},`);
  expect(changed).toContain(base);
  return changed;
}

/** Tests with a base that no module of the example sets up. `file` contains the settings of the example. */
function testBases(name: string, file: string, passed: RegExp): void {
  it.sequential('starts from a state file and from a fork of a node', LONG, async () => {
    const path = examples.path(name, file);
    const settings = readFileSync(path, 'utf8');
    const exec = ['node-cli', 'exec', '--hardfork', 'cancun'];
    const deploy = `require('./test/deploy.js')({ url: process.env.NODE_CLI_URL })`;
    const made = await examples.run(name, 'npx', [
      ...exec,
      '--dump-state=base.json',
      '--',
      'node',
      '-e',
      deploy,
    ]);
    expect(made, made.output).toMatchObject({ code: 0 });

    writeFileSync(path, withBase(settings, `loadState: 'base.json'`));
    const loaded = await examples.run(name, 'npm', ['test']);
    expect(loaded).toEqual({ code: 0, output: expect.stringMatching(passed) });

    writeFileSync(path, withBase(settings, 'forkUrl: process.env.UPSTREAM'));
    // The tests would use the node itself with these variables.
    const test = 'UPSTREAM=$NODE_CLI_URL; export UPSTREAM; unset NODE_CLI_URL ETH_RPC_URL; npm test';
    const forked = await examples.run(name, 'npx', [
      ...exec,
      '--load-state=base.json',
      '--',
      'sh',
      '-c',
      test,
    ]);
    expect(forked).toEqual({ code: 0, output: expect.stringMatching(passed) });
    writeFileSync(path, settings);
  });
}

/** Tests of the Hardhat 3 example only. */
function testHardhat(): void {
  it.sequential('compiles its plugin against the types of Hardhat', LONG, async () => {
    // The compilation generates the artifact types.
    const compiled = await examples.run('hardhat', 'npx', ['hardhat', 'build'], ON_NODE_22);
    expect(compiled, compiled.output).toMatchObject({ code: 0 });
    const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
    const types = [project('node_modules/@types'), examples.path('node_modules/@types')].join(',');
    const { code, output } = await examples.run('hardhat', 'node', [compiler, '--typeRoots', types]);
    expect({ code, output }).toEqual({ code: 0, output: '' });
  });

  it.concurrent('deploys with Ignition on a separate lane for each connection of Mocha', LONG, async () => {
    const { code, output } = await examples.run('hardhat', 'npm', ['run', 'test:mocha'], ON_NODE_22);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/2 passing/) });
  });
}

describe.concurrent.each(EXAMPLES)(
  'the example of $name',
  ({ name, passed, breaks, transactions, covered }) => {
    it.sequential('passes and writes one gas report for all lanes', LONG, async () => {
      const { code, output } = await run(name);
      expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(passed) });
      const report = JSON.parse(readFileSync(examples.path(name, 'gas.json'), 'utf8'));
      expect(report.transactions.calls).toBe(transactions);
      // Lanes are named after files and tests, so reports of two runs are comparable.
      const lanes = report.lanes.map(({ lane }: { readonly lane: string | null }) => lane ?? '');
      expect(lanes.filter((lane: string) => lane.includes('mocha-'))).toEqual([]);
    });

    if (name === 'hardhat') testHardhat();
    const settings = SETTINGS[name];
    if (settings !== undefined)
      it.sequential('passes on a node in its own process, with equal reports', LONG, async () => {
        const reports = (): string[] =>
          ['gas.json', ...(covered === undefined ? [] : ['lcov.info'])].map((file) =>
            readFileSync(examples.path(name, file), 'utf8'),
          );
        const local = reports();
        const path = examples.path(name, settings);
        edit(path, 'nodeCli({', 'nodeCli({ explorer: true,');
        const { code, output } = await run(name);
        expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(passed) });
        expect(reports()).toEqual(local);
        edit(path, 'nodeCli({ explorer: true,', 'nodeCli({');
      });
    if (settings !== undefined && (name === 'jest' || name === 'mocha')) testBases(name, settings, passed);
    if (covered !== undefined)
      it.sequential(
        'sums gas and coverage over its workers, equal to the log of the node',
        LONG,
        async () => {
          expect(functionCounts(readFileSync(examples.path(name, 'lcov.info'), 'utf8'))).toEqual(covered);
          const reports = ['--gas-report=workers.json', '--coverage=workers.info'];
          const start = ['--lanes', '--json', '--verbose', '--compat', 'anvil', '--hardfork', 'cancun'];
          const args = ['exec', ...start, '--artifacts', '../contracts/out', ...reports, '--', 'npm', 'test'];
          const { code, output } = await examples.run(name, 'npx', ['node-cli', ...args]);
          expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(passed) });
          const used = gasInLog(output);
          const report = JSON.parse(readFileSync(examples.path(name, 'workers.json'), 'utf8'));
          expect(report.transactions).toMatchObject({
            calls: used.length,
            total: used.reduce((sum, gas) => sum + gas, 0),
          });
          expect(used).toHaveLength(transactions);
          expect(functionCounts(readFileSync(examples.path(name, 'workers.info'), 'utf8'))).toEqual(covered);
        },
      );

    it.sequential('reports a failed test once with its source position', LONG, async () => {
      edit(examples.path(name, breaks.file), breaks.from, breaks.to);
      const { code, output } = await run(name);
      expect(code).not.toBe(0);
      expect(output.match(TOLD), output).toHaveLength(1);
      // The node of pytest belongs to the files of the example.
      if (name !== 'pytest') expect(output).toMatch(STATE);
    });
  },
);

describe.skipIf(!HAS_FOUNDRY)(`the example of Foundry${ON_SYSTEM}`, { concurrent: true }, () => {
  it('deploys to the base chain and passes on a lane', LONG, async () => {
    const programs = fileURLToPath(new URL('../clients/foundry/', import.meta.url));
    const bin = join(programs, 'node_modules', '.bin');
    const { code, output } = await examples.run('foundry', 'npm', ['test'], {
      PATH: [bin, process.env.PATH].join(delimiter),
      // An installed compiler, so that forge downloads no compiler.
      FOUNDRY_SOLC: join(programs, 'solc.mjs'),
      FOUNDRY_OFFLINE: 'true',
    });
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringMatching(/ONCHAIN EXECUTION COMPLETE.*3 tests passed, 0 failed/s),
    });
  });
});
