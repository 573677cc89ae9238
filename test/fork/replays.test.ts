import { encodeFunctionData } from 'viem';
import { describe, expect, it } from 'vitest';
import { UpstreamRejectionError } from '../../src/fork/errors.ts';
import type { ForkOptions } from '../../src/fork/fork-options.ts';
import { ClientDisconnectedError } from '../../src/rpc/errors.ts';
import { EXAMPLE } from '../rpc/example-chain.ts';
import { createRpcHarness, testConnection } from '../rpc/rpc-harness.ts';
import { readArtifact } from '../support/artifacts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ALICE, BOB, CAROL } from '../support/test-chain.ts';
import { SERVED, serviceScene } from './service-scene.ts';

const { increaseHash, failureHash, counter, sender } = EXAMPLE;
const LOOP = '0x00000000000000000000000000000000000010aa';
const HASHES = [EXAMPLE.transferHash, EXAMPLE.creationHash, increaseHash, failureHash];

function withFields(result: unknown, fields: object): unknown {
  return { ...(result as object), ...fields };
}

describe('a replay of a transaction of the forked chain', () => {
  it('is inexact if the gas differs from the receipt, and the log warns once', async () => {
    const { scene } = await serviceScene({
      change: (method, result) =>
        method === 'eth_getTransactionReceipt' ? withFields(result, { gasUsed: '0x5209' }) : result,
    });
    const notices: string[] = [];
    scene.chain.events.on('notice', (text) => void notices.push(text));
    expect(await scene.call('inspect_transaction', [increaseHash])).toMatchObject({ exact: false });
    expect(await scene.call('trace_transaction', [increaseHash])).toHaveLength(1);
    expect(await scene.call('inspect_steps', [failureHash])).toMatchObject({ exact: false });
    expect(notices).toEqual([
      expect.stringMatching(/block 3 .*transaction 0 used 43743 gas here and 21001 there/),
    ]);
  });

  it.each([
    ['status', { status: '0x0' }],
    ['logs', { logs: [] }],
  ])('is inexact if the %s differ from the receipt', async (_, fields) => {
    const { scene } = await serviceScene({
      change: (method, result) =>
        method === 'eth_getTransactionReceipt' ? withFields(result, fields) : result,
    });
    expect(await scene.call('inspect_transaction', [increaseHash])).toMatchObject({ exact: false });
  });

  it('asks the upstream once for each method that it does not serve', async () => {
    const { scene, upstream } = await serviceScene();
    for (const hash of HASHES) await scene.call('debug_traceTransaction', [hash]);
    await scene.call('debug_traceBlockByNumber', ['0x3']);
    await scene.call('debug_traceBlockByNumber', ['0x2']);
    expect(upstream.count('debug_traceTransaction')).toBe(1);
    expect(upstream.count('debug_traceBlockByNumber')).toBe(1);
    expect(upstream.count('eth_createAccessList')).toBeLessThanOrEqual(1);
  });

  it("returns the upstream's result if the upstream serves the method", async () => {
    const { scene, upstream } = await serviceScene({
      served: new Set([...SERVED, 'debug_traceTransaction']),
      change: (method, result) => (method === 'debug_traceTransaction' ? { from: 'upstream' } : result),
    });
    expect(await scene.call('debug_traceTransaction', [increaseHash])).toEqual({ from: 'upstream' });
    expect(upstream.count('eth_getTransactionReceipt')).toBe(0);
  });

  it('runs if the upstream rejects valid parameters, and asks the upstream again', async () => {
    const { node, scene, upstream } = await serviceScene({
      served: new Set([...SERVED, 'debug_traceTransaction']),
      change: (method, result) => {
        if (method !== 'debug_traceTransaction') return result;
        throw new UpstreamRejectionError({ code: -32602, message: 'invalid params' });
      },
    });
    const params = [increaseHash, { tracer: 'callTracer' }];
    for (let count = 1; count <= 2; count++) {
      expect(await scene.call('debug_traceTransaction', params)).toEqual(
        await node.call('debug_traceTransaction', params),
      );
      expect(upstream.count('debug_traceTransaction')).toBe(count);
    }
  });

  it('reports state that the upstream does not store, with the remedy', async () => {
    const { scene } = await serviceScene({
      change: (method, result, params) => {
        if (method === 'eth_getBalance' && params.at(-1) === '0x2')
          throw new UpstreamRejectionError({ code: -32000, message: 'missing trie node' });
        return result;
      },
    });
    await expect(scene.call('trace_transaction', [increaseHash])).rejects.toThrow(
      /does not store the state for eth_getBalance.*use an archive node or a newer block/,
    );
  });

  it('reads accounts without code from nodes that return null for them', async () => {
    const { node, scene } = await serviceScene({
      change: (method, result) => (method === 'eth_getCode' && result === '0x' ? null : result),
    });
    expect(await scene.call('trace_transaction', [increaseHash])).toEqual(
      await node.call('trace_transaction', [increaseHash]),
    );
  });

  it('requests nothing again for a transaction of a block that it executed', async () => {
    const { scene, upstream } = await serviceScene();
    await scene.call('trace_transaction', [increaseHash]);
    const before = upstream.calls.length;
    await scene.call('inspect_transaction', [increaseHash]);
    expect(upstream.calls.slice(before).map(({ method }) => method)).toEqual(['inspect_transaction']);
  });

  it('ignores balances that were set on the local chain', async () => {
    const { node, scene } = await serviceScene();
    await scene.call('anvil_setBalance', [sender, '0x0']);
    await scene.call('anvil_setCode', [counter, '0x00']);
    const params = [increaseHash, { tracer: 'prestateTracer' }];
    expect(await scene.call('debug_traceTransaction', params)).toEqual(
      await node.call('debug_traceTransaction', params),
    );
  });

  /** A scene whose upstream holds back the code of accounts at block 2 until `release` is called. */
  async function heldScene() {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const scene = await serviceScene({
      change: async (method, result, params) => {
        if (method === 'eth_getCode' && params.at(-1) === '0x2') await held;
        return result;
      },
    });
    const untilHeld = async (): Promise<void> => {
      while (scene.upstream.count('eth_getCode') === 0) await new Promise((resolve) => setImmediate(resolve));
    };
    return { ...scene, untilHeld, release };
  }

  it('ends if all its clients disconnect, and can run again', async () => {
    const { scene, untilHeld, release } = await heldScene();
    const connections = [testConnection(), testConnection()];
    const answers = connections.map((connection) =>
      scene.call('trace_transaction', [increaseHash], connection),
    );
    const rejected = Promise.all(
      answers.map((answer) => expect(answer).rejects.toBeInstanceOf(ClientDisconnectedError)),
    );
    await untilHeld();
    for (const connection of connections) connection.close();
    release();
    await rejected;
    expect(await scene.call('trace_transaction', [increaseHash])).toHaveLength(1);
  });

  it('continues for other clients if one disconnects', async () => {
    const { scene, untilHeld, release } = await heldScene();
    const connection = testConnection();
    const first = scene.call('trace_transaction', [increaseHash], connection).catch(() => 'ended');
    await untilHeld();
    const second = scene.call('trace_transaction', [increaseHash]);
    connection.close();
    release();
    expect(await second).toHaveLength(1);
    await first;
  });

  it('keeps the answers correct for more blocks than are kept', async () => {
    const { node, scene } = await serviceScene();
    for (let round = 0; round < 2; round++)
      for (const [method, block] of [
        ['trace_block', '0x1'],
        ['trace_block', '0x2'],
        ['trace_block', '0x3'],
        ['trace_block', '0x4'],
        ['trace_call', '0x1'],
        ['trace_call', '0x2'],
        ['trace_call', '0x3'],
      ] as const) {
        const call = { from: sender, to: counter };
        const params = method === 'trace_call' ? [call, ['trace'], block] : [block];
        expect(await scene.call(method, params)).toEqual(await node.call(method, params));
      }
  });

  it('names the method and the remedy if a transaction has an unsupported type', async () => {
    const { scene } = await serviceScene({
      change: (method, result, [block, isFull]) => {
        if (method !== 'eth_getBlockByNumber' || block !== '0x3' || isFull !== true) return result;
        const { transactions } = result as { transactions: object[] };
        return withFields(result, {
          transactions: transactions.map((one) => withFields(one, { type: '0x7e' })),
        });
      },
    });
    await expect(scene.call('trace_transaction', [increaseHash])).rejects.toThrow(
      /cannot replay block 3 of the fork URL: .*unsupported type.*; use a fork URL that serves trace_transaction/,
    );
  });

  it('finds traces by a filter', async () => {
    const { node, scene } = await serviceScene();
    for (const filter of [
      { fromBlock: '0x0', toBlock: '0x4' },
      { fromBlock: '0x1', toBlock: 'latest', toAddress: [counter] },
      { fromBlock: '0x1', after: 1, count: 2 },
      { fromBlock: '0x1', fromAddress: [EXAMPLE.receiver] },
    ])
      expect(await scene.call('trace_filter', [filter])).toEqual(await node.call('trace_filter', [filter]));
  });
});

