import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ForkTransaction } from '../../src/fork/fork-options.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../rpc/example-chain.ts';
import { createRpcHarness } from '../rpc/rpc-harness.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { ALICE, branchOf, nodeOf, TEST_START } from '../support/test-chain.ts';
import { createForkScene, type ForkScene, type ForkSceneOptions } from './fork-scene.ts';
import { failedAnswer, ScriptedUpstream } from './scripted-upstream.ts';

const INCREASE_BY_ONE = `0x30f3f0db${'1'.padStart(64, '0')}`;
const SLOT = `0x${'0'.repeat(64)}`;

let node: ExampleChain;
let selector: string;

beforeAll(async () => {
  node = await createExampleChain();
  const code = (await node.call('eth_getTransactionByHash', [EXAMPLE.increaseHash])) as { input: string };
  selector = code.input.slice(0, 10);
});

function upstreamOf(harness: ExampleChain = node): ScriptedUpstream {
  return new ScriptedUpstream((method, params) => harness.call(method, params));
}

async function forkOf(options: ForkSceneOptions = {}): Promise<ForkScene & { upstream: ScriptedUpstream }> {
  const upstream = upstreamOf();
  return { upstream, ...(await createForkScene(upstream, options)) };
}

function increase(amount: bigint): string {
  return INCREASE_BY_ONE.replace('0x30f3f0db', selector).slice(0, 10) + amount.toString(16).padStart(64, '0');
}

async function send(scene: ForkScene, to: string, data = '0x', value = '0x0'): Promise<string> {
  return (await scene.call('eth_sendTransaction', [
    { from: ALICE, to, data, value, gas: '0x30000' },
  ])) as string;
}

function cacheDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'node-cli-fork-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

