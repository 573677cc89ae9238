import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../../src/cli/main.ts';
import { fakeHost } from '../support/fake-host.ts';
import { start } from '../support/started-node.ts';

const ADDRESS = `0x${'c1'.repeat(20)}`;
/** Stores the count of leading zeros of 255, an opcode since Osaka (EIP-7939). */
const COUNTS_ZEROS = '0x60ff1e5f5500';

async function compare(...words: readonly string[]) {
  const host = fakeHost({ commandLine: ['compare', ...words] });
  await runCommand(host);
  return { ...host.written, code: await host.exited() };
}

/** A node that has mined a transfer and a transaction that differs under Osaka. */
async function minedNode(...options: readonly string[]) {
  const node = await start(['--hardfork', 'prague', '--no-artifacts', ...options]);
  const [from, to] = (await node.call('eth_accounts')) as string[];
  await node.call('hardhat_setCode', ADDRESS, COUNTS_ZEROS);
  await node.call('eth_sendTransaction', { from, to, value: '0x1' });
  const hash = (await node.call('eth_sendTransaction', { from, to: ADDRESS, gas: '0x30d40' })) as string;
  return { node, hash };
}

describe('compare', () => {
  it('compare prints a column per hardfork with the differences to the first', async () => {
    const { node, hash } = await minedNode();
    const { output, errors, code } = await compare('--hardfork', 'prague,osaka', hash, '--url', node.url);
    expect({ errors, code }).toEqual({ errors: '', code: 0 });
    const lines = output.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | ').trim());
    expect(lines.slice(0, 6)).toEqual([
      ADDRESS,
      '| prague | osaka',
      'outcome | halt | success',
      'reason | invalid opcode 0x1e',
      'gas used | 200000 | 43110 (-156890)',
      'gas of each call (without inner calls)',
    ]);
    expect(output).toContain('final storage');
  });

  it('compare prints the final balances that differ in wei', async () => {
    const { node } = await minedNode();
    const [from] = (await node.call('eth_accounts')) as string[];
    const send = { from, to: ADDRESS, value: '0x5', gas: '0x30d40' };
    const hash = (await node.call('eth_sendTransaction', send)) as string;

    const { output } = await compare('--hardfork', 'prague,osaka', '--url', node.url, hash);

    expect(output).toMatch(/^final balances in wei$/m);
    expect(output).toMatch(new RegExp(`^ *${ADDRESS} +– +5$`, 'm'));
  });

  it('compare without a hash prints a line for each differing transaction, and totals', async () => {
    const { node, hash } = await minedNode();
    const { output } = await compare('--hardfork', 'prague,osaka', '--url', node.url);
    expect(output).toBe(
      [
        `${hash} ${ADDRESS}`,
        '  prague: halt, 200000 gas, invalid opcode 0x1e; osaka: success, 43110 (-156890) gas',
        'gas by call                                 count  prague   osaka',
        `${ADDRESS}  1      200,000  43,110 (-156,890, -78.4 %)`,
        'Transactions with differences: 1 of 2; total gas: prague 221,000, osaka 64,110 (-156,890, -71.0 %)',
        '',
      ].join('\n'),
    );
    const { output: json } = await compare('--json', '--hardforks', 'prague,osaka', '--url', node.url);
    expect(JSON.parse(json)).toMatchObject({
      transactions: 2,
      different: 1,
      total: [
        { hardfork: 'prague', gasUsed: '0x35f48' },
        { hardfork: 'osaka', gasUsed: '0xfa6e' },
      ],
      differences: [{ transactionHash: hash, isSame: false }],
    });
  });

  it('compare truncates long values so that their difference is visible', async () => {
    const { node } = await minedNode();
    const [from] = (await node.call('eth_accounts')) as string[];
    // Stores GAS after a slot whose price rises, and logs GAS after 64 zero bytes.
    await node.call('hardhat_setCode', ADDRESS, '0x60015f55' + '5a600155' + '5a604052' + '60605fa0' + '00');
    const hash = (await node.call('eth_sendTransaction', { from, to: ADDRESS, gas: '0x7a120' })) as string;
    const { output } = await compare('--hardfork', 'prague,amsterdam', '--url', node.url, hash);
    const cellsOf = (name: RegExp): string[] =>
      output
        .split('\n')
        .find((line) => name.test(line))
        ?.trim()
        .split(/ {2,}/)
        .slice(1) ?? [];
    const [before = '', after = ''] = cellsOf(/ slot 0x1 /);
    expect([before, after]).toEqual([
      expect.stringMatching(/^0x[1-9a-f][0-9a-f]{4}$/),
      expect.stringMatching(/^0x[1-9a-f][0-9a-f]{4}$/),
    ]);
    expect(after).not.toBe(before);
    const logs = cellsOf(/ log 0 /);
    expect(logs).toHaveLength(2);
    expect(new Set(logs).size).toBe(2);
  });

  it('compare reports other differences of a transaction with the same outcome and gas', async () => {
    const { node } = await minedNode();
    const { output } = await compare('--hardfork', 'osaka,amsterdam', '--no-color', '--url', node.url);
    // A transfer emits a log under amsterdam (EIP-7708).
    expect(output).toContain('  osaka: success, 21000 gas; amsterdam: success, 21000 gas; different logs\n');
  });

  it('compare prints the required gas of transactions that fail only for their gas limit', async () => {
    const { node } = await minedNode();
    const [from] = (await node.call('eth_accounts')) as string[];
    await node.call('hardhat_setCode', ADDRESS, '0x60015f5500');
    const hash = (await node.call('eth_sendTransaction', { from, to: ADDRESS, gas: '0xc350' })) as string;
    const one = await compare('--hardfork', 'prague,amsterdam', '--no-color', '--url', node.url, hash);
    expect(one.output).toMatch(/^gas used {2,}43105 {2,}50000 \(\+6895\)$/m);
    const higher = /^gas used with a higher gas limit \(succeeds\) {2,}– {2,}(\d+)$/m.exec(one.output)?.[1];
    expect(Number(higher)).toBeGreaterThan(100_000);
    const all = await compare('--hardfork', 'prague,amsterdam', '--no-color', '--url', node.url);
    expect(all.output).toContain(
      `  prague: success, 43105 gas; amsterdam: out of gas; succeeds with ${higher} (+${Number(higher) - 43_105}) gas and a higher gas limit\n`,
    );
    expect(all.output).toMatch(
      /; executed with a higher gas limit, because the gas limit of the transaction is too low: 1\n$/,
    );
  });

  it("compare uses the chain's hardfork, the latest and the next by default", async () => {
    const { node, hash } = await minedNode();
    const columns = (text: string): string[] => text.split('\n')[1]?.trim().split(/ {2,}/) ?? [];
    const { output } = await compare(hash, '--url', node.url);
    expect(columns(output)).toEqual(['prague', 'bpo2', 'amsterdam']);
    const one = await compare('--hardfork', 'osaka', hash, '--url', node.url);
    expect(columns(one.output)).toEqual(['prague', 'osaka']);
    const { output: json } = await compare('--json', '--url', node.url);
    expect(JSON.parse(json).total.map(({ hardfork }: { hardfork: string }) => hardfork)).toEqual([
      'prague',
      'bpo2',
      'amsterdam',
    ]);
    expect(await compare('--hardfork', 'prague', '--url', node.url)).toMatchObject({
      code: 2,
      errors: expect.stringContaining("--hardfork: prague is the chain's own hardfork"),
    });
  });

  it.each<[string, (answer: string) => string | Uint8Array]>([
    ['dump', (answer) => Buffer.from(answer.slice(2), 'hex')],
    ['dump in hexadecimal digits, as anvil_dumpState answers it', (answer) => `${answer}\n`],
    ['dump in quotes', (answer) => JSON.stringify(answer)],
    ['dump in the whole answer', (answer) => JSON.stringify({ jsonrpc: '2.0', id: '0x1', result: answer })],
  ])('compare reads a %s, and skips REMASC transactions', async (_form, saved) => {
    const folder = await mkdtemp(join(tmpdir(), 'node-cli-compare-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'run.json');
    const node = await start(['--no-artifacts']);
    const [from, to] = (await node.call('eth_accounts')) as string[];
    await node.call('eth_sendTransaction', { from, to, value: '0x1' });
    const dump = (await node.call('anvil_dumpState')) as string;
    await writeFile(file, saved(dump));
    const host = fakeHost({ commandLine: ['compare', '--hardfork', 'rootstock,osaka', '--no-color', file] });
    await runCommand(host);
    expect({ ...host.written, code: await host.exited() }).toEqual({
      output: 'Transactions with differences: 0 of 1; total gas: rootstock 21,000, osaka 21,000\n',
      errors: '',
      code: 0,
    });
  });

  it("compare reads an Anvil state file with historical states, by Ethereum's rules", async () => {
    const file = fileURLToPath(new URL('../../../fixtures/anvil/dump-state.hex', import.meta.url));
    const { output, code } = await compare('--hardfork', 'prague,amsterdam', '--no-color', file);
    expect(output).toMatch(
      /^Transactions with differences: [34] of 4; total gas: prague \d{3},\d{3}, amsterdam \d{3},\d{3} \(\+[\d,]+, \+[\d.]+ %\); executed with a higher gas limit, because the gas limit of the transaction is too low: \d$/m,
    );
    expect(code).toBe(0);
  });

  it('compare reports a state file without historical states', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'node-cli-compare-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'state.json');
    const recorded = new URL('../../../fixtures/anvil/dump-state.hex', import.meta.url);
    const state = JSON.parse(
      gunzipSync(Buffer.from((await readFile(recorded, 'utf8')).trim().slice(2), 'hex')).toString(),
    );
    await writeFile(file, JSON.stringify({ ...state, historical_states: null }));
    expect(await compare('--hardfork', 'prague,osaka', file)).toEqual({
      code: 1,
      output: '',
      errors: expect.stringContaining('contains only the last state'),
    });
  });

  it.each([
    [['--hardfork', 'prague,x'], 2, '--hardfork: unknown hardfork "x"; expected one of '],
    [['/nowhere/run.json'], 2, 'compare: no file /nowhere/run.json'],
    [[`0x${'1'.repeat(64)}`, 'more'], 2, 'compare: unexpected argument "more"; expected only [hash or file]'],
    [['--url', 'http://127.0.0.1:2'], 1, 'no node at'],
  ])('compare exits %j with code %i and the reason', async (words, code, message) => {
    const ended = await compare(...words);
    expect(ended).toMatchObject({ code, output: '', errors: expect.stringContaining(message) });
  });
});
