import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Usage, usageOf } from './process-usage.ts';

/** A program that serves JSON-RPC on a port. */
export interface NodeCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface MeasuredNode {
  readonly url: string;
  /** Ends the node. Returns its processor time and memory. */
  stop(): Promise<Usage>;
}

/** Milliseconds between requests to a starting node. */
const POLL_INTERVAL = 50;
const MAX_OUTPUT = 4_000;

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('expected an address with a port');
  return address.port;
}

async function replies(url: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
  return response?.ok ?? false;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const closed = once(child, 'close');
  process.kill(-child.pid, 'SIGKILL');
  await closed;
}

/** Starts a node and waits for its first response. Throws with its output if it ends early. */
export async function startMeasured(
  { program, args, directory, env }: NodeCommand,
  port: number,
): Promise<MeasuredNode> {
  const child = spawn(program, args, {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid } = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    // Hardhat's node prints every request.
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      if (output.length < MAX_OUTPUT) output += chunk;
    });
  }
  const url = `http://127.0.0.1:${port}`;
  while (!(await replies(url))) {
    if (pid === undefined || child.exitCode !== null)
      throw new Error(`${program} ${args.join(' ')}: ${output}`);
    await sleep(POLL_INTERVAL);
  }
  async function stop(): Promise<Usage> {
    if (pid === undefined || child.exitCode !== null) throw new Error(`the node ended early: ${output}`);
    const usage = usageOf(pid);
    await end(child);
    return usage;
  }
  return { url, stop };
}