describe('the cache of a fork', () => {
  it('has all data for the replays of an earlier run', async () => {
    const cacheDirectory = await temporaryDirectory();
    const requests = [
      ['debug_traceTransaction', [increaseHash, { tracer: 'callTracer' }]],
      ['inspect_transaction', [failureHash]],
      ['trace_call', [{ from: sender, to: counter }, ['trace'], '0x1']],
    ] as const;
    const answers = async (fork: Partial<ForkOptions>) => {
      const { scene, upstream } = await serviceScene({ fork: { cacheDirectory, blockNumber: 4, ...fork } });
      const found: unknown[] = [];
      for (const [method, params] of requests) found.push(await scene.call(method, params));
      await scene.chain.close();
      return { found, count: upstream.calls.length };
    };
    const online = await answers({});
    const offline = await answers({ isOffline: true });
    expect(offline).toEqual({ found: online.found, count: 0 });
  });
});

describe('a simulation at an older block', () => {
  it('returns the calls of the node', async () => {
    const { node, scene } = await serviceScene();
    const data = encodeFunctionData({
      abi: readArtifact('shanghai', 'Counter').abi,
      functionName: 'increase',
      args: [1n],
    });
    const params = [{ blockStateCalls: [{ calls: [{ from: sender, to: counter, data }] }] }, '0x2'];
    const callsOf = (blocks: unknown): unknown => (blocks as { calls: unknown }[]).map(({ calls }) => calls);
    const strip = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (key, item) => (key === 'blockHash' ? undefined : item)));
    expect(strip(callsOf(await scene.call('eth_simulateV1', params)))).toEqual(
      strip(callsOf(await node.call('eth_simulateV1', params))),
    );
  });
});