describe('a forked chain', () => {
  it('continues from the newest block of the upstream with its hash and limits', async () => {
    const scene = await forkOf();
    expect(await scene.call('eth_blockNumber')).toBe('0x4');
    await send(scene, EXAMPLE.receiver);
    const block = (await scene.call('eth_getBlockByNumber', ['0x5', false])) as Record<string, string>;
    expect(block).toMatchObject({ number: '0x5', parentHash: EXAMPLE.blockHashes[4], gasLimit: '0x1c9c380' });
    expect(await scene.call('eth_chainId')).toBe('0x21');
    expect(scene.chain.head().header.timestamp).toBe(1_700_000_005);
  });

  it('starts at --fork-block-number', async () => {
    const scene = await forkOf({ fork: { blockNumber: 2 } });
    expect(await scene.call('eth_blockNumber')).toBe('0x2');
    expect(await scene.call('eth_getStorageAt', [EXAMPLE.counter, SLOT, 'latest'])).toBe(SLOT);
    await expect(scene.call('eth_getBalance', [EXAMPLE.sender, '0x3'])).rejects.toThrow('3');
  });

  it('reads accounts, code and storage of the upstream', async () => {
    const scene = await forkOf();
    for (const [method, params] of [
      ['eth_getBalance', [EXAMPLE.receiver, 'latest']],
      ['eth_getTransactionCount', [EXAMPLE.sender, 'latest']],
      ['eth_getCode', [EXAMPLE.counter, 'latest']],
      ['eth_getStorageAt', [EXAMPLE.counter, SLOT, 'latest']],
    ] as const) {
      expect(await scene.call(method, params)).toEqual(await node.call(method, params));
    }
  });

  it('funds its development accounts without changes on the upstream', async () => {
    const scene = await forkOf();
    expect(await scene.call('eth_getBalance', [ALICE, 'latest'])).toBe(`0x${(10n ** 20n).toString(16)}`);
    expect(await node.call('eth_getBalance', [ALICE, 'latest'])).toBe('0x0');
  });

  it.each(['wasm', 'reference'] as const)(
    'runs contracts of the upstream on the %s engine',
    async (engine) => {
      const scene = await forkOf({ chain: { engine } });
      const call = { from: ALICE, to: EXAMPLE.counter, data: increase(5n) };
      await scene.call('eth_estimateGas', [call]);
      const hash = await send(scene, EXAMPLE.counter, increase(5n));
      const receipt = (await scene.call('eth_getTransactionReceipt', [hash])) as {
        status: string;
        logs: unknown[];
      };
      expect(receipt.status).toBe('0x1');
      expect(receipt.logs).toHaveLength(1);
      expect(await scene.call('eth_getStorageAt', [EXAMPLE.counter, SLOT, 'latest'])).toBe(
        `0x${(47).toString(16).padStart(64, '0')}`,
      );
      expect(await scene.call('eth_getStorageAt', [EXAMPLE.counter, SLOT, '0x4'])).toBe(
        `0x${(42).toString(16).padStart(64, '0')}`,
      );
      expect(await node.call('eth_blockNumber')).toBe('0x4');
    },
  );

  it('requests each value once, and batches simultaneous requests', async () => {
    const scene = await forkOf();
    const { upstream } = scene;
    const before = upstream.posts.length;
    await Promise.all(
      Array.from({ length: 20 }, () => scene.call('eth_getBalance', [EXAMPLE.receiver, 'latest'])),
    );
    // One request checks that the upstream has the pinned block.
    expect(upstream.posts.length - before).toBe(2);
    expect(upstream.count('eth_getCode', EXAMPLE.receiver)).toBe(1);
    await scene.call('eth_getBalance', [EXAMPLE.receiver, 'latest']);
    expect(upstream.posts.length - before).toBe(2);
  });

  it('sends no requests in a second run with the cache', async () => {
    const directory = cacheDirectory();
    const fork = { blockNumber: 4, cacheDirectory: directory };
    const run = async (scene: ForkScene): Promise<unknown[]> => [
      await scene.call('eth_chainId'),
      await send(scene, EXAMPLE.counter, increase(1n)),
      await scene.call('eth_getBalance', [EXAMPLE.receiver, 'latest']),
      await scene.call('eth_getBalance', [EXAMPLE.receiver, '0x1']),
      await scene.call('eth_getBlockByNumber', ['0x3', true]),
      await scene.call('eth_getTransactionReceipt', [EXAMPLE.increaseHash]),
      await scene.call('eth_getLogs', [{ fromBlock: 'earliest' }]),
      await scene.call('debug_traceTransaction', [EXAMPLE.increaseHash, { tracer: 'callTracer' }]),
    ];
    const first = await forkOf({ fork });
    const answers = await run(first);
    expect(first.upstream.calls.length).toBeGreaterThan(0);
    const second = await forkOf({ fork });
    expect(await run(second)).toEqual(answers);
    expect(second.upstream.posts).toEqual([]);
    const offline = await forkOf({ fork: { ...fork, isOffline: true } });
    expect(await run(offline)).toEqual(answers);
    const unknown = `0x${'77'.repeat(20)}`;
    await expect(offline.call('eth_getBalance', [unknown, 'latest'])).rejects.toMatchObject({
      code: -32000,
      message: `the fork is offline and has no cached data of account ${unknown}; start once with --fork-url <url> --fork-block-number 4 and without --offline to fetch it`,
    });
    expect(offline.upstream.posts).toEqual([]);
  });

  it('opens the newest block of an earlier run offline by its number', async () => {
    const cached = cacheDirectory();
    const first = await forkOf({ fork: { cacheDirectory: cached } });
    const asked = ['eth_getBalance', [EXAMPLE.receiver, 'latest']] as const;
    const balance = await first.call(...asked);
    const offline = { cacheDirectory: cached, isOffline: true };
    await expect(forkOf({ fork: offline })).rejects.toMatchObject({
      code: -32000,
      message:
        '--offline requires --fork-block-number, because the newest block is unknown offline; the cache has block 4: pass --fork-block-number 4',
    });
    const second = await forkOf({ fork: { ...offline, blockNumber: 4 } });
    expect(await second.call(...asked)).toBe(balance);
    expect(await second.call('eth_getBlockByNumber', ['latest', false])).toMatchObject({
      hash: EXAMPLE.blockHashes[4],
    });
    expect(second.upstream.posts).toEqual([]);
  });

  it('checks the newest block of an earlier run again after ten minutes', async () => {
    const fork = { cacheDirectory: cacheDirectory() };
    await forkOf({ fork });
    const soon = await forkOf({ fork: { ...fork, blockNumber: 4 } });
    expect(soon.upstream.count('eth_getBlockByNumber')).toBe(0);
    const time = createFakeTime(TEST_START);
    await time.advance(10 * 60_000);
    const later = await forkOf({ fork: { ...fork, blockNumber: 4 }, time });
    expect(later.upstream.count('eth_getBlockByNumber')).toBe(1);
  });

  it('reports the options that fetch an uncached fork block', async () => {
    const fork = { cacheDirectory: cacheDirectory(), isOffline: true };
    await expect(forkOf({ fork })).rejects.toMatchObject({
      message:
        '--offline requires --fork-block-number, because the newest block is unknown offline; the cache has no block of this URL: start once without --offline',
    });
    await expect(forkOf({ fork: { ...fork, chainId: 33, blockNumber: 3 } })).rejects.toMatchObject({
      code: -32000,
      message:
        'the fork is offline and has no cached response to eth_getBlockByNumber ["0x3",false]; start once with --fork-url <url> --fork-block-number 3 and without --offline to fetch it',
    });
    for (const [option, isApplied] of [
      ['--fork-transaction-hash', true],
      ['--fork-before-transaction', false],
    ] as const) {
      const transaction = { hash: fromHex(EXAMPLE.increaseHash), isApplied };
      await expect(forkOf({ fork: { ...fork, chainId: 33, transaction } })).rejects.toMatchObject({
        message: expect.stringContaining(
          `; start once with --fork-url <url> ${option} ${EXAMPLE.increaseHash} and without --offline to fetch it`,
        ),
      });
    }
  });

  it('answers requests about blocks before the fork like the upstream', async () => {
    const scene = await forkOf({ fork: { blockNumber: 3 } });
    for (const [method, params] of [
      ['eth_getBlockByNumber', ['0x3', true]],
      ['eth_getBlockByNumber', ['latest', false]],
      ['eth_getBlockByHash', [EXAMPLE.blockHashes[1], false]],
      ['eth_getBlockTransactionCountByNumber', ['0x1']],
      ['eth_getTransactionByHash', [EXAMPLE.increaseHash]],
      ['eth_getTransactionReceipt', [EXAMPLE.increaseHash]],
      ['eth_getTransactionByBlockNumberAndIndex', ['0x2', '0x0']],
      ['eth_getBlockReceipts', ['0x3']],
      ['debug_traceTransaction', [EXAMPLE.creationHash, { tracer: 'callTracer' }]],
      ['trace_block', ['0x1']],
      ['eth_call', [{ to: EXAMPLE.counter, data: '0x' }, '0x1']],
      ['eth_getProof', [EXAMPLE.receiver, [], '0x2']],
    ] as const) {
      const given = method === 'eth_getBlockByNumber' && params[0] === 'latest' ? ['0x3', false] : params;
      expect(await scene.call(method, params)).toEqual(await node.call(method, given));
    }
  });

  it('hides blocks and transactions of the upstream after the fork block', async () => {
    const scene = await forkOf({ fork: { blockNumber: 3 } });
    expect(await scene.call('eth_getTransactionByHash', [EXAMPLE.failureHash])).toBeNull();
    expect(await scene.call('eth_getTransactionReceipt', [EXAMPLE.failureHash])).toBeNull();
    expect(await scene.call('eth_getBlockByHash', [EXAMPLE.blockHashes[4], false])).toBeNull();
    expect(await scene.call('eth_getTransactionByHash', [EXAMPLE.queuedHash])).toBeNull();
  });

  it('merges logs, fees and traces of blocks before and after the fork', async () => {
    const scene = await forkOf();
    await send(scene, EXAMPLE.counter, increase(1n));
    const logs = (await scene.call('eth_getLogs', [{ fromBlock: 'earliest', address: EXAMPLE.counter }])) as {
      blockNumber: string;
    }[];
    expect(logs.map(({ blockNumber }) => blockNumber)).toEqual(['0x3', '0x5']);
    const filter = await scene.call('eth_newFilter', [{ fromBlock: '0x1', address: EXAMPLE.counter }]);
    expect(await scene.call('eth_getFilterLogs', [filter])).toEqual(logs);
    const fees = (await scene.call('eth_feeHistory', ['0x3', 'latest', [50]])) as Record<string, unknown[]>;
    expect(fees.oldestBlock).toBe('0x3');
    expect(fees.baseFeePerGas).toHaveLength(4);
    expect(fees.gasUsedRatio).toHaveLength(3);
    expect(fees.reward).toHaveLength(3);
    const traces = (await scene.call('trace_filter', [{ fromBlock: '0x1', toBlock: '0x5' }])) as {
      blockNumber: number;
    }[];
    expect(traces.map(({ blockNumber }) => blockNumber)).toEqual([1, 2, 3, 4, 5]);
    const later = await scene.call('trace_filter', [
      { fromBlock: '0x1', toBlock: '0x5', after: 3, count: 2 },
    ]);
    expect(later).toEqual(traces.slice(3));
  });

  it('finds logs of both sides by block hash, and rejects ranges above both log limits', async () => {
    const scene = await forkOf({ rpc: { logLimits: { blocks: 5, logs: 1 } } });
    await send(scene, EXAMPLE.counter, increase(1n));
    const { hash } = (await scene.call('eth_getBlockByNumber', ['latest', false])) as { hash: string };
    for (const [blockHash, number] of [
      [EXAMPLE.blockHashes[3], '0x3'],
      [hash, '0x5'],
    ])
      expect(await scene.call('eth_getLogs', [{ blockHash }])).toMatchObject([{ blockNumber: number }]);
    expect(await scene.call('eth_getLogs', [{ blockHash: EXAMPLE.blockHashes[1] }])).toEqual([]);
    // Five blocks with two logs are within the block limit. Six blocks with one log are within the log limit.
    expect(await scene.call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x5' }])).toHaveLength(2);
    const asked = { fromBlock: '0x0', address: EXAMPLE.counter };
    expect(await scene.call('eth_getLogs', [{ ...asked, toBlock: '0x4' }])).toHaveLength(1);
    await expect(scene.call('eth_getLogs', [{ ...asked, toBlock: '0x5' }])).rejects.toMatchObject({
      code: -32012,
    });
    await scene.call('hardhat_mine', ['0x3']);
    await scene.call('evm_revert', [await scene.call('evm_snapshot')]);
    expect(await scene.call('eth_getLogs', [{ fromBlock: '0x4', toBlock: '0x8' }])).toHaveLength(1);
    const unlimited = await forkOf({ rpc: { logLimits: { blocks: 0, logs: 0 } } });
    await send(unlimited, EXAMPLE.counter, increase(1n));
    expect(await unlimited.call('eth_getLogs', [{ ...asked, toBlock: '0x5' }])).toHaveLength(2);
  });

  it('ends a fee history with the fee of the local block after the fork', async () => {
    const busy = await createRpcHarness({}, { ruleSet: 'prague' });
    const upstream = new ScriptedUpstream((method, params) => busy.call(method, params));
    const scene = await createForkScene(upstream);
    await scene.call('hardhat_setNextBlockBaseFeePerGas', ['0x77359400']);
    await scene.call('evm_mine');
    const fees = (await scene.call('eth_feeHistory', ['0x1', '0x0', []])) as Record<string, unknown[]>;
    expect(fees.baseFeePerGas?.at(-1)).toBe('0x77359400');
  });

  it('searches the upstream without results after the fork block', async () => {
    const scene = await forkOf({ fork: { blockNumber: 3 } });
    const { sender } = EXAMPLE;
    expect(await scene.call('ots_getTransactionBySenderAndNonce', [sender, 2])).toBe(EXAMPLE.increaseHash);
    expect(await scene.call('eth_getTransactionBySenderAndNonce', [sender, '0x2'])).toMatchObject({
      hash: EXAMPLE.increaseHash,
    });
    expect(await scene.call('ots_getTransactionBySenderAndNonce', [sender, 3])).toBeNull();
    expect(await scene.call('eth_getTransactionBySenderAndNonce', [sender, '0x3'])).toBeNull();
    expect(await scene.call('ots_getContractCreator', [EXAMPLE.counter])).toMatchObject({ creator: sender });
    const before = await forkOf({ fork: { blockNumber: 1 } });
    expect(await before.call('ots_getContractCreator', [EXAMPLE.counter])).toBeNull();
  });

  it('answers eth_callMany, raw transactions and storage ranges at upstream blocks', async () => {
    const scene = await forkOf({ fork: { blockNumber: 3 } });
    const bundles = [{ transactions: [{ to: EXAMPLE.counter, data: '0x06661abd' }] }];
    for (const [method, params] of [
      ['eth_callMany', [bundles, { blockNumber: '0x2' }]],
      ['eth_callMany', [bundles, { blockNumber: '0x2', transactionIndex: 0 }]],
      ['debug_getRawTransactions', ['0x2']],
      ['debug_storageRangeAt', [EXAMPLE.blockHashes[3], 0, EXAMPLE.counter, '0x0', 10]],
    ] as const) {
      expect(await scene.call(method, params)).toEqual(await node.call(method, params));
    }
  });

  it('rejects storage ranges and account dumps after the fork', async () => {
    const scene = await forkOf();
    await send(scene, EXAMPLE.counter, increase(1n));
    const { hash } = (await scene.call('eth_getBlockByNumber', ['latest', false])) as { hash: string };
    await expect(
      scene.call('debug_storageRangeAt', [hash, 0, EXAMPLE.counter, '0x0', 10]),
    ).rejects.toMatchObject({ code: -32000, message: /whole/ });
    await expect(scene.call('debug_dumpBlock', ['latest'])).rejects.toMatchObject({ code: -32000 });
  });

  it('changes accounts of the upstream with anvil_set methods', async () => {
    const scene = await forkOf();
    const { counter, receiver } = EXAMPLE;
    await scene.call('anvil_setBalance', [receiver, '0x7']);
    await scene.call('anvil_setNonce', [receiver, '0x9']);
    await scene.call('anvil_setStorageAt', [counter, SLOT, SLOT]);
    expect(await scene.call('eth_getBalance', [receiver, 'latest'])).toBe('0x7');
    expect(await scene.call('eth_getTransactionCount', [receiver, 'latest'])).toBe('0x9');
    expect(await scene.call('eth_getStorageAt', [counter, SLOT, 'latest'])).toBe(SLOT);
    await scene.call('anvil_setCode', [counter, '0x']);
    expect(await scene.call('eth_getCode', [counter, 'latest'])).toBe('0x');
    await scene.call('anvil_impersonateAccount', [counter]);
    await scene.call('anvil_setBalance', [counter, '0x100']);
    await scene.call('eth_sendTransaction', [{ from: counter, to: receiver, value: '0x1' }]);
    expect(await scene.call('eth_getBalance', [receiver, 'latest'])).toBe('0x8');
  });

  it('shares fetched values with snapshots and lanes', async () => {
    const scene = await forkOf();
    const snapshot = await scene.call('evm_snapshot');
    await send(scene, EXAMPLE.counter, increase(1n));
    const lane = await branchOf(scene.chain);
    expect(await scene.call('evm_revert', [snapshot])).toBe(true);
    const slot = (chain: typeof lane) => async (): Promise<string> => {
      const { state } = await chain.view({ tag: 'latest' });
      return toHex(state.storageAt(fromHex(EXAMPLE.counter), fromHex(SLOT)));
    };
    const asked = scene.upstream.posts.length;
    expect(await slot(scene.chain)()).toBe('0x2a');
    expect(await slot(lane)()).toBe('0x2b');
    expect(nodeOf(lane).fork.current).toBe(scene.fork);
    await send(scene, EXAMPLE.counter, increase(2n));
    expect(await slot(scene.chain)()).toBe('0x2c');
    expect(scene.upstream.posts.length).toBe(asked);
  });

  it('returns hashes of blocks before the fork from BLOCKHASH', async () => {
    const scene = await forkOf();
    // Returns BLOCKHASH of the block in the first word of the data.
    const code = '0x5f354060005260206000f3';
    await scene.call('anvil_setCode', [`0x${'99'.repeat(20)}`, code]);
    await scene.call('evm_mine');
    for (const [number, hash] of EXAMPLE.blockHashes.entries()) {
      const data = `0x${number.toString(16).padStart(64, '0')}`;
      expect(await scene.call('eth_call', [{ to: `0x${'99'.repeat(20)}`, data }, 'latest'])).toBe(hash);
    }
  });

  it('reports the fork in its metadata, with masked secrets in the URL', async () => {
    const scene = await forkOf();
    const info = (await scene.call('anvil_nodeInfo')) as { forkConfig: unknown };
    expect(info.forkConfig).toEqual({
      forkUrl: 'https://node.example/v2/***',
      forkBlockNumber: 4,
      forkRetryBackoff: 1_000,
    });
    expect(await scene.call('hardhat_metadata')).toMatchObject({
      forkedNetwork: { chainId: 33, forkBlockNumber: 4, forkBlockHash: EXAMPLE.blockHashes[4] },
    });
  });

  it('keeps the chain id, gas limit and rules of its options', async () => {
    const scene = await forkOf({ chain: { ruleSet: 'cancun' } });
    expect(scene.chain.ruleSet.name).toBe('cancun');
    const settings = { chainId: 7, gasLimit: 1n, minimumGasPrice: 2n };
    const fixed = { chainId: true, gasLimit: true, minimumGasPrice: true };
    expect(scene.fork.settingsOn(settings, fixed)).toEqual(settings);
  });
});

describe('a fork before a transaction', () => {
  it('runs only the preceding transactions of the block', async () => {
    const busy = await createExampleChain();
    await busy.call('evm_setAutomine', [false]);
    const from = EXAMPLE.sender;
    const hashes: unknown[] = [];
    for (const value of ['0x1', '0x2', '0x4']) {
      hashes.push(await busy.call('eth_sendTransaction', [{ from, to: EXAMPLE.receiver, value }]));
    }
    await busy.call('evm_mine');
    const transaction = { hash: fromHex(String(hashes[2])), isApplied: false };
    const fork = { transaction, cacheDirectory: cacheDirectory() };
    const scene = await createForkScene(upstreamOf(busy), { fork });
    expect(await scene.call('eth_blockNumber')).toBe('0x5');
    const balance = BigInt(String(await scene.call('eth_getBalance', [EXAMPLE.receiver, 'latest'])));
    const before = BigInt(String(await busy.call('eth_getBalance', [EXAMPLE.receiver, '0x4'])));
    expect(balance - before).toBe(3n);
    expect(await scene.call('eth_getTransactionReceipt', [hashes[1]])).toMatchObject({ status: '0x1' });
    expect(await scene.call('eth_getTransactionReceipt', [hashes[2]])).toBeNull();
    expect(await scene.call('eth_getBlockByNumber', ['0x4', false])).toEqual(
      await busy.call('eth_getBlockByNumber', ['0x4', false]),
    );

    const upstream = upstreamOf(busy);
    const again = await createForkScene(upstream, { fork: { ...fork, isOffline: true } });
    expect(await again.call('eth_getBlockByNumber', ['latest', true])).toEqual(
      await scene.call('eth_getBlockByNumber', ['latest', true]),
    );
    expect(upstream.posts).toEqual([]);
  });
});

describe('a fork after a transaction', () => {
  /** A chain with a block 5 of three transfers to the receiver: 1, 2 and 4 wei. */
  async function busyChain(): Promise<{ readonly busy: ExampleChain; readonly hashes: readonly string[] }> {
    const busy = await createExampleChain();
    await busy.call('evm_setAutomine', [false]);
    const hashes: string[] = [];
    for (const value of ['0x1', '0x2', '0x4']) {
      const transfer = { from: EXAMPLE.sender, to: EXAMPLE.receiver, value };
      hashes.push(String(await busy.call('eth_sendTransaction', [transfer])));
    }
    await busy.call('evm_mine');
    return { busy, hashes };
  }

  function at(hash: string | undefined): { readonly transaction: ForkTransaction } {
    return { transaction: { hash: fromHex(String(hash)), isApplied: true } };
  }

  it('runs the transaction and the preceding transactions of the block', async () => {
    const { busy, hashes } = await busyChain();
    const fork = { ...at(hashes[1]), cacheDirectory: cacheDirectory() };
    const scene = await createForkScene(upstreamOf(busy), { fork });
    expect(await scene.call('eth_blockNumber')).toBe('0x5');
    const balance = BigInt(String(await scene.call('eth_getBalance', [EXAMPLE.receiver, 'latest'])));
    const before = BigInt(String(await busy.call('eth_getBalance', [EXAMPLE.receiver, '0x4'])));
    expect(balance - before).toBe(3n);
    for (const hash of hashes.slice(0, 2))
      expect(await scene.call('eth_getTransactionReceipt', [hash])).toMatchObject({
        status: '0x1',
        blockNumber: '0x5',
      });
    expect(await scene.call('eth_getTransactionReceipt', [hashes[2]])).toBeNull();

    const upstream = upstreamOf(busy);
    const again = await createForkScene(upstream, { fork: { ...fork, isOffline: true } });
    expect(await again.call('eth_getBlockByNumber', ['latest', true])).toEqual(
      await scene.call('eth_getBlockByNumber', ['latest', true]),
    );
    expect(upstream.posts).toEqual([]);
  });

  it('starts as a fork before the next transaction', async () => {
    const { busy, hashes } = await busyChain();
    const after = await createForkScene(upstreamOf(busy), { fork: at(hashes[0]) });
    const transaction = { hash: fromHex(hashes[1] ?? ''), isApplied: false };
    const before = await createForkScene(upstreamOf(busy), { fork: { transaction } });
    const block = ['eth_getBlockByNumber', ['latest', true]] as const;
    expect(await after.call(...block)).toEqual(await before.call(...block));
  });

  it('runs all transactions of the block for its last transaction', async () => {
    const { busy, hashes } = await busyChain();
    const scene = await createForkScene(upstreamOf(busy), { fork: at(hashes[2]) });
    const balance = ['eth_getBalance', [EXAMPLE.receiver, 'latest']] as const;
    expect(await scene.call(...balance)).toBe(await busy.call(...balance));
  });

  it('is rejected for an unknown transaction and for a transaction that closes its block', async () => {
    const { busy, hashes } = await busyChain();
    await expect(
      createForkScene(upstreamOf(busy), { fork: at(`0x${'ab'.repeat(32)}`) }),
    ).rejects.toMatchObject({ message: `the fork URL has no mined transaction 0x${'ab'.repeat(32)}` });
    const upstream = new ScriptedUpstream(async (method, params) => {
      const answer = await busy.call(method, params);
      if (method !== 'eth_getBlockByNumber' || params[1] !== true) return answer;
      const { transactions, ...block } = answer as { transactions: object[] };
      const last = { ...transactions[2], from: `0x${'0'.repeat(40)}`, r: '0x0' };
      return { ...block, transactions: [...transactions.slice(0, 2), last] };
    });
    await expect(createForkScene(upstream, { fork: at(hashes[2]) })).rejects.toMatchObject({
      message: `--fork-transaction-hash: transaction ${hashes[2]} closes its block and cannot be executed here; pass --fork-block-number 5`,
    });
  });
});

describe('a reset of a fork', () => {
  it('changes to another block of the same upstream, and back to the start', async () => {
    const scene = await forkOf();
    await send(scene, EXAMPLE.receiver);
    await scene.call('hardhat_reset', [{ forking: { blockNumber: 2 } }]);
    expect(await scene.call('eth_blockNumber')).toBe('0x2');
    expect(await scene.call('eth_getStorageAt', [EXAMPLE.counter, SLOT, 'latest'])).toBe(SLOT);
    await send(scene, EXAMPLE.receiver);
    expect(await scene.call('eth_blockNumber')).toBe('0x3');
    await scene.call('hardhat_reset', []);
    expect(await scene.call('eth_blockNumber')).toBe('0x4');
    expect(nodeOf(scene.chain).fork.current).toBe(scene.fork);
  });

  it('changes to another upstream, unless the block does not exist', async () => {
    const scene = await forkOf();
    const forking = { jsonRpcUrl: 'https://other.example', blockNumber: '0x1' };
    await scene.call('anvil_reset', [{ forking }]);
    expect(scene.upstream.posts.at(-1)?.url).toBe('https://other.example');
    expect(await scene.call('eth_blockNumber')).toBe('0x1');
    await expect(
      scene.call('anvil_reset', [{ forking: { ...forking, blockNumber: 99 } }]),
    ).rejects.toMatchObject({
      code: -32000,
      message: 'the fork URL has no block 99: its newest block is 4',
    });
    expect(await scene.call('eth_blockNumber')).toBe('0x1');
  });
});

describe('a fork with a failing upstream', () => {
  it('stays usable and requests missing values again after a failure', async () => {
    const scene = await forkOf({ fork: { retries: 0 } });
    await send(scene, EXAMPLE.receiver);
    scene.upstream.script = () => failedAnswer(503, 'maintenance of key 0123456789abcdefghij');
    const unknown = `0x${'77'.repeat(20)}`;
    const refusal = {
      code: -32000,
      message:
        'no response from the fork URL to eth_getTransactionCount after one attempt: https://node.example/v2/***: HTTP 503: maintenance of key ***',
    };
    await expect(scene.call('eth_getBalance', [unknown, 'latest'])).rejects.toMatchObject(refusal);
    await expect(send(scene, unknown)).rejects.toMatchObject(refusal);
    expect(await scene.call('eth_blockNumber')).toBe('0x5');
    expect(await scene.call('txpool_status')).toEqual({ pending: 0, queued: 0 });
    await send(scene, EXAMPLE.receiver);
    scene.upstream.script = () => undefined;
    await send(scene, unknown);
    expect(await scene.call('eth_blockNumber')).toBe('0x7');
  });

  it('rejects an upstream with another hash at the fork block', async () => {
    const directory = cacheDirectory();
    const fork = { blockNumber: 4, cacheDirectory: directory, retries: 0 };
    await forkOf({ fork });
    const other = await createExampleChain();
    await other.call('anvil_reset');
    await other.call('anvil_mine', ['0x8']);
    const scene = await createForkScene(upstreamOf(other), { fork });
    await expect(scene.call('eth_getBalance', [EXAMPLE.receiver, 'latest'])).rejects.toThrow(
      'but the fork block is',
    );
    const again = await createForkScene(upstreamOf(other), { fork });
    expect(again.fork.upstream.pin.hash).not.toEqual(scene.fork.upstream.pin.hash);
  });

  it('does not reuse the cached chain id of another chain at the same URL', async () => {
    const fork = { cacheDirectory: cacheDirectory(), retries: 0 };
    await forkOf({ fork: { ...fork, blockNumber: 3 } });
    const other = new ScriptedUpstream((method, params) =>
      method === 'eth_chainId' ? '0x2a' : node.call(method, params),
    );
    const scene = await createForkScene(other, { fork: { ...fork, blockNumber: 2 } });
    expect(scene.fork.chainId).toBe(42);
  });

  it('uses another node after anvil_setRpcUrl', async () => {
    const scene = await forkOf({ fork: { retries: 0 } });
    scene.upstream.script = ({ url }) => (url.includes('second') ? undefined : failedAnswer(500));
    await expect(scene.call('eth_getBalance', [EXAMPLE.receiver, 'latest'])).rejects.toThrow('HTTP 500');
    await scene.call('anvil_setRpcUrl', ['https://second.example']);
    expect(await scene.call('eth_getTransactionCount', [EXAMPLE.receiver, 'latest'])).toBe('0x0');
  });
});
