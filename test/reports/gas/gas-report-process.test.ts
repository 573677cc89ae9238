import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicClient, createWalletClient, type Hex, http } from 'viem';
import { describe, expect, it } from 'vitest';
import { createNode } from '../../../src/index.ts';
import type { GasReport } from '../../../src/reports/gas/gas-report.ts';
import { resultAt } from '../../support/json-rpc.ts';
import { type RunningNode, startNode } from '../../support/node-process.ts';
import { defineNetwork33 } from '../../support/viem.ts';
import { BUILD, built, runScenario } from './gas-scenario.ts';

const folder = mkdtempSync(join(tmpdir(), 'node-cli-gas-'));

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Starts a node like a user, runs `use`, and stops it with the signal. Default: Ctrl-C. */
async function run(
  options: readonly string[],
  use: (node: RunningNode) => Promise<void>,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<Ended> {
  const node = await startNode('--artifacts', BUILD, ...options);
  let output = '';
  let errors = '';
  node.process.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  node.process.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = new Promise<number | null>((resolve) => node.process.once('close', resolve));
  try {
    await use(node);
  } finally {
    node.process.kill(signal);
  }
  return { code: await ended, output, errors };
}

/** Deploys Bare and stores each value with viem. Resolves to the gas of the receipts. */
async function store(url: string, values: readonly bigint[]): Promise<bigint[]> {
  const chain = defineNetwork33(url);
  const reader = createPublicClient({ chain, transport: http(url), pollingInterval: 10 });
  const [account] = (await reader.request({ method: 'eth_accounts' as never })) as Hex[];
  if (account === undefined) throw new Error('the node has no accounts');
  const writer = createWalletClient({ chain, transport: http(url), account });
  const { abi, bytecode } = built('Bare');
  const deployment = await reader.waitForTransactionReceipt({
    hash: await writer.deployContract({ abi, bytecode }),
  });
  const used = [deployment.gasUsed];
  const { contractAddress: address } = deployment;
  if (address == null) throw new Error('not deployed');
  for (const value of values) {
    const hash = await writer.writeContract({ address, abi, functionName: 'store', args: [value] });
    used.push((await reader.waitForTransactionReceipt({ hash })).gasUsed);
  }
  return used;
}

function readReport(path: string): GasReport {
  return JSON.parse(readFileSync(path, 'utf8')) as GasReport;
}

describe('node with --gas-report', () => {
  it('prints the table at its end', async () => {
    let used: bigint[] = [];
    const { code, output, errors } = await run(['--quiet', '--gas-report'], async ({ url }) => {
      used = await store(url, [1n, 2n]);
    });
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    const total = used.reduce((sum, gas) => sum + gas, 0n);
    expect(output).toContain(`Gas report: 3 transactions, ${total.toLocaleString('en-US')} gas\n`);
    expect(output).toMatch(/\nBare \(Calls\.sol\)\n {2}deployment +1 +- /);
    expect(output).toMatch(/\n {2}store +2 +- +26,\d\d\d +/);
  });

  it('reports a renamed lane under its new name, separately from other lanes', async () => {
    const path = join(folder, 'renamed.json');
    await run(
      ['--lanes', '--gas-report', path, '--profile', join(folder, 'renamed.txt')],
      async ({ url }) => {
        for (const name of ['first', 'second', 'first']) {
          await store(`${url}/work`, [1n]);
          await resultAt(url, 'lane_drop', [name]);
          await resultAt(url, 'lane_rename', ['work', name]);
          await store(`${url}/${name}`, [1n, 2n]);
        }
      },
    );
    const { lanes } = readReport(path);
    expect(lanes.map(({ lane, transactions }) => [lane, transactions?.calls])).toEqual([
      ['first', 10],
      ['second', 5],
    ]);
  });

  it('writes JSON or Markdown, depending on the file name, with all lanes', async () => {
    const path = join(folder, 'report.json');
    let used: bigint[] = [];
    await run(['--lanes', '--gas-report', path], async ({ url }) => {
      used = [
        ...(await store(url, [1n])),
        ...(await store(`${url}/one`, [1n])),
        ...(await store(`${url}/two`, [1n, 2n])),
      ];
    });
    const report = readReport(path);
    expect(report.transactions?.total).toBe(Number(used.reduce((sum, gas) => sum + gas, 0n)));
    expect(report.lanes.map(({ lane, transactions }) => [lane, transactions?.calls])).toEqual([
      [null, 2],
      ['one', 2],
      ['two', 3],
    ]);
    const markdown = join(folder, 'report.md');
    const { output } = await run(
      ['--gas-report', markdown],
      async ({ url }) => void (await store(url, [1n])),
    );
    expect(output).toContain(`Note: gas report written to ${markdown}\n`);
    const text = readFileSync(markdown, 'utf8');
    expect(text).toContain(
      '## Bare (Calls.sol)\n\nDeployed: code 480 bytes (2.0 % of limit), initcode 497 (1.0 %).\n',
    );
    expect(text).toMatch(/\| store \| 1 \| - \| [\d,]+ \|/);
  });

  it('compares with --gas-baseline and exits with code 3 for growth above the tolerance', async () => {
    const baseline = join(folder, 'baseline.json');
    await run(['--gas-report', baseline], async ({ url }) => void (await store(url, [1n, 1n, 1n])));
    const compare = (tolerance: string, values: readonly bigint[]): Promise<Ended> =>
      run(
        [
          '--quiet',
          '--gas-report',
          join(folder, 'now.json'),
          '--gas-baseline',
          baseline,
          '--gas-tolerance',
          tolerance,
        ],
        async ({ url }) => void (await store(url, values)),
      );
    const same = await compare('0', [1n, 1n, 1n]);
    expect(same.code).toBe(0);
    expect(same.output).toContain(`Compared with ${baseline}: 0 changed, 0 new, 0 removed, 2 unchanged\n`);
    // Writing to an empty slot costs more than to a used one.
    const grown = await compare('1.5', [1n, 0n, 1n]);
    expect(grown.code).toBe(3);
    expect(grown.output).toMatch(
      /\n {2}Bare\.store {2}average [\d,]+ → [\d,]+ \(\+\d+\.\d\d %\) {2}above 1\.5 %\n/,
    );
    const markdown = join(folder, 'compared.md');
    await run(
      ['--quiet', '--gas-report', markdown, '--gas-baseline', baseline, '--gas-tolerance', '1.5'],
      async ({ url }) => void (await store(url, [1n, 0n, 1n])),
    );
    expect(readFileSync(markdown, 'utf8')).toMatch(
      /\n\| \| change \|\n\| --- \| --- \|\n\| Bare\.store \| \*\*average [\d,]+ → [\d,]+ \(\+\d+\.\d\d %\), above 1\.5 %\*\*/,
    );
    const tolerated = await compare('1000', [1n, 0n, 1n]);
    expect(tolerated.code).toBe(0);
    expect(tolerated.output).toContain('no average or median grew by more than 1000 %');
    const without = await compare('0', []);
    expect(without.code).toBe(0);
    expect(without.output).toMatch(/\n {2}Bare\.store {2}removed\n/);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'exits with code 3 after growth on a lane at %s, and writes the reports',
    async (signal) => {
      const baseline = join(folder, `${signal}-before.json`);
      await run(['--gas-report', baseline], async ({ url }) => void (await store(url, [1n, 1n, 1n])));
      const now = join(folder, `${signal}-now.json`);
      const options = ['--quiet', '--lanes', '--gas-baseline', baseline, '--gas-tolerance', '1.5'];
      const ended = await run(
        [...options, '--gas-report', now],
        async ({ url }) => void (await store(`${url}/one`, [1n, 0n, 1n])),
        signal,
      );
      expect(ended).toMatchObject({ code: 3, errors: '' });
      expect(ended.output).toMatch(/\n {2}Bare\.store {2}average .* above 1\.5 %\n/);
      const { transactions, lanes } = readReport(now);
      expect(transactions?.calls).toBe(4);
      expect(lanes.map(({ lane, transactions: own }) => [lane, own?.total])).toEqual([
        ['one', transactions?.total],
      ]);
    },
  );

  it('exits with code 1 if the report cannot be written, and still writes the other reports', async () => {
    const gone = mkdtempSync(join(folder, 'gone-'));
    const [profile, coverage] = [join(folder, 'kept.folded'), join(folder, 'kept.info')];
    const { code, errors } = await run(
      ['--gas-report', join(gone, 'gas.json'), '--profile', profile, '--coverage', coverage],
      async ({ url }) => {
        await store(url, [1n]);
        rmSync(gone, { recursive: true });
      },
    );
    expect(code).toBe(1);
    expect(errors).toContain('--gas-report: cannot write');
    expect(readFileSync(profile, 'utf8')).toContain('Bare.store;');
    expect(readFileSync(coverage, 'utf8')).toContain('SF:');
  });

  it('rejects an invalid baseline and an unwritable file before the start', async () => {
    const other = join(folder, 'other.json');
    writeFileSync(other, '{}');
    await expect(startNode('--gas-report', '--gas-baseline', other)).rejects.toThrow(
      `--gas-baseline: cannot compare with ${other}: it is not a JSON gas report of this node-cli version; create it with --gas-report other.json`,
    );
    await expect(startNode('--gas-report', join(folder, 'none', 'gas.json'))).rejects.toThrow(
      '--gas-report: cannot write',
    );
    await expect(startNode('--gas-tolerance', '5')).rejects.toThrow('--gas-tolerance');
  });
});

describe('createNode with gasReport', () => {
  it('writes the file if the node is closed', async () => {
    const path = join(folder, 'library.json');
    const node = await createNode({ gasReport: path, artifacts: BUILD });
    const { receipts } = await runScenario((method, params) =>
      node.request({ method, params: params ?? [] }),
    );
    await node.close();
    expect(readReport(path).transactions?.total).toBe(
      Number(receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)),
    );
  });

  it('gasReport: true keeps the report in memory', async () => {
    const node = await createNode({ gasReport: true, artifacts: BUILD });
    const fork = await node.fork();
    await runScenario((method, params) => fork.request({ method, params: params ?? [] }));
    expect(await node.request({ method: 'inspect_gasReport' })).toMatchObject({
      transactions: { calls: 18 },
    });
    await fork.close();
    await node.close();
  });
});
