import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isSameMark } from '../../src/persistence/dump/chain-dump.ts';
import { openDump } from '../../src/persistence/dump/dump-file.ts';
import { DumpText } from '../../src/persistence/dump/dump-text.ts';
import { readForkRecord } from '../../src/persistence/dump/fork-json.ts';
import { readContent } from '../../src/persistence/dump/read-content.ts';
import { fromHex } from '../../src/primitives/hex.ts';
import { fetchingState } from '../../src/state/state-source.ts';
import { answers, type Change, outcome, steps, take } from '../chain/random-history.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../rpc/example-chain.ts';
import { recordedFile } from '../support/anvil-eras.ts';
import { ALICE, createTestChain, nodeOf } from '../support/test-chain.ts';
import { createForkScene, type ForkScene, type ForkSceneOptions, UPSTREAM_URL } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

const SLOT = `0x${'0'.repeat(64)}`;
const PLAIN = { isCompressed: false, withKeys: false };
const STRANGER = `0x${'77'.repeat(20)}`;
const OPEN_URL = 'http://open.example:4444';

let node: ExampleChain;
let selector: string;

type Scene = ForkScene & { readonly upstream: ScriptedUpstream };

beforeAll(async () => {
  node = await createExampleChain();
  const code = (await node.call('eth_getTransactionByHash', [EXAMPLE.increaseHash])) as { input: string };
  selector = code.input.slice(0, 10);
});

async function forkOf(options: ForkSceneOptions = {}, harness: ExampleChain = node): Promise<Scene> {
  const upstream = new ScriptedUpstream((method, params) => harness.call(method, params));
  return { upstream, ...(await createForkScene(upstream, options)) };
}

async function send(scene: ForkScene, to: string, data = '0x', value = '0x0'): Promise<unknown> {
  return scene.call('eth_sendTransaction', [{ from: ALICE, to, data, value, gas: '0x30000' }]);
}

async function increase(scene: ForkScene): Promise<unknown> {
  return send(scene, EXAMPLE.counter, `${selector}${'1'.padStart(64, '0')}`);
}

/** Makes every kind of change that a fork keeps. */
async function live(scene: ForkScene): Promise<void> {
  await increase(scene);
  await scene.call('evm_snapshot');
  await scene.call('anvil_setStorageAt', [EXAMPLE.counter, SLOT, SLOT]);
  await send(scene, EXAMPLE.receiver, '0x', '0x5');
  await scene.call('anvil_setCode', [EXAMPLE.counter, '0x']);
  await scene.call('hardhat_mine', ['0x100']);
  await scene.call('anvil_setBalance', [EXAMPLE.queuedSender, '0x0']);
  await scene.call('evm_snapshot');
  await scene.call('anvil_setBalance', [STRANGER, '0x9']);
  await scene.call('evm_mine');
}

/** Reads local blocks and blocks before the fork. */
async function questions(scene: ForkScene): Promise<unknown[]> {
  const found: unknown[] = [];
  const addresses = [ALICE, EXAMPLE.receiver, EXAMPLE.counter, EXAMPLE.queuedSender, STRANGER];
  for (const block of ['0x1', '0x4', '0x5', '0x6', '0x7', '0x50', 'latest']) {
    for (const address of addresses) {
      found.push(await scene.call('eth_getBalance', [address, block]));
      found.push(await scene.call('eth_getTransactionCount', [address, block]));
      found.push(await scene.call('eth_getCode', [address, block]));
    }
    found.push(await scene.call('eth_getStorageAt', [EXAMPLE.counter, SLOT, block]));
    found.push(await scene.call('eth_getBlockByNumber', [block, true]));
  }
  found.push(await scene.call('eth_getLogs', [{ fromBlock: 'earliest' }]));
  found.push(await scene.call('eth_getTransactionReceipt', [EXAMPLE.increaseHash]));
  found.push(await scene.call('eth_chainId'));
  return found;
}

