import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunningProgram } from '../../../src/cli/host.ts';
import { runCommand } from '../../../src/cli/main.ts';
import { answerAt } from '../../support/json-rpc.ts';
import { type FakeHostOptions, fakeHost } from '../support/fake-host.ts';

const executable = fileURLToPath(new URL('../../../bin/node-cli.js', import.meta.url));

/** Runs `exec` with a fake program that receives the URL of its node. */
async function exec(
  words: readonly string[],
  act: (url: string) => Promise<number>,
  options: FakeHostOptions = {},
) {
  const seen: { command?: readonly string[]; environment?: Readonly<Record<string, string | undefined>> } =
    {};
  const host = fakeHost({
    ...options,
    commandLine: ['exec', ...words],
    runProgram: (program, parameters, environment): RunningProgram => {
      Object.assign(seen, { command: [program, ...parameters], environment });
      return { ended: act(environment.NODE_CLI_URL ?? ''), passOn: () => undefined };
    },
  });
  await runCommand(host);
  return { ...host.written, ...seen, files: host.files, code: await host.exited() };
}

describe('exec', () => {
  it('runs a command with the URL in three variables, and exits with its code', async () => {
    let answer: unknown;
    let url = '';
    const { output, errors, command, environment, code } = await exec(
      ['npx', 'hardhat', 'test'],
      async (at) => {
        url = at;
        answer = await answerAt(at, 'eth_chainId');
        return 7;
      },
    );
    expect({ output, errors, code }).toEqual({ output: '', errors: '', code: 7 });
    expect(command).toEqual(['npx', 'hardhat', 'test']);
    expect(answer).toMatchObject({ result: '0x21' });
    expect(environment).toMatchObject({ NODE_CLI_URL: url, ETH_RPC_URL: url, FOUNDRY_ETH_RPC_URL: url });
    await expect(fetch(url)).rejects.toThrow();
  });

  it.each([
    [['--chain-id', '44', 'forge', 'test', '--json', '-vv']],
    [['--chain-id=44', '--', 'forge', 'test', '--json', '-vv']],
    [['--no-mining', '--chain-id', '44', '--gas-report', 'forge', 'test', '--json', '-vv']],
  ])('reads its own options only before the command: %j', async (words) => {
    const { command, code } = await exec(words, async (url) => {
      expect(await answerAt(url, 'eth_chainId')).toMatchObject({ result: '0x2c' });
      return 0;
    });
    expect(command).toEqual(['forge', 'test', '--json', '-vv']);
    expect(code).toBe(0);
  });

  it('prints the log of the node only with --verbose, on stderr', async () => {
    const ask = async (url: string): Promise<number> => {
      await answerAt(url, 'eth_blockNumber');
      return 0;
    };
    const { output, errors } = await exec(['--verbose', 'true'], ask);
    expect(output).toBe('');
    expect(errors).toContain('Listening on http://');
    expect(errors).toContain('eth_blockNumber');
  });

  it('passes a URL with the API key, and writes --config-out before the command starts', async () => {
    const { files, code } = await exec(
      ['--api-key', 'secret', '--config-out', 'node.json', 'true'],
      async (url) => {
        expect(url).toMatch(/\/secret$/);
        expect(await answerAt(url, 'eth_chainId')).toMatchObject({ result: '0x21' });
        return 0;
      },
    );
    expect(code).toBe(0);
    expect(JSON.parse(files.get('node.json') ?? '{}')).toMatchObject({ chain_id: 33 });
  });

  it('reads the word between an option with an optional value and -- as its value', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'node-cli-exec-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'gas.json');
    const { command, code } = await exec(['--gas-report', file, '--', 'npm', 'test'], async () => 0);
    expect(command).toEqual(['npm', 'test']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ format: 'node-cli gas report' });
    expect(code).toBe(0);
  });

  it.each([
    [['--port'], '--port: missing value; expected a whole number from 0 to 65535'],
    [['-qp'], '--port: missing value; expected a whole number from 0 to 65535'],
    [['--artifacts'], '--artifacts: missing value; expected the path of a folder or file'],
    [['--quiet', '--coverage'], '--coverage: missing value; expected'],
    [['--gas-report', '--state'], '--state: missing value; expected'],
  ])('rejects %j before --, instead of reading -- or the command as the value', async (options, message) => {
    const { command, errors, code } = await exec([...options, '--', 'npm', 'test'], async () => 0);
    expect(command).toBeUndefined();
    expect(errors).toContain(`node-cli: ${message}`);
    expect(code).toBe(2);
  });

  it('reads the value of the last letter of -qp', async () => {
    const { command, code } = await exec(['-qp', '0', 'npm', 'test'], async () => 0);
    expect(command).toEqual(['npm', 'test']);
    expect(code).toBe(0);
  });

  it('reads -- after an option without a value as separator, also before a command named --', async () => {
    const { command } = await exec(['--gas-report', '--', '--', 'npm'], async () => 0);
    expect(command).toEqual(['--', 'npm']);
  });

  it('prints a note if no request reached the node, unless --quiet is set', async () => {
    const note =
      'node-cli: note: the command sent no request to this node; use the URL in NODE_CLI_URL or ETH_RPC_URL\n';
    expect((await exec(['npm', 'test'], async () => 7)).errors).toBe(note);
    expect((await exec(['--quiet', 'npm', 'test'], async () => 7)).errors).toBe('');
  });

  it('prints coverage and report summaries on stderr, unless --quiet is set', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'node-cli-exec-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const reports = ['gas.json', 'lcov.info', 'profile.json'].map((name) => join(folder, name));
    const [gas = '', coverage = '', profile = ''] = reports;
    const words = ['--gas-report', gas, '--coverage', coverage, '--profile', profile];
    const ask = async (url: string): Promise<number> => {
      await answerAt(url, 'eth_blockNumber');
      return 0;
    };
    const printed = await exec([...words, '--', 'npm', 'test'], ask);
    expect(printed.output).toBe('');
    for (const path of reports) expect(printed.errors).toContain(path);
    expect(await exec(['--quiet', ...words, '--', 'npm', 'test'], ask)).toMatchObject({ errors: '' });
  });

  it('exits with the code of the node if the command succeeds and the save fails', async () => {
    const words = ['--dump-state', '/no/such/folder/chain.json', 'true'];
    const failed = await exec(words, async () => 0);
    expect(failed).toMatchObject({ code: 1, errors: expect.stringContaining('/no/such/folder') });
  });

  it.each([
    [['nosuchprogram'], 127, /^node-cli: exec: cannot run nosuchprogram: command not found\n$/],
    [
      ['--gas-report', 'gas.json', 'true'],
      127,
      /^node-cli: exec: cannot run gas\.json: command not found; to set --gas-report, write --gas-report=gas\.json\n/,
    ],
    [
      ['--gas-report', fileURLToPath(import.meta.url), 'true'],
      126,
      /^node-cli: exec: cannot run .*exec\.test\.ts: .*; to set --gas-report, write --gas-report=.*exec\.test\.ts\n/,
    ],
    [
      ['--gas-report', '--', 'true'],
      0,
      /^node-cli: note: the command sent no request .*\n\nGas report: no transactions\n$/,
    ],
    [[fileURLToPath(import.meta.url)], 126, /^node-cli: exec: cannot run .*exec\.test\.ts: /],
    [[], 2, /^node-cli: exec: missing <command\.\.\.>; for example npx node-cli exec -- npx hardhat test\n/],
    [['--chian-id', '1', 'true'], 2, /^node-cli: unknown option --chian-id; did you mean --chain-id/],
    [['sh', '-c', 'exit 5'], 5, /^node-cli: note: the command sent no request to this node; .*\n$/],
    [['--quiet', 'sh', '-c', 'exit 5'], 5, /^$/],
    [['sh', '-c', 'kill -KILL $$'], 137, /^node-cli: note: the command sent no request to this node; .*\n$/],
  ])('exits with the codes of a shell: %j', (words, code, message) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [executable, 'exec', ...words], {
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: code, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('listens for signals before it starts the command', async () => {
    const passed: string[] = [];
    const order: string[] = [];
    const host = fakeHost({
      commandLine: ['exec', 'true'],
      runProgram: () => {
        order.push('the program starts');
        return { ended: Promise.resolve(4), passOn: (signal) => void passed.push(signal) };
      },
    });
    const { onSignal } = host;
    const listening = {
      ...host,
      onSignal: (listener: Parameters<typeof onSignal>[0]) => {
        order.push('signals are heard');
        onSignal(listener);
      },
    };
    await runCommand(listening);
    expect(order).toEqual(['signals are heard', 'the program starts']);
    host.sendSignal('SIGTERM');
    expect(passed).toEqual(['SIGTERM']);
  });

  it('forwards a signal, waits for the command, and stops the node', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'node-cli-exec-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const script = 'trap "echo caught > caught; exit 9" TERM; echo ready; while :; do sleep 0.05; done';
    const child = spawn(process.execPath, [executable, 'exec', 'sh', '-c', script], { cwd: folder });
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([9, null]);
    expect(readFileSync(join(folder, 'caught'), 'utf8')).toBe('caught\n');
  });
});