describe('a replay by the rules of Ethereum', () => {
  it('traces each transaction of a block with several transactions', async () => {
    const node = await createRpcHarness({}, { ruleSet: 'prague', chainId: 1337 });
    const { bytecode, abi } = readArtifact('shanghai', 'Counter');
    await node.call('evm_setAutomine', [false]);
    const created = await node.call('eth_sendTransaction', [{ from: ALICE, data: bytecode, gas: '0x7a120' }]);
    await node.call('eth_sendTransaction', [{ from: BOB, to: CAROL, value: '0x5', type: '0x2' }]);
    await node.call('evm_mine');
    const receipt = (await node.call('eth_getTransactionReceipt', [created])) as { contractAddress: string };
    const to = receipt.contractAddress;
    const increase = (step: bigint): string =>
      encodeFunctionData({ abi, functionName: 'increase', args: [step] });
    const hashes: unknown[] = [];
    for (const [from, step] of [
      [ALICE, 1n],
      [BOB, 2n],
      [CAROL, 3n],
    ] as const)
      hashes.push(
        await node.call('eth_sendTransaction', [{ from, to, data: increase(step), gas: '0x30d40' }]),
      );
    await node.call('evm_mine');
    const { scene } = await serviceScene({ node, chain: { ruleSet: 'prague', chainId: 1337 } });
    for (const hash of hashes)
      for (const [method, ...options] of [
        ['debug_traceTransaction', { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }],
        ['trace_replayTransaction', ['trace', 'stateDiff']],
      ] as const) {
        const params = [hash, ...options];
        expect(await scene.call(method, params)).toEqual(await node.call(method, params));
      }
    expect(await scene.call('inspect_transaction', [hashes[2]])).toMatchObject({ exact: true });
    for (const block of ['0x1', '0x2'])
      expect(await scene.call('trace_block', [block])).toEqual(await node.call('trace_block', [block]));
  });
});