async function text(scene: ForkScene): Promise<string> {
  return Buffer.from(await nodeOf(scene.chain).dump.write(PLAIN)).toString();
}

async function load(scene: ForkScene, dump: string): Promise<void> {
  await nodeOf(scene.chain).dump.load(Buffer.from(dump));
}

describe('a dump of a fork', () => {
  it('contains the fork without the secrets of its URL', async () => {
    const scene = await forkOf({
      fork: { urls: ['https://user:word@node.example/v2/0123456789abcdefghij?key=abc'] },
    });
    const dump = await text(scene);
    const [, line = ''] = dump.split('\n');
    expect(JSON.parse(line)).toMatchObject({
      fork: {
        urls: ['https://***@node.example/v2/***?key=***'],
        chainId: 33,
        number: 4,
        hash: EXAMPLE.blockHashes[4],
        isComplete: false,
      },
    });
    expect(dump).not.toMatch(/word|0123456789abcdefghij|abc"/);
  });

  it('answers hashes and counts of a cached full block offline', async () => {
    const scene = await forkOf({ fork: { dumpsFetched: true } });
    const hash = EXAMPLE.blockHashes[3];
    await scene.call('eth_getBlockByNumber', ['0x2', true]);
    await scene.call('eth_getBlockByHash', [hash, true]);
    const record = await readForkRecord(DumpText.plain(Buffer.from(await text(scene))));
    if (record === null) throw new Error('the dump tells of no fork');
    const offline = await forkOf({ record, fork: { urls: [] } });
    for (const [method, params] of [
      ['eth_getBlockByNumber', ['0x2', false]],
      ['eth_getBlockByHash', [hash, false]],
      ['eth_getBlockTransactionCountByNumber', ['0x2']],
      ['eth_getBlockTransactionCountByHash', [hash]],
      ['eth_getUncleCountByBlockNumber', ['0x2']],
      ['eth_getUncleCountByBlockHash', [hash]],
    ] as const) {
      expect(await offline.call(method, params)).toEqual(await node.call(method, params));
    }
    expect(offline.upstream.posts).toEqual([]);
    await expect(offline.call('eth_getBlockByNumber', ['0x1', false])).rejects.toThrow('offline');
  });

  it('loads into a fork of the same block with all blocks and snapshots', async () => {
    const scene = await forkOf();
    await live(scene);
    const dump = await text(scene);
    const twin = await forkOf();
    await load(twin, dump);
    expect(await text(twin)).toBe(dump);
    expect(await questions(twin)).toEqual(await questions(scene));
    for (const id of ['0x2', '0x1']) {
      expect(await twin.call('evm_revert', [id])).toBe(true);
      expect(await scene.call('evm_revert', [id])).toBe(true);
      expect(await twin.call('eth_getStorageAt', [EXAMPLE.counter, SLOT, 'latest'])).toEqual(
        await scene.call('eth_getStorageAt', [EXAMPLE.counter, SLOT, 'latest']),
      );
      expect(await increase(twin)).toBe(await increase(scene));
      expect(await text(twin)).toBe(await text(scene));
    }
  });

  it('replaces a fork of another block, and a reset returns to the start', async () => {
    const scene = await forkOf({ fork: { urls: [OPEN_URL] } });
    await live(scene);
    const dump = await text(scene);
    const other = await forkOf();
    await other.call('hardhat_reset', [{ forking: { blockNumber: 2 } }]);
    await load(other, dump);
    expect(await questions(other)).toEqual(await questions(scene));
    await other.call('hardhat_reset');
    expect(await other.call('eth_blockNumber')).toBe('0x4');
    expect(nodeOf(other.chain).fork.current).toBe(other.fork);
  });

  it('is replaced by a dump of a chain with its own genesis', async () => {
    const { chain: plain } = await createTestChain();
    await plain.mine();
    const scene = await forkOf();
    await live(scene);
    await nodeOf(scene.chain).dump.load(await nodeOf(plain).dump.write(PLAIN));
    expect(nodeOf(scene.chain).fork.current).toBeNull();
    expect(await scene.call('eth_blockNumber')).toBe('0x1');
    expect(await scene.call('eth_getBalance', [EXAMPLE.receiver, 'latest'])).toBe('0x0');
    await scene.call('hardhat_reset');
    expect(await scene.call('eth_getBalance', [EXAMPLE.receiver, 'latest'])).not.toBe('0x0');
  });

  it.each(['service', 'anvil', 'hardhat'] as const)(
    'is written and loaded over RPC with compat %s, with its fork',
    async (compat) => {
      const scene = await forkOf({ rpc: { compat } });
      await live(scene);
      const dump = await scene.call('anvil_dumpState');
      const twin = await forkOf({ rpc: { compat } });
      expect(await twin.call('anvil_loadState', [dump])).toBe(true);
      expect(await questions(twin)).toEqual(await questions(scene));
      const file = await openDump(fromHex(String(dump)));
      if (file.kind !== 'own') throw new TypeError('the dump contains no chain of this node');
      expect(await readForkRecord(file.text)).toMatchObject({ number: 4 });
    },
  );

  it('accepts accounts, but no blocks, from an Anvil state file', async () => {
    const scene = await forkOf({ chain: { ruleSet: 'prague' } });
    const notices: string[] = [];
    scene.chain.events.on('notice', (text) => notices.push(text));
    await load(scene, JSON.stringify(recordedFile()));
    expect(notices).toEqual([
      expect.stringContaining('this chain is a fork, so local blocks must follow the forked chain'),
    ]);
    expect(await scene.call('eth_blockNumber')).toBe('0x4');
    expect(
      await scene.call('eth_getCode', ['0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', 'latest']),
    ).not.toBe('0x');
  });

  it('is readable without the upstream', async () => {
    const scene = await forkOf();
    await live(scene);
    const { state, head, blocks } = await readContent(await openDump(Buffer.from(await text(scene))));
    expect(head?.number).toBe(scene.chain.head().header.number);
    expect(blocks).toBe(scene.chain.head().header.number - 3);
    expect(state.account(fromHex(STRANGER))?.balance).toBe(9n);
  });

  it.each([
    ['fork', 'number', 3, /line 2\.fork\.block\.number: expected 3/],
    ['fork', 'hash', SLOT, /line 2\.fork\.block\.hash: expected 0x0/],
    ['fork', 'funds', { '0x12': '0x1' }, /invalid property name "0x12": expected an address/],
    ['fork', 'isComplete', null, /expected true or false/],
    ['fork', 'urls', ['nowhere'], /urls\[0\]: expected the URL of a node, got "nowhere"/],
    ['fork', 'urls', [], /urls: expected at least one URL/],
  ])('is rejected with a wrong %s.%s, without changes', async (_line, field, value, words) => {
    const scene = await forkOf();
    const dump = (await text(scene)).split('\n');
    const line = JSON.parse(dump[1] ?? '') as { fork: object };
    dump[1] = JSON.stringify({ fork: { ...line.fork, [field]: value } });
    const before = nodeOf(scene.chain).dump.mark();
    await expect(load(scene, dump.join('\n'))).rejects.toThrow(words);
    expect(isSameMark(before, nodeOf(scene.chain).dump.mark())).toBe(true);
  });

  it.each(['0x3', '0x5'])('is rejected if its first block has the number %s', async (number) => {
    const scene = await forkOf();
    const lines = (await text(scene)).split('\n');
    const place = lines.findIndex((line) => line.startsWith('{"block":'));
    const line = JSON.parse(lines[place] ?? '') as { readonly block: { readonly header: object } };
    const header = { ...line.block.header, number };
    lines[place] = JSON.stringify({ ...line, block: { ...line.block, header } });
    await expect(load(scene, lines.join('\n'))).rejects.toThrow('block.header.number: expected 4');
  });
});

/** Opens the fork of the dump with these options, then loads the dump. */
async function reopen(dump: string, fork: ForkSceneOptions['fork'] = {}, harness = node): Promise<Scene> {
  const record = await readForkRecord(DumpText.plain(Buffer.from(dump)));
  if (record === null) throw new TypeError('the dump is of no fork');
  const scene = await forkOf({ record, fork: { urls: [], ...fork } }, harness);
  await load(scene, dump);
  return scene;
}

describe('the upstream of a loaded fork', () => {
  it('is the URL in the dump if it has no secrets', async () => {
    const scene = await forkOf({ fork: { urls: [OPEN_URL] } });
    await live(scene);
    const twin = await reopen(await text(scene));
    expect(await questions(twin)).toEqual(await questions(scene));
    expect(new Set(twin.upstream.posts.map(({ url }) => url))).toEqual(new Set([OPEN_URL]));
  });

  it('must be passed if the URL in the dump has masked secrets', async () => {
    const scene = await forkOf();
    await live(scene);
    const dump = await text(scene);
    await expect(reopen(dump)).rejects.toThrow(
      'the secrets in the fork URL of the dump, https://node.example/v2/***, are masked; pass the complete URL with --fork-url',
    );
    const twin = await reopen(dump, { urls: ['https://other.example'] });
    expect(await questions(twin)).toEqual(await questions(scene));
    expect(twin.upstream.posts[0]?.url).toBe('https://other.example');
  });

  it('gets no requests for another block without its secrets', async () => {
    const scene = await forkOf({ fork: { dumpsFetched: true } });
    const other = await reopen(await text(scene));
    await expect(nodeOf(other.chain).forkReset.to({ url: null, blockNumber: 2 })).rejects.toThrow(
      'the secrets in https://node.example/v2/*** are masked, as in dumps; pass the complete URL',
    );
    expect(other.upstream.posts).toEqual([]);
  });

  it('must return the fork block of the dump', async () => {
    const scene = await forkOf();
    const dump = await text(scene);
    const changed = await createExampleChain();
    await changed.call('hardhat_reset');
    const words = (found: string) =>
      `the dump contains a fork at block 4 with the hash ${EXAMPLE.blockHashes[4]}, but https://other.example returns ${found}`;
    const fork = { urls: ['https://other.example'] };
    await expect(reopen(dump, fork, changed)).rejects.toThrow(words('no block; pass another --fork-url'));
    await changed.call('hardhat_mine', ['0x5']);
    await expect(reopen(dump, fork, changed)).rejects.toThrow(words('the hash 0x'));
  });

  it('gets no requests at the start if the fork block is cached', async () => {
    const cacheDirectory = mkdtempSync(join(tmpdir(), 'node-cli-fork-'));
    onTestFinished(() => rmSync(cacheDirectory, { recursive: true }));
    const fork = { urls: [OPEN_URL], blockNumber: 4, cacheDirectory };
    const scene = await forkOf({ fork });
    await live(scene);
    const found = await questions(scene);
    const twin = await reopen(await text(scene), fork);
    expect(await questions(twin)).toEqual(found);
    expect(twin.upstream.posts).toEqual([]);
  });
});

describe('a dump with all fetched answers', () => {
  it.each([true, false])('answers cached requests offline (cache on disk: %s)', async (isCached) => {
    const cacheDirectory = isCached ? mkdtempSync(join(tmpdir(), 'node-cli-fork-')) : null;
    onTestFinished(() => {
      if (cacheDirectory !== null) rmSync(cacheDirectory, { recursive: true });
    });
    const scene = await forkOf({ fork: { dumpsFetched: true, cacheDirectory } });
    await live(scene);
    const found = await questions(scene);
    const dump = await text(scene);
    const twin = await reopen(dump);
    expect(await questions(twin)).toEqual(found);
    expect(await increase(twin)).toBe(await increase(scene));
    await expect(twin.call('eth_getBalance', [`0x${'66'.repeat(20)}`, 'latest'])).rejects.toThrow(
      'the fork is offline and has no cached data of account 0x',
    );
    expect(twin.upstream.posts).toEqual([]);
  });

  it('stays complete in a second dump, and requests missing data if --fork-url is passed', async () => {
    const scene = await forkOf({ fork: { dumpsFetched: true } });
    await live(scene);
    const dump = await text(scene);
    const twin = await reopen(dump);
    expect(await text(twin)).toBe(dump);
    const online = await reopen(dump, { urls: [UPSTREAM_URL] });
    expect(await online.call('eth_getBalance', [EXAMPLE.sender, '0x1'])).toBe(
      await node.call('eth_getBalance', [EXAMPLE.sender, '0x1']),
    );
    const again = await reopen(await text(online));
    await again.call('eth_getBalance', [EXAMPLE.sender, '0x1']);
    expect(again.upstream.posts).toEqual([]);
  });

  it('changes its mark after another fetch', async () => {
    const scene = await forkOf({ fork: { dumpsFetched: true } });
    const before = nodeOf(scene.chain).dump.mark();
    await scene.call('eth_getBalance', [STRANGER, 'latest']);
    expect(isSameMark(before, nodeOf(scene.chain).dump.mark())).toBe(false);
    const plain = await forkOf();
    const same = nodeOf(plain.chain).dump.mark();
    await plain.call('eth_getBalance', [STRANGER, 'latest']);
    expect(isSameMark(same, nodeOf(plain.chain).dump.mark())).toBe(true);
  });

  it('loads offline for a fork before a transaction', async () => {
    const busy = await createExampleChain();
    await busy.call('evm_setAutomine', [false]);
    const hashes: string[] = [];
    for (const value of ['0x1', '0x2']) {
      const request = { from: EXAMPLE.sender, to: EXAMPLE.receiver, value };
      hashes.push(String(await busy.call('eth_sendTransaction', [request])));
    }
    await busy.call('evm_mine');
    const transaction = { hash: fromHex(hashes[1] ?? ''), isApplied: false };
    const fork = { transaction, dumpsFetched: true };
    const scene = await forkOf({ fork }, busy);
    await increase(scene);
    const dump = await text(scene);
    const twin = await reopen(dump, {}, busy);
    expect(await text(twin)).toBe(dump);
    expect(await twin.call('eth_blockNumber')).toBe('0x6');
    expect(await twin.call('eth_getTransactionReceipt', [hashes[0]])).toMatchObject({ blockNumber: '0x5' });
    expect(twin.upstream.posts).toEqual([]);
  });
});

async function allAnswers({ chain }: ForkScene): Promise<unknown> {
  return fetchingState(() => answers(chain));
}

it('a loaded dump continues like its fork and dumps to the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, async (given, others) => {
      const scene = await forkOf();
      await take(scene.chain, given);
      const dump = await text(scene);
      const twin = await forkOf();
      await take(twin.chain, others);
      await load(twin, dump);
      expect(await text(twin)).toBe(dump);
      expect(await allAnswers(twin)).toEqual(await allAnswers(scene));
      const last: Change = { kind: 'mine', count: 1 };
      expect(await outcome(twin.chain, last)).toEqual(await outcome(scene.chain, last));
      expect(await text(twin)).toBe(await text(scene));
      for (const { id } of scene.chain.snapshots.list().reverse()) {
        for (const { chain } of [twin, scene]) expect(await chain.snapshots.revert(id)).toBe(true);
        expect(await allAnswers(twin)).toEqual(await allAnswers(scene));
      }
    }),
    { numRuns: 25 },
  );
});

it('a complete dump answers earlier requests offline after any history', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const scene = await forkOf({ fork: { dumpsFetched: true } });
      await take(scene.chain, given);
      const asked = await allAnswers(scene);
      const twin = await reopen(await text(scene));
      expect(await allAnswers(twin)).toEqual(asked);
      expect(twin.upstream.posts).toEqual([]);
    }),
    { numRuns: 15, seed: 34 },
  );
});
