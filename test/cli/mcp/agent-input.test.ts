import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/cli/main.ts';
import { createFakeTime, type FakeTime } from '../../support/fake-time.ts';
import { type FakeHost, fakeHost } from '../support/fake-host.ts';

const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

/** The parameters of a transaction that waits for a block. */
const WAITING = [
  { from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', to: `0x${'12'.repeat(20)}` },
  '0x7530',
];

interface Server {
  readonly host: FakeHost;
  readonly time: FakeTime;
  /** Sends a message. `endInput` closes the input after the last one. */
  ask(id: number, method: string, params: object): void;
  endInput(): void;
}

function serve(...options: readonly string[]): Server {
  const input = new PassThrough();
  const time = createFakeTime(0);
  const host = fakeHost({ ...time, commandLine: ['mcp', ...options], input });
  void runCommand(host);
  return {
    host,
    time,
    ask: (id, method, params) =>
      void input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`),
    endInput: () => void input.end(),
  };
}

/** Resolves when the output of the server matches the pattern. */
async function written({ host }: Server, pattern: RegExp): Promise<void> {
  while (!pattern.test(host.written.output)) await new Promise((resolve) => setImmediate(resolve));
}

describe('end of input of node-cli mcp', () => {
  it('the server responds to earlier messages before it exits', async () => {
    const server = serve();
    server.ask(1, 'initialize', HELLO);
    server.ask(2, 'tools/call', { name: 'mine', arguments: { blocks: 2 } });
    server.endInput();

    expect(await server.host.exited()).toBe(0);
    const answers = server.host.written.output.trim().split('\n');
    expect(answers.map((answer) => JSON.parse(answer))).toMatchObject([
      { id: 1 },
      { id: 2, result: { structuredContent: { blockNumber: 2 } } },
    ]);
  });

  it('the server exits within a second if a response takes longer', async () => {
    const server = serve('--no-mining');
    server.ask(1, 'initialize', HELLO);
    const arguments_ = { method: 'eth_sendTransactionSync', params: WAITING };
    server.ask(2, 'tools/call', { name: 'rpc_call', arguments: arguments_ });
    server.ask(3, 'tools/list', {});
    await written(server, /"id":3/);
    server.endInput();
    while (server.host.exitCodes.length === 0 && server.time.clock.now() < 1_000) {
      await server.time.advance(50);
      await new Promise((resolve) => setImmediate(resolve));
    }

    expect(server.host.exitCodes[0]).toBe(0);
    expect(server.host.written.output).not.toContain('"id":2');
  });
});