describe('a replay of a block of Rootstock', () => {
  it('pays the fees to REMASC, and includes its closing transaction', async () => {
    const node = await createRpcHarness({}, { remasc: true });
    const transaction = { from: ALICE, to: BOB, value: '0x1', gasPrice: '0x3b9aca00' };
    await node.call('hardhat_mine', ['0x14']);
    const hash = await node.call('eth_sendTransaction', [transaction]);
    const block = await node.call('eth_blockNumber');
    await node.call('evm_mine');
    const { scene } = await serviceScene({ node });
    const params = [hash, ['trace', 'stateDiff']];
    expect(await scene.call('trace_replayTransaction', params)).toEqual(
      await node.call('trace_replayTransaction', params),
    );
    expect(await scene.call('inspect_transaction', [hash])).toMatchObject({ exact: true });
    const { transactions } = (await node.call('eth_getBlockByNumber', [block, false])) as {
      transactions: string[];
    };
    const notices: string[] = [];
    scene.chain.events.on('notice', (text) => void notices.push(text));
    expect(await scene.call('debug_traceBlockByNumber', [block, { tracer: 'callTracer' }])).toMatchObject(
      transactions.map((txHash) => ({ txHash })),
    );
    // The payments depend on earlier blocks.
    expect(await scene.call('inspect_transaction', [transactions[1]])).toMatchObject({ exact: false });
    expect(notices).toEqual([]);
  });
});

describe('the state of a contract at an older block', () => {
  it('is inspected as on the node', async () => {
    const { node, scene } = await serviceScene();
    // The node cannot list the slots of the forked chain without names.
    expect(await scene.call('inspect_storage', [counter, '0x2'])).toEqual(
      withFields(await node.call('inspect_storage', [counter, '0x2']), { unnamedCount: null }),
    );
  });
});

describe('a long replay', () => {
  it('lets other requests run', async () => {
    const node = await createRpcHarness({}, { gasLimit: 500_000_000n });
    const loop = '0x5b600056';
    await node.call('anvil_setCode', [LOOP, loop]);
    await node.call('evm_mine');
    const call = { from: ALICE, to: LOOP, gas: '0x17d78400', gasPrice: '0x0' };
    const hash = await node.call('eth_sendTransaction', [call]);
    const { scene } = await serviceScene({ node, chain: { gasLimit: 500_000_000n } });
    let isDone = false;
    const trace = scene.call('trace_transaction', [hash]).then((found) => {
      isDone = true;
      return found;
    });
    let answered = 0;
    while (!isDone) {
      await scene.call('eth_chainId');
      answered++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await trace).toHaveLength(1);
    expect(answered).toBeGreaterThan(5);
  });
});

describe('a block access list of an older block', () => {
  it('is computed here', async () => {
    const chain = { ruleSet: 'amsterdam', chainId: 1337 } as const;
    const node = await createRpcHarness({}, chain);
    await node.call('eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x1' }]);
    await node.call('evm_mine');
    const { scene } = await serviceScene({ node, chain });
    for (const block of ['0x1', '0x2'])
      expect(await scene.call('eth_getBlockAccessList', [block])).toEqual(
        await node.call('eth_getBlockAccessList', [block]),
      );
  });
});
