// `node-cli debug` as a process, on stdin and stdout and on a TCP port.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { DebugClient as Client } from '@vscode/debugadapter-testsupport';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Failure, RunArtifact } from '../../../fixtures/projects/run-failure.d.mts';
import { attach, launch, nextHalt, THREAD } from './support/adapter.ts';

const { DebugClient } = createRequire(import.meta.url)('@vscode/debugadapter-testsupport') as {
  DebugClient: typeof Client;
};
const EXECUTABLE = resolve('bin/node-cli.js');
const PROJECT = resolve('fixtures/projects/hardhat-3');

const projects = new URL('../../../fixtures/projects/', import.meta.url);
const { runFailure } = (await import(new URL('run-failure.mjs', projects).href)) as {
  runFailure: (
    failure: Failure,
    request: (method: string, params: readonly unknown[]) => Promise<unknown>,
    readArtifact: (contract: string) => Promise<RunArtifact>,
  ) => Promise<{ readonly hash: string | undefined }>;
};

/** Starts the command in a project. `said` resolves to the first match of a pattern in the error output. */
function start(...options: readonly string[]) {
  const child = spawn(process.execPath, [EXECUTABLE, 'debug', '--hardfork', 'prague', ...options], {
    cwd: PROJECT,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let errors = '';
  const said = (pattern: RegExp): Promise<string> =>
    new Promise((found) => {
      const look = (): void => {
        const match = pattern.exec(errors)?.[1];
        if (match !== undefined) found(match);
      };
      child.stderr.on('data', look);
      look();
    });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  return { child, said, errors: () => errors };
}

function clientOf({ stdout, stdin }: ChildProcess): Client {
  const client = new DebugClient('node', '', 'node-cli');
  client.defaultTimeout = 60_000;
  const { connect } = client as unknown as { connect(input: unknown, output: unknown): void };
  connect.call(client, stdout, stdin);
  return client;
}

/** Fails a transaction of the project on the node at a URL. Resolves to its hash. */
async function failedAt(url: string): Promise<string> {
  const request = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const answer = (await response.json()) as {
      result?: unknown;
      error?: { message: string; data?: unknown };
    };
    if (answer.error !== undefined) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer.result;
  };
  const { default: failures } = (await import(new URL('failures.json', projects).href, {
    with: { type: 'json' },
  })) as { default: Failure[] };
  const failure = failures.find(({ name }) => name === 'Reverts.requireWithReason');
  if (failure === undefined) throw new Error('the fixtures have no such failure');
  const readArtifact = async (contract: string): Promise<RunArtifact> => {
    const file = new URL(`hardhat-3/artifacts/contracts/${contract}.sol/${contract}.json`, projects);
    return ((await import(file.href, { with: { type: 'json' } })) as { default: RunArtifact }).default;
  };
  await runFailure(failure, request, readArtifact).catch(() => null);
  const { transactions } = (await request('inspect_transactions', [{}, null, '0x1'])) as {
    transactions: { hash: string }[];
  };
  return transactions[0]?.hash ?? '';
}

describe('node-cli debug', () => {
  it('debugs a transaction of its own node on stdin and stdout, and ends after disconnect', async () => {
    const { child, said } = start();
    const client = clientOf(child);
    const hash = await failedAt(await said(/node at (\S+)/));
    const ended = once(child, 'exit');

    const halt = await launch(client, { transaction: hash });

    expect(halt).toMatchObject({ reason: 'exception' });
    const { body } = await client.stackTraceRequest(THREAD);
    expect(body.stackFrames[0]).toMatchObject({
      name: 'Reverts.requireWithReason',
      source: { path: resolve(PROJECT, 'contracts/Reverts.sol') },
    });
    await client.disconnectRequest();
    expect((await ended)[0]).toBe(0);
  });

  it('attaches to its own node, and ends after disconnect', async () => {
    const { child, said } = start();
    const client = clientOf(child);
    const url = await said(/node at (\S+)/);
    const ended = once(child, 'exit');
    await attach(client, {});
    const halted = nextHalt(client);

    await failedAt(url);

    expect(await halted).toMatchObject({ reason: 'exception', threadId: 1 });
    const { body } = await client.stackTraceRequest(THREAD);
    expect(body.stackFrames[0]).toMatchObject({
      name: 'Reverts.requireWithReason',
      source: { path: resolve(PROJECT, 'contracts/Reverts.sol') },
    });
    await client.disconnectRequest();
    expect((await ended)[0]).toBe(0);
  });

  it('detaches from a running node without stopping it', async () => {
    const own = start();
    const url = await own.said(/node at (\S+)/);
    const child = spawn(process.execPath, [EXECUTABLE, 'debug', '--url', url], { cwd: PROJECT });
    onTestFinished(() => void child.kill('SIGKILL'));
    const client = clientOf(child);
    const ended = once(child, 'exit');
    const breakpoints = { [resolve(PROJECT, 'contracts/Reverts.sol')]: [{ line: 1 }] };
    await attach(client, {}, { breakpoints });
    const halted = nextHalt(client);
    await failedAt(url);
    await halted;

    await client.disconnectRequest();

    expect((await ended)[0]).toBe(0);
    expect(await failedAt(url)).toMatch(/^0x/);
  });

  it('serves several editors one after another on a TCP port, for a running node', async () => {
    const own = start();
    const url = await own.said(/node at (\S+)/);
    const hash = await failedAt(url);
    const child = spawn(process.execPath, [EXECUTABLE, 'debug', '--url', url, '--adapter-port', '0'], {
      cwd: PROJECT,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [chunk] = (await once(child.stderr, 'data')) as [Buffer];
    const port = Number(/debug adapter at 127\.0\.0\.1:(\d+)/.exec(chunk.toString())?.[1]);

    for (const failure of [hash, hash]) {
      const client = new DebugClient('node', '', 'node-cli');
      client.defaultTimeout = 60_000;
      await client.start(port);
      expect(await launch(client, { transaction: failure })).toMatchObject({ reason: 'exception' });
      await client.stop();
    }
  });

  it('ends with the input, and rejects node options with --url', async () => {
    const { child } = start('--url', 'http://127.0.0.1:1');
    expect((await once(child, 'exit'))[0]).toBe(2);
    const other = spawn(process.execPath, [EXECUTABLE, 'debug', '--url', 'http://127.0.0.1:1'], {
      cwd: PROJECT,
    });
    other.stdin.end();
    expect((await once(other, 'exit'))[0]).toBe(0);
  });

  it('reports a node that is not reachable in the response to launch', async () => {
    const child = spawn(process.execPath, [EXECUTABLE, 'debug', '--url', 'http://127.0.0.1:9'], {
      cwd: PROJECT,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const client = clientOf(child);
    await client.initializeRequest();

    await expect(client.send('launch', { failure: 'last' })).rejects.toThrow('http://127.0.0.1:9');
  });
});
