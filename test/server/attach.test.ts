import { createRequire } from 'node:module';
import { encodeFunctionData } from 'viem';
import { describe, expect, it, vi } from 'vitest';
import { ChainTracing } from '../../src/chain/execution/tracing.ts';
import { KnownContracts } from '../../src/inspect/known-contracts.ts';
import { type LaneServerOptions, startLaneServer } from './lane-server.ts';
import { requestText } from './test-server.ts';
import { WebSocketClient } from './websocket-client.ts';

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Counter {
    uint256 public count;
    function add(uint256 value) external returns (uint256) {
        require(value < 100, "too much");
        count += value;
        return count;
    }
    function clear() external {
        count = 0;
    }
}
contract Caller {
    function forward(Counter counter, uint256 value) external {
        counter.add(value);
    }
}
`;

const LINE = SOURCE.split('\n').findIndex((line) => line.includes('count += value')) + 1;
const BREAKPOINT = [{ source: 'contracts/Counter.sol', lines: [LINE] }];

const input = {
  language: 'Solidity',
  sources: { 'contracts/Counter.sol': { content: SOURCE } },
  settings: {
    evmVersion: 'london',
    outputSelection: {
      '*': { '*': ['abi', 'metadata', 'evm.bytecode', 'evm.deployedBytecode'], '': ['ast'] },
    },
  },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
const { Counter, Caller } = output.contracts['contracts/Counter.sol'];

const add = (value: bigint) => encodeFunctionData({ abi: Counter.abi, functionName: 'add', args: [value] });
const CLEAR = encodeFunctionData({ abi: Counter.abi, functionName: 'clear' });

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly params?: { readonly result: Readonly<Record<string, unknown>> };
}

/** A debugger on a WebSocket. */
async function debuggerOn(server: Parameters<typeof WebSocketClient.open>[0], path = '/') {
  const client = await WebSocketClient.open(server, path);
  const hits = () =>
    (client.received as Reply[]).flatMap(({ params }) => (params === undefined ? [] : [params.result]));
  const request = async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
    const isReply = (message: unknown): boolean => (message as Reply).id !== undefined;
    const before = client.received.filter(isReply).length;
    client.socket.send(requestText(method, params));
    await expect.poll(() => client.received.filter(isReply).length, { timeout: 30_000 }).toBe(before + 1);
    const { result, error } = client.received.filter(isReply).at(-1) as Reply;
    if (error !== undefined) throw new Error(error.message);
    return result;
  };
  const nextHits = async (count: number) => {
    await expect.poll(() => hits().length, { timeout: 30_000 }).toBeGreaterThanOrEqual(count);
    return hits();
  };
  return { client, hits, request, nextHits };
}

async function scene(options: LaneServerOptions = {}) {
  const started = await startLaneServer({ ruleSet: 'prague', ...options });
  const { call, server } = started;
  const root = options.apiKeys === undefined ? '/' : `/${options.apiKeys[0]}`;
  await call(root, 'inspect_addArtifacts', [input, output]);
  const [from] = (await call(root, 'eth_accounts')) as [string];
  const send = async (path: string, fields: object) =>
    (await call(path, 'eth_sendTransaction', [{ from, gas: '0x4c4b40', ...fields }])) as string;
  const deploy = async (path: string, { evm }: typeof Counter): Promise<string> => {
    const hash = await send(path, { data: `0x${evm.bytecode.object}` });
    const receipt = await call(path, 'eth_getTransactionReceipt', [hash]);
    return (receipt as { contractAddress: string }).contractAddress;
  };
  const counter = await deploy(root, Counter);
  return { ...started, server, send, deploy, counter, from };
}

describe('inspect_attach', () => {
  it('reports sends, calls and estimates of other clients that reach a breakpoint', async () => {
    const { server, call, send, counter } = await scene();
    const { request, nextHits } = await debuggerOn(server);
    expect(await request('inspect_attach', [BREAKPOINT])).toMatchObject({
      sources: [{ source: 'contracts/Counter.sol', breakpoints: [{ verified: true, actualLine: LINE }] }],
    });
    await send('/', { to: counter, data: CLEAR });
    await call('/', 'eth_call', [{ to: counter, data: add(1n) }, 'latest']);
    await call('/', 'eth_estimateGas', [{ to: counter, data: add(2n) }]);
    const hash = await send('/', { to: counter, data: add(3n) });
    const at = { source: 'contracts/Counter.sol', line: LINE, failed: false, lane: null, test: null };
    expect(await nextHits(3)).toEqual([
      { ...at, number: '0x1', method: 'eth_call', blockNumber: '0x2', transactionHash: null, omitted: '0x0' },
      {
        ...at,
        number: '0x2',
        method: 'eth_estimateGas',
        blockNumber: '0x3',
        transactionHash: null,
        omitted: '0x0',
      },
      {
        ...at,
        number: '0x3',
        method: 'eth_sendTransaction',
        blockNumber: '0x3',
        transactionHash: hash,
        omitted: '0x0',
      },
    ]);
  });

  it('reads each contract once for all breakpoints', async () => {
    const { server } = await scene();
    const { request } = await debuggerOn(server);
    const reads = vi.spyOn(KnownContracts.prototype, 'compiled');

    const { sources } = (await request('inspect_attach', [
      [...BREAKPOINT, ...BREAKPOINT, { source: 'Counter.sol', lines: [LINE + 1] }],
    ])) as { sources: { breakpoints: { actualLine: number }[] }[] };

    expect(sources.map(({ breakpoints }) => breakpoints[0]?.actualLine)).toEqual([LINE, LINE, LINE + 1]);
    expect(reads).toHaveBeenCalledTimes(2);
  });

  it('rejects more than 10,000 lines in all sources', async () => {
    const { server } = await scene();
    const { request } = await debuggerOn(server);
    const lines = Array.from({ length: 1_000 }, (_, index) => index + 1);
    const places = Array.from({ length: 11 }, () => ({ source: 'Counter.sol', lines }));

    await expect(request('inspect_attach', [places])).rejects.toThrow(
      'expected at most 10000 lines in all sources',
    );
  });

  it('executes each transaction of a block once to reach the next one', async () => {
    const { server, call, send, counter } = await scene();
    const { request, nextHits } = await debuggerOn(server);
    await request('inspect_attach', [BREAKPOINT]);
    const walks = vi.spyOn(ChainTracing.prototype, 'eachTransaction');
    const replays = vi.spyOn(ChainTracing.prototype, 'transaction');
    await call('/', 'evm_setAutomine', [false]);
    const data = [add(1n), CLEAR, add(2n), add(3n)];
    const hashes: string[] = [];
    for (const each of data) hashes.push(await send('/', { to: counter, data: each }));

    await call('/', 'evm_mine');

    const hits = await nextHits(3);
    expect(hits.map(({ transactionHash }) => transactionHash)).toEqual([hashes[0], hashes[2], hashes[3]]);
    expect(walks).toHaveBeenCalledTimes(1);
    expect(replays).not.toHaveBeenCalled();
  });

  it('opens a hit on its original state, also after a revert of the chain', async () => {
    const { server, call, send, counter } = await scene();
    const { request, nextHits } = await debuggerOn(server);
    await request('inspect_attach', [BREAKPOINT]);
    const snapshot = await call('/', 'evm_snapshot');
    await send('/', { to: counter, data: add(5n) });
    await call('/', 'eth_call', [{ to: counter, data: add(2n) }, 'latest']);
    await nextHits(2);
    await call('/', 'evm_revert', [snapshot]);
    for (const [number, before, value] of [
      ['0x1', '0', '5'],
      ['0x2', '5', '2'],
    ]) {
      const target = { recording: number };
      const { statements } = (await call('/', 'inspect_steps', [target])) as {
        readonly statements: readonly (readonly number[])[];
      };
      const step = statements.find(([, , , line]) => line === LINE)?.[0];
      expect(await call('/', 'inspect_evaluate', [target, step, 'count'])).toMatchObject({ value: before });
      expect(await call('/', 'inspect_evaluate', [target, step, 'value'])).toMatchObject({ value });
      expect(await call('/', 'inspect_frames', [target, step])).toMatchObject({ frames: [{ line: LINE }] });
    }
  });

  it('finds a breakpoint in a contract that another contract calls', async () => {
    const { server, send, deploy, counter } = await scene();
    const caller = await deploy('/', Caller);
    const { request, nextHits } = await debuggerOn(server);
    await request('inspect_attach', [BREAKPOINT]);
    const data = encodeFunctionData({ abi: Caller.abi, functionName: 'forward', args: [counter, 7n] });
    await send('/', { to: caller, data });
    expect(await nextHits(1)).toMatchObject([{ line: LINE, method: 'eth_sendTransaction' }]);
  });

  it('reports executions of a function by its name', async () => {
    const { server, call, counter } = await scene();
    const { request, nextHits } = await debuggerOn(server);
    const line = SOURCE.split('\n').findIndex((text) => text.includes('function add')) + 1;
    expect(await request('inspect_attach', [[{ function: 'add' }]])).toMatchObject({
      functions: [{ source: 'contracts/Counter.sol', contract: 'Counter', name: 'add', line }],
    });
    await call('/', 'eth_call', [{ to: counter, data: CLEAR }, 'latest']);
    await call('/', 'eth_call', [{ to: counter, data: add(1n) }, 'latest']);
    await call('/', 'eth_call', [{ to: counter, data: CLEAR }, 'latest']);
    await call('/', 'eth_call', [{ to: counter, data: add(2n) }, 'latest']);
    const hits = await nextHits(2);
    expect(hits).toMatchObject([{ source: 'contracts/Counter.sol' }, { source: 'contracts/Counter.sol' }]);
    const target = [{ recording: hits[1]?.number }, 0, 'msg.data'];
    expect(await call('/', 'inspect_evaluate', target)).toMatchObject({ value: add(2n) });
  });

  it('reports every failed execution with the option failures', async () => {
    const { server, call, counter } = await scene();
    const { request, nextHits } = await debuggerOn(server);
    await request('inspect_attach', [[], { failures: true }]);
    await call('/', 'eth_call', [{ to: counter, data: add(1n) }, 'latest']);
    await expect(call('/', 'eth_call', [{ to: counter, data: add(200n) }, 'latest'])).rejects.toThrow(
      'too much',
    );
    expect(await nextHits(1)).toMatchObject([{ number: '0x1', failed: true, source: null, line: null }]);
  });

  it('replaces the breakpoints of the connection', async () => {
    const { server, call, counter } = await scene();
    const { request, nextHits } = await debuggerOn(server);
    const first = (await request('inspect_attach', [[]])) as { subscription: string };
    await call('/', 'eth_call', [{ to: counter, data: add(1n) }, 'latest']);
    const second = (await request('inspect_attach', [BREAKPOINT])) as { subscription: string };
    expect(second.subscription).toBe(first.subscription);
    await call('/', 'eth_call', [{ to: counter, data: add(2n) }, 'latest']);
    expect(await nextHits(1)).toHaveLength(1);
  });

  it('keeps 51 hits, counts the others, and keeps more after a release', async () => {
    const { server, call, counter } = await scene();
    const { request, nextHits, hits } = await debuggerOn(server);
    await request('inspect_attach', [BREAKPOINT]);
    const run = () => call('/', 'eth_call', [{ to: counter, data: add(1n) }, 'latest']);
    for (let count = 0; count < 51; count++) await run();
    await nextHits(51);
    for (let count = 0; count < 3; count++) await run();
    expect(await request('inspect_release', [['0x1', '0x2', '0x77']])).toBe('0x2');
    await run();
    await nextHits(52);
    expect(hits().at(-1)).toMatchObject({ number: '0x34', omitted: '0x3' });
    await expect(call('/', 'inspect_steps', [{ recording: 1 }])).rejects.toThrow('recording 1 not found');
  });

  it('records nothing after the connection or the subscription has ended', async () => {
    const { server, call, counter, base } = await scene();
    const attached = await debuggerOn(server);
    const unsubscribed = await debuggerOn(server);
    const watching = await debuggerOn(server);
    await attached.request('inspect_attach', [BREAKPOINT]);
    const { subscription } = (await unsubscribed.request('inspect_attach', [BREAKPOINT])) as {
      subscription: string;
    };
    await watching.request('inspect_attach', [BREAKPOINT]);
    await call('/', 'eth_call', [{ to: counter, data: add(1n) }, 'latest']);
    const [hit] = await attached.nextHits(1);
    await unsubscribed.nextHits(1);
    expect(await unsubscribed.request('eth_unsubscribe', [subscription])).toBe(true);
    attached.client.socket.terminate();
    await attached.client.closed;
    await expect
      .poll(() => call('/', 'inspect_steps', [{ recording: hit?.number }]).catch(String))
      .toContain('not found');
    await call('/', 'eth_call', [{ to: counter, data: add(1n) }, 'latest']);
    await watching.nextHits(2);
    expect(unsubscribed.hits()).toHaveLength(1);
    expect(base.isClosed).toBe(false);
  });

  it('records all lanes from the base URL, and opens a hit of a dropped lane', async () => {
    const { server, call, send, counter } = await scene();
    const everywhere = await debuggerOn(server);
    await everywhere.request('inspect_attach', [BREAKPOINT]);
    await call('/a', 'eth_chainId');
    await call('/a', 'lane_label', [{ name: 'adds', outcome: 'running' }]);
    const onLane = await debuggerOn(server, '/b');
    await onLane.request('inspect_attach', [BREAKPOINT]);
    await send('/a', { to: counter, data: add(4n) });
    await send('/b', { to: counter, data: add(5n) });
    expect(await everywhere.nextHits(2)).toMatchObject([
      { lane: 'a', test: 'adds' },
      { lane: 'b', test: null },
    ]);
    expect(await onLane.nextHits(1)).toMatchObject([{ lane: 'b' }]);
    await call('/', 'lane_drop', ['a']);
    const number = everywhere.hits()[0]?.number;
    const { statements } = (await call('/', 'inspect_steps', [{ recording: number }])) as {
      readonly statements: readonly (readonly number[])[];
    };
    const step = statements.find(([, , , line]) => line === LINE)?.[0];
    expect(await call('/', 'inspect_evaluate', [{ recording: number }, step, 'value'])).toMatchObject({
      value: '4',
    });
  });

  it('records only the lane of a secret key, and hides its hits from other keys', async () => {
    const { server, call, send, counter } = await scene({ apiKeys: ['mine', 'other'] });
    const { request, nextHits } = await debuggerOn(server, '/mine');
    await request('inspect_attach', [BREAKPOINT]);
    await call('/other', 'eth_call', [{ to: counter, data: add(1n) }, 'latest']).catch(() => null);
    await send('/mine', { to: counter, data: add(2n) });
    expect(await nextHits(1)).toMatchObject([{ number: '0x1', method: 'eth_sendTransaction' }]);
    expect(await call('/mine', 'inspect_steps', [{ recording: 1 }])).toMatchObject({ failedAt: null });
    await expect(call('/other', 'inspect_steps', [{ recording: 1 }])).rejects.toThrow(
      'recording 1 not found',
    );
  });

  it('rejects the 33rd debugger of a client, until another one has ended', async () => {
    const { server } = await scene();
    const open = async () => {
      const { request } = await debuggerOn(server);
      const { subscription } = (await request('inspect_attach', [[]])) as { subscription: string };
      return () => request('eth_unsubscribe', [subscription]);
    };
    const [detach] = await Promise.all(Array.from({ length: 32 }, open));
    await expect(open()).rejects.toThrow('too many attached debuggers: the maximum is 32; end one of them');
    const onLane = await debuggerOn(server, '/a');
    expect(await onLane.request('inspect_attach', [[]])).toMatchObject({ sources: [] });
    await detach?.();
    await open();
  });

  it('requires a WebSocket', async () => {
    const { call } = await startLaneServer();
    await expect(call('/', 'inspect_attach', [[]])).rejects.toThrow(
      'subscriptions need a WebSocket or IPC connection',
    );
  });
});
