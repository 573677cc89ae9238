import { describe, expect, it } from 'vitest';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { fromHex, toHex, toQuantity } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import { Metrics } from '../../src/server/metrics.ts';
import {
  createRpcHarness,
  type RpcHarness,
  type TestConnection,
  testConnection,
} from '../rpc/rpc-harness.ts';
import { ALICE, BOB, branchOf, CAROL, nodeOf } from '../support/test-chain.ts';
import { createForkScene, type ForkScene, type ForkSceneOptions } from './fork-scene.ts';
import { okAnswer, ScriptedUpstream } from './scripted-upstream.ts';

/** Stores the second word of its input in the slot of the first word, and logs the slot as topic. */
const STORE = `0x${'57'.repeat(20)}`;
const STORE_CODE = '0x6020356000355560003560006000a100';
const STRANGER = `0x${'78'.repeat(20)}`;

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

function store(slot: number, value: number): string {
  return word(slot) + word(value).slice(2);
}

interface BlockFacts {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly transactions: readonly string[];
}

interface Scene extends ForkScene {
  /** The node of the forked chain. */
  readonly origin: RpcHarness;
  readonly upstream: ScriptedUpstream;
}

interface SceneOptions extends ForkSceneOptions {
  readonly ruleSet?: ChainOptions['ruleSet'];
  readonly change?: (method: string, result: unknown) => unknown;
}

/** A fork at block 2 of a live node with the contract {@link STORE}. */
async function createScene({ ruleSet = 'prague', change, ...options }: SceneOptions = {}): Promise<Scene> {
  const origin = await createRpcHarness({}, { ruleSet });
  await origin.call('anvil_setCode', [STORE, STORE_CODE]);
  await sendOn(origin, STORE, store(1, 11));
  await sendOn(origin, STRANGER, '0x', '0x64');
  const upstream = new ScriptedUpstream(async (method, params) => {
    const result = await origin.call(method, params);
    return change === undefined ? result : change(method, result);
  });
  const scene = await createForkScene(upstream, { chain: { ruleSet, chainId: 33 }, ...options });
  return { ...scene, origin, upstream };
}

async function sendOn(
  { call }: Pick<RpcHarness, 'call'>,
  to: string,
  data = '0x',
  value = '0x0',
  from: string = ALICE,
): Promise<string> {
  const gas = '0x30000';
  return (await call('eth_sendTransaction', [{ from, to, data, value, gas }])) as string;
}

async function blockOn({ call }: Pick<RpcHarness, 'call'>, block: string): Promise<BlockFacts> {
  return (await call('eth_getBlockByNumber', [block, false])) as BlockFacts;
}

function slotOf({ call }: Pick<RpcHarness, 'call'>, slot: number): Promise<unknown> {
  return call('eth_getStorageAt', [STORE, word(slot), 'latest']);
}

async function turns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextIteration();
}

async function subscribe(scene: Scene, ...params: unknown[]): Promise<TestConnection> {
  const connection = testConnection('websocket');
  await scene.call('eth_subscribe', params, connection);
  return connection;
}

function itemsOf({ sent }: TestConnection): unknown[] {
  return sent.map(({ params }) => (params as { result: unknown }).result);
}

function noticesOf({ chain }: Scene): string[] {
  const notices: string[] = [];
  chain.events.on('notice', (text) => void notices.push(text));
  return notices;
}

describe('fork_step', () => {
  it('inserts the next block of the forked chain and returns it', async () => {
    const scene = await createScene();
    await sendOn(scene.origin, STRANGER, '0x', '0x1');
    await sendOn(scene.origin, STRANGER, '0x', '0x1');
    const expected = await blockOn(scene.origin, '0x3');
    expect(await scene.call('fork_step')).toEqual(expected);
    expect(await scene.call('eth_blockNumber')).toBe('0x3');
    expect(await blockOn(scene, 'latest')).toEqual(expected);
    expect(await scene.call('eth_getBalance', [STRANGER, 'latest'])).toBe('0x65');
    expect(await scene.call('fork_step')).toMatchObject({ number: '0x4' });
    expect(await scene.call('eth_getBalance', [STRANGER, 'latest'])).toBe('0x66');
  });

  it('returns the present block and changes nothing without a later block', async () => {
    const scene = await createScene();
    await sendOn(scene, BOB, '0x', '0x1');
    const before = await blockOn(scene, 'latest');
    expect(await scene.call('fork_step')).toMatchObject({ number: '0x2' });
    expect(await blockOn(scene, 'latest')).toEqual(before);
  });

  it('keeps local transactions with their receipts in new blocks on top', async () => {
    const scene = await createScene();
    const hash = await sendOn(scene, STORE, store(2, 22));
    const receipt = (await scene.call('eth_getTransactionReceipt', [hash])) as { logs: object[] };
    const block = await blockOn(scene, '0x3');
    await sendOn(scene.origin, STRANGER, '0x', '0x1', BOB);
    const { hash: parentHash } = (await scene.call('fork_step')) as BlockFacts;
    const moved = await blockOn(scene, '0x4');
    expect(moved.parentHash).toBe(parentHash);
    expect(moved.hash).not.toBe(block.hash);
    expect(moved.transactions).toEqual([hash]);
    const place = { blockNumber: '0x4', blockHash: moved.hash };
    expect(await scene.call('eth_getTransactionReceipt', [hash])).toEqual({
      ...receipt,
      ...place,
      logs: receipt.logs.map((log) =>
        'blockTimestamp' in log
          ? { ...log, ...place, blockTimestamp: moved.timestamp }
          : { ...log, ...place },
      ),
    });
    expect(await scene.call('eth_getTransactionByHash', [hash])).toMatchObject(place);
    expect(await scene.call('eth_getBlockByHash', [block.hash, false])).toBeNull();
  });

  it.each(['prague', 'shanghai', 'rootstock'] as const)(
    'the hash of a moved block is the hash of its header under %s',
    async (name) => {
      const ruleSet = name === 'rootstock' ? undefined : name;
      const scene = await createScene(ruleSet === undefined ? {} : { ruleSet });
      await sendOn(scene, BOB, '0x', '0x1');
      await scene.origin.call('evm_mine');
      await scene.call('fork_step');
      const { hash } = await blockOn(scene, '0x4');
      const header = (await scene.call('debug_getRawHeader', ['0x4'])) as string;
      expect(toHex(keccak256(fromHex(header)))).toBe(hash);
    },
  );

  it('moves timestamps only if they would not be after the parent', async () => {
    const scene = await createScene();
    await sendOn(scene, BOB, '0x', '0x1');
    await scene.call('evm_increaseTime', [10_000]);
    await sendOn(scene, BOB, '0x', '0x1');
    const late = (await blockOn(scene, '0x4')).timestamp;
    await scene.origin.call('evm_increaseTime', [100]);
    await scene.origin.call('evm_mine');
    const { timestamp } = (await scene.call('fork_step')) as BlockFacts;
    expect(Number((await blockOn(scene, '0x4')).timestamp)).toBe(Number(timestamp) + 1);
    expect((await blockOn(scene, '0x5')).timestamp).toBe(late);
  });

  it('keeps values that were written here, and shows all other changes of the forked chain', async () => {
    const scene = await createScene();
    await sendOn(scene, STORE, store(2, 22));
    await scene.call('anvil_setBalance', [CAROL, '0x7']);
    await sendOn(scene.origin, STORE, store(1, 1_111));
    await sendOn(scene.origin, STORE, store(2, 2_222));
    await scene.origin.call('anvil_setBalance', [STORE, '0x5']);
    await sendOn(scene.origin, CAROL, '0x', '0x9');
    for (let step = 0; step < 3; step++) await scene.call('fork_step');
    expect(await slotOf(scene, 1)).toBe(word(1_111));
    expect(await slotOf(scene, 2)).toBe(word(22));
    expect(await scene.call('eth_getBalance', [STORE, 'latest'])).toBe('0x5');
    expect(await scene.call('eth_getBalance', [CAROL, 'latest'])).toBe('0x7');
  });

  it('shows changes of an account that had only slots written here, also if it did not exist', async () => {
    const scene = await createScene();
    const fresh = `0x${'7a'.repeat(20)}`;
    await scene.call('anvil_setStorageAt', [fresh, word(1), word(5)]);
    await sendOn(scene.origin, fresh, '0x', '0x9');
    await scene.origin.call('anvil_setStorageAt', [fresh, word(2), word(6)]);
    await scene.call('fork_step');
    expect(await scene.call('eth_getBalance', [fresh, 'latest'])).toBe('0x9');
    expect(await scene.call('eth_getStorageAt', [fresh, word(1), 'latest'])).toBe(word(5));
    expect(await scene.call('eth_getStorageAt', [fresh, word(2), 'latest'])).toBe(word(6));
  });

  it('the state after each moved block has the changes up to this block only', async () => {
    const scene = await createScene();
    await sendOn(scene, STORE, store(2, 22));
    await sendOn(scene, STORE, store(3, 33));
    await sendOn(scene.origin, STORE, store(1, 1_111));
    await scene.call('fork_step');
    const slots = (block: string): Promise<unknown[]> =>
      Promise.all([1, 2, 3].map((slot) => scene.call('eth_getStorageAt', [STORE, word(slot), block])));
    expect(await slots('0x3')).toEqual([word(1_111), word(0), word(0)]);
    expect(await slots('0x4')).toEqual([word(1_111), word(22), word(0)]);
    expect(await slots('0x5')).toEqual([word(1_111), word(22), word(33)]);
  });

  it('uses the higher nonce of an account, reports it, and drops overtaken transactions', async () => {
    const scene = await createScene();
    const notices = noticesOf(scene);
    await sendOn(scene, BOB, '0x', '0x1');
    await scene.call('evm_setAutomine', [false]);
    const waiting = await sendOn(scene, BOB, '0x', '0x1');
    for (let count = 0; count < 3; count++) await sendOn(scene.origin, STRANGER, '0x', '0x1');
    await scene.call('fork_follow');
    expect(await scene.call('eth_getTransactionCount', [ALICE, 'latest'])).toBe('0x5');
    expect(notices).toEqual([
      `Removed transaction ${waiting} from the pool: the forked chain has used its nonce`,
      `Account ${ALICE} has nonce 3 here and 5 on the forked chain: it now has nonce 5`,
    ]);
    expect(await scene.call('eth_getTransactionByHash', [waiting])).toBeNull();
    await scene.call('evm_setAutomine', [true]);
    await sendOn(scene, BOB, '0x', '0x1');
    expect(await scene.call('eth_getTransactionCount', [ALICE, 'latest'])).toBe('0x6');
  });

  it('moves ranges of empty blocks', async () => {
    const scene = await createScene();
    await scene.call('hardhat_mine', ['0x3e8']);
    await sendOn(scene, STORE, store(2, 22));
    await scene.origin.call('evm_mine');
    const { hash } = (await scene.call('fork_step')) as BlockFacts;
    expect(await scene.call('eth_blockNumber')).toBe(toQuantity(2 + 1 + 1_000 + 1));
    expect((await blockOn(scene, '0x4')).parentHash).toBe(hash);
    const [below, above] = [await blockOn(scene, toQuantity(500)), await blockOn(scene, toQuantity(501))];
    expect(above.parentHash).toBe(below.hash);
    expect(await slotOf(scene, 2)).toBe(word(22));
    await sendOn(scene, STORE, store(3, 33));
    expect(await slotOf(scene, 3)).toBe(word(33));
  });

  it('code reads the hashes of moved blocks, also from the history contract (EIP-2935)', async () => {
    const scene = await createScene();
    for (let count = 0; count < 3; count++) await sendOn(scene, BOB, '0x', '0x1');
    await scene.origin.call('evm_mine');
    await scene.origin.call('evm_mine');
    await scene.call('fork_step');
    await scene.call('fork_step');
    await sendOn(scene, BOB, '0x', '0x1');
    const history = '0x0000f90827f1c53a10cb7a02335b175320002935';
    const blockhash = `0x60003540${'60005260206000f3'}`;
    for (let number = 2; number < 8; number++) {
      const { hash } = await blockOn(scene, toQuantity(number));
      const data = word(number);
      expect(await scene.call('eth_call', [{ to: history, data }, 'latest'])).toBe(hash);
      const overrides = { [STRANGER]: { code: blockhash } };
      expect(await scene.call('eth_call', [{ to: STRANGER, data }, 'latest', overrides])).toBe(hash);
    }
  });

  it('ends with the state of the fork after a transaction that was moved again and again', async () => {
    const scene = await createScene();
    await sendOn(scene, STORE, store(2, 22));
    for (let step = 0; step < 20; step++) {
      await sendOn(scene.origin, STORE, store(1, step));
      await scene.call('fork_step');
      expect(await slotOf(scene, 1)).toBe(word(step));
      expect(await slotOf(scene, 2)).toBe(word(22));
    }
    expect(await scene.call('eth_blockNumber')).toBe(toQuantity(2 + 20 + 1));
  });
});

describe('subscribers and filters of a fork that follows', () => {
  it('newHeads sends the inserted blocks and then the moved ones', async () => {
    const scene = await createScene();
    await sendOn(scene, BOB, '0x', '0x1');
    await sendOn(scene, BOB, '0x', '0x1');
    const connection = await subscribe(scene, 'newHeads');
    await scene.origin.call('evm_mine');
    await scene.origin.call('evm_mine');
    await scene.call('fork_follow');
    await scene.call('fork_pause');
    const numbers = ['0x3', '0x4', '0x5', '0x6'];
    const hashes = await Promise.all(numbers.map(async (number) => (await blockOn(scene, number)).hash));
    expect(itemsOf(connection)).toMatchObject(
      numbers.map((number, index) => ({ number, hash: hashes[index] })),
    );
  });

  it('newHeads with a pause sends the newest inserted block', async () => {
    const scene = await createScene();
    const connection = await subscribe(scene, 'newHeads', { pause: 100 });
    await scene.origin.call('evm_mine');
    const { hash } = (await scene.call('fork_step')) as BlockFacts;
    await scene.time.advance(1_000);
    expect(itemsOf(connection)).toMatchObject([{ hash }]);
  });

  it('logs sends removed logs, the logs of inserted blocks, and the logs of moved blocks', async () => {
    const scene = await createScene();
    await sendOn(scene, STORE, store(2, 22));
    const connection = await subscribe(scene, 'logs', { address: STORE });
    const receipts = await subscribe(scene, 'transactionReceipts');
    await sendOn(scene.origin, STORE, store(1, 1));
    await scene.call('fork_step');
    while (itemsOf(connection).length < 3 || itemsOf(receipts).length < 2) await nextIteration();
    expect(itemsOf(connection)).toMatchObject([
      { blockNumber: '0x3', topics: [word(2)], removed: true },
      { blockNumber: '0x3', topics: [word(1)], removed: false },
      { blockNumber: '0x4', topics: [word(2)], removed: false },
    ]);
    expect(itemsOf(receipts)).toMatchObject([[{ blockNumber: '0x3' }], [{ blockNumber: '0x4' }]]);
  });

  it('filters report the same changes', async () => {
    const scene = await createScene();
    await sendOn(scene, STORE, store(2, 22));
    const logs = await scene.call('eth_newFilter', [{ address: STORE }]);
    const all = await scene.call('eth_newFilter', [{ address: STORE, fromBlock: '0x0' }]);
    const blocks = await scene.call('eth_newBlockFilter');
    await sendOn(scene, STORE, store(3, 33));
    await scene.call('eth_getFilterChanges', [all]);
    await sendOn(scene.origin, STORE, store(1, 1));
    await sendOn(scene.origin, STORE, store(4, 4));
    await scene.call('fork_step');
    await scene.call('fork_step');
    expect(await scene.call('eth_getFilterChanges', [logs])).toMatchObject([
      { blockNumber: '0x3', topics: [word(1)], removed: false },
      { blockNumber: '0x4', topics: [word(4)], removed: false },
      { blockNumber: '0x5', topics: [word(2)], removed: false },
      { blockNumber: '0x6', topics: [word(3)], removed: false },
    ]);
    expect(await scene.call('eth_getFilterChanges', [logs])).toEqual([]);
    expect(await scene.call('eth_getFilterChanges', [all])).toMatchObject([
      { blockNumber: '0x3', topics: [word(2)], removed: true },
      { blockNumber: '0x4', topics: [word(3)], removed: true },
      { blockNumber: '0x3', topics: [word(1)], removed: false },
      { blockNumber: '0x4', topics: [word(4)], removed: false },
      { blockNumber: '0x5', topics: [word(2)], removed: false },
      { blockNumber: '0x6', topics: [word(3)], removed: false },
    ]);
    const numbers = ['0x3', '0x4', '0x5', '0x6'];
    const hashes = await Promise.all(numbers.map(async (number) => (await blockOn(scene, number)).hash));
    expect(await scene.call('eth_getFilterChanges', [blocks])).toEqual(hashes);
    expect(await scene.call('eth_getFilterChanges', [blocks])).toEqual([]);
  });
});

describe('metrics of a fork that follows', () => {
  it('moved blocks do not count as removed', async () => {
    const scene = await createScene();
    const metrics = new Metrics({
      version: '1.2.3',
      startedAt: 0,
      health: () => ({ chainId: 33, blockNumber: 0, lanes: 0, isEnding: false }),
      waiting: () => 0,
      usage: () => ({ resident: 0, heapUsed: 0, heapTotal: 0, external: 0, cpuSeconds: 0 }),
    });
    metrics.watch(scene.chain.events);
    await sendOn(scene, BOB, '0x', '0x1');
    await scene.origin.call('evm_mine');
    await scene.call('fork_step');
    expect(metrics.text()).toContain('\nnode_cli_removed_blocks_total 0\n');
    expect(metrics.text()).toContain('\nnode_cli_blocks_total 1\n');
  });
});

describe('a reorganization of the forked chain', () => {
  it('is followed: replaced blocks leave the fork', async () => {
    const scene = await createScene();
    await sendOn(scene, STORE, store(2, 22));
    await sendOn(scene.origin, STORE, store(1, 1));
    await sendOn(scene.origin, STORE, store(3, 3));
    await scene.call('fork_follow');
    await scene.call('fork_pause');
    expect(await slotOf(scene, 3)).toBe(word(3));
    const heads = await subscribe(scene, 'newHeads');
    await scene.origin.call('anvil_reorg', [2, []]);
    await scene.origin.call('evm_mine');
    expect(await scene.call('fork_step')).toEqual(await blockOn(scene.origin, '0x3'));
    expect(await slotOf(scene, 1)).toBe(word(11));
    expect(await slotOf(scene, 3)).toBe(word(0));
    expect(await slotOf(scene, 2)).toBe(word(22));
    await scene.call('fork_follow');
    await scene.call('fork_pause');
    for (const number of ['0x3', '0x4', '0x5'])
      expect(await blockOn(scene, number)).toEqual(await blockOn(scene.origin, number));
    expect(itemsOf(heads)).toMatchObject([
      { number: '0x3' },
      { number: '0x4' },
      { number: '0x4' },
      { number: '0x5' },
      { number: '0x6' },
    ]);
  });
});

describe('calls during a move of the base', () => {
  it('eth_getLogs returns the logs of the chain before the move', async () => {
    const scene = await createScene();
    await sendOn(scene, STORE, store(2, 22));
    await sendOn(scene.origin, STORE, store(1, 1));
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    scene.upstream.script = async ({ body }) => {
      if (body.includes('eth_getLogs')) await released;
      return undefined;
    };
    const { posts } = scene.upstream;
    const logs = scene.call('eth_getLogs', [{ fromBlock: '0x0', address: STORE }]);
    while (!posts.some(({ body }) => body.includes('eth_getLogs'))) await nextIteration();
    await scene.call('fork_step');
    release();
    expect(await logs).toMatchObject([
      { blockNumber: '0x1', topics: [word(1)] },
      { blockNumber: '0x3', topics: [word(2)] },
    ]);
  });
});

describe('traces of moved transactions', () => {
  it.each(['prague', 'rootstock', 'amsterdam'] as const)(
    'run with the nonce and the funds of the transaction on other state under %s',
    async (ruleSet) => {
      const scene = await createScene({ ruleSet });
      await scene.origin.call('evm_mine');
      await scene.origin.call('anvil_setBalance', [STRANGER, '0xde0b6b3a7640000']);
      await scene.call('fork_step');
      await scene.call('anvil_impersonateAccount', [STRANGER]);
      const hashes = [
        await sendOn(scene, STORE, store(2, 22)),
        await sendOn(scene, STORE, store(3, 0), '0x0', STRANGER),
      ];
      for (const slot of [2, 3, 4]) await sendOn(scene.origin, STORE, store(slot, 7));
      await scene.origin.call('anvil_setBalance', [STRANGER, '0x1']);
      await scene.call('fork_follow');
      await scene.call('fork_pause');
      for (const hash of hashes) {
        const trace = await scene.call('debug_traceTransaction', [hash, { tracer: 'callTracer' }]);
        expect(trace).toMatchObject({ type: 'CALL', to: STORE });
        expect(await scene.call('inspect_transaction', [hash])).toMatchObject({ call: { kind: 'call' } });
      }
      if (ruleSet === 'amsterdam')
        expect(await scene.call('eth_getBlockAccessList', ['latest'])).not.toHaveLength(0);
    },
  );
});

describe('state after a later block of the forked chain', () => {
  it('is requested by the hash of the block', async () => {
    const scene = await createScene();
    await scene.origin.call('evm_mine');
    const { hash } = (await scene.call('fork_step')) as BlockFacts;
    await scene.call('eth_getBalance', [STRANGER, 'latest']);
    const { params } = scene.upstream.calls.findLast(({ method }) => method === 'eth_getBalance') ?? {};
    expect(params).toEqual([STRANGER, { blockHash: hash }]);
  });

  it('is requested again from a node of a balanced provider that does not have the block yet', async () => {
    const scene = await createScene({ fork: { retries: 1 } });
    await scene.origin.call('evm_mine');
    await scene.call('fork_step');
    let failures = 0;
    scene.upstream.script = ({ body }) => {
      const calls: unknown = JSON.parse(body);
      if (!Array.isArray(calls) || failures > 0) return undefined;
      failures++;
      const error = { code: -32000, message: 'header not found' };
      return okAnswer(calls.map(({ id }: { id: number }) => ({ jsonrpc: '2.0', id, error })));
    };
    const balance = scene.call('eth_getBalance', [STRANGER, 'latest']);
    await turns();
    await scene.time.advance(1_000);
    expect(await balance).toBe('0x64');
    expect(failures).toBe(1);
  });
});

describe('responses about blocks that are no longer on the chain', () => {
  const FRESH = `0x${'7b'.repeat(20)}`;

  async function codeOf({ call }: Pick<RpcHarness, 'call'>): Promise<unknown> {
    return call('eth_getCode', [FRESH, 'latest']);
  }

  it('after a revert, an account has no code from later blocks', async () => {
    const scene = await createScene();
    await scene.origin.call('evm_mine');
    await scene.call('fork_step');
    const snapshot = await scene.call('evm_snapshot');
    await scene.origin.call('evm_mine');
    await scene.origin.call('anvil_setCode', [FRESH, STORE_CODE]);
    await scene.call('fork_step');
    expect(await codeOf(scene)).toBe(STORE_CODE);
    await scene.call('evm_revert', [snapshot]);
    expect(await codeOf(scene)).toBe('0x');
    await scene.call('fork_step');
    expect(await codeOf(scene)).toBe(STORE_CODE);
  });

  it('after a reorganization, an account has no code from replaced blocks', async () => {
    const scene = await createScene();
    await scene.origin.call('evm_mine');
    await scene.origin.call('anvil_setCode', [FRESH, STORE_CODE]);
    await scene.call('fork_step');
    expect(await codeOf(scene)).toBe(STORE_CODE);
    await scene.origin.call('anvil_reorg', [1, []]);
    await scene.call('fork_step');
    expect(await codeOf(scene)).toBe('0x');
  });

  it('after a reorganization of the first block, its number leads to the new block', async () => {
    const scene = await createScene();
    const before = await blockOn(scene, '0x1');
    await scene.call('eth_getLogs', [{ fromBlock: '0x1' }]);
    await scene.origin.call('anvil_reorg', [2, []]);
    await scene.origin.call('evm_mine');
    await scene.call('fork_follow');
    await scene.call('fork_pause');
    for (const number of ['0x1', '0x2', '0x3'])
      expect(await blockOn(scene, number)).toEqual(await blockOn(scene.origin, number));
    expect(await blockOn(scene, '0x1')).not.toEqual(before);
    expect(await scene.call('eth_getLogs', [{ fromBlock: '0x1' }])).toEqual([]);
  });
});

describe('snapshots of a fork that follows', () => {
  it('keep their block: a revert returns to it, and the fork can follow again', async () => {
    const scene = await createScene();
    await sendOn(scene, STORE, store(2, 22));
    const before = await blockOn(scene, 'latest');
    const snapshot = await scene.call('evm_snapshot');
    const checkpoint = await scene.call('evm_snapshot', ['named']);
    await sendOn(scene, STORE, store(2, 23));
    await sendOn(scene.origin, STORE, store(1, 1));
    await sendOn(scene.origin, STORE, store(3, 3));
    await scene.call('fork_follow');
    await scene.call('fork_pause');
    expect([await slotOf(scene, 1), await slotOf(scene, 2), await slotOf(scene, 3)]).toEqual(
      [1, 23, 3].map(word),
    );
    for (let round = 0; round < 2; round++) {
      expect(await scene.call('evm_revert', [checkpoint])).toBe(true);
      expect(await blockOn(scene, 'latest')).toEqual(before);
      expect([await slotOf(scene, 1), await slotOf(scene, 2), await slotOf(scene, 3)]).toEqual(
        [11, 22, 0].map(word),
      );
      expect(await scene.call('fork_step')).toMatchObject({ number: '0x3' });
      expect(await slotOf(scene, 1)).toBe(word(1));
    }
    expect(await scene.call('evm_revert', [snapshot])).toBe(true);
    expect(await blockOn(scene, 'latest')).toEqual(before);
    expect(await scene.call('evm_revert', [checkpoint])).toBe(false);
  });

  it('subscribers and filters get the blocks that a revert restores', async () => {
    const scene = await createScene();
    await sendOn(scene, STORE, store(2, 22));
    const before = await blockOn(scene, 'latest');
    const snapshot = await scene.call('evm_snapshot');
    const logs = await subscribe(scene, 'logs', { address: STORE });
    const heads = await subscribe(scene, 'newHeads');
    const filter = await scene.call('eth_newFilter', [{ address: STORE, fromBlock: '0x0' }]);
    const blocks = await scene.call('eth_newBlockFilter');
    await scene.origin.call('evm_mine');
    await scene.origin.call('evm_mine');
    await scene.call('fork_step');
    await scene.call('fork_step');
    await scene.call('eth_getFilterChanges', [filter]);
    await scene.call('eth_getFilterChanges', [blocks]);
    const moved = await blockOn(scene, 'latest');
    await scene.call('evm_revert', [snapshot]);
    await turns();
    expect(itemsOf(heads).at(-1)).toMatchObject({ hash: before.hash });
    const changes = [
      { blockHash: moved.hash, removed: true },
      { blockHash: before.hash, removed: false },
    ];
    expect(itemsOf(logs).slice(-2)).toMatchObject(changes);
    expect(await scene.call('eth_getFilterChanges', [filter])).toMatchObject(changes);
    expect(await scene.call('eth_getFilterChanges', [blocks])).toEqual([before.hash]);
  });

  it('filters report inserted blocks after a revert to a later snapshot', async () => {
    const scene = await createScene();
    const filter = await scene.call('eth_newFilter', [{ address: STORE }]);
    const blocks = await scene.call('eth_newBlockFilter');
    await sendOn(scene.origin, STORE, store(1, 1));
    const { hash } = (await scene.call('fork_step')) as BlockFacts;
    const snapshot = await scene.call('evm_snapshot');
    await scene.call('evm_mine');
    await scene.call('evm_revert', [snapshot]);
    expect(await scene.call('eth_getFilterChanges', [filter])).toMatchObject([{ blockNumber: '0x3' }]);
    expect(await scene.call('eth_getFilterChanges', [blocks])).toEqual([hash]);
  });

  it('a lane from an older snapshot has the blocks of the snapshot', async () => {
    const scene = await createScene();
    await sendOn(scene, STORE, store(2, 22));
    await scene.chain.snapshots.take();
    await sendOn(scene.origin, STORE, store(1, 1));
    await scene.call('fork_step');
    const lane = await branchOf(scene.chain, { snapshot: 1 });
    expect(lane.head().header.number).toBe(3);
    expect(nodeOf(lane).fork.current?.number).toBe(2);
    const present = await branchOf(scene.chain);
    expect(present.head().header.number).toBe(4);
    expect(nodeOf(present).fork.current?.number).toBe(3);
  });

  it('a reset returns to the first block of the fork', async () => {
    const scene = await createScene();
    await sendOn(scene, STORE, store(2, 22));
    await sendOn(scene.origin, STORE, store(1, 1));
    await scene.call('fork_step');
    await scene.call('evm_reset');
    expect(await scene.call('eth_blockNumber')).toBe('0x2');
    expect([await slotOf(scene, 1), await slotOf(scene, 2)]).toEqual([11, 0].map(word));
    expect(await scene.call('fork_step')).toMatchObject({ number: '0x3' });
  });

  it('a dump of the chain can be loaded, without the snapshots of earlier blocks', async () => {
    const scene = await createScene();
    const hash = await sendOn(scene, STORE, store(2, 22));
    await scene.call('evm_snapshot');
    await sendOn(scene.origin, STORE, store(2, 7));
    await scene.call('fork_step');
    const head = await blockOn(scene, 'latest');
    const dump = await scene.call('anvil_dumpState');
    await scene.call('evm_mine');
    await scene.call('anvil_loadState', [dump]);
    expect(await blockOn(scene, 'latest')).toEqual(head);
    expect(await scene.call('debug_traceTransaction', [hash])).toMatchObject({ failed: false });
    expect(await scene.call('evm_listSnapshots')).toEqual([]);
    expect([await slotOf(scene, 1), await slotOf(scene, 2)]).toEqual([11, 22].map(word));
  });
});

describe('fork_follow', () => {
  /** Mines a block on the forked chain, and lets the time of one check pass. */
  async function check(scene: Scene, seconds: number): Promise<unknown> {
    await scene.origin.call('evm_mine');
    await scene.time.advance(seconds * 1_000);
    await turns();
    return scene.call('eth_blockNumber');
  }

  it('inserts blocks as they appear, until fork_pause', async () => {
    const scene = await createScene();
    await sendOn(scene, STORE, store(2, 22));
    await scene.origin.call('evm_mine');
    expect(await scene.call('fork_follow', [5])).toEqual(await blockOn(scene.origin, '0x3'));
    await scene.time.advance(0);
    await turns();
    expect(await check(scene, 4)).toBe('0x4');
    expect(await check(scene, 1)).toBe('0x6');
    expect(await scene.call('fork_pause')).toMatchObject({ number: '0x5' });
    expect(await check(scene, 60)).toBe('0x6');
    expect(await slotOf(scene, 2)).toBe(word(22));
  });

  it('starts with --fork-follow, continues after a reset, and stops at a given block', async () => {
    const scene = await createScene({ fork: { follow: 2 } });
    await scene.time.advance(0);
    await turns();
    expect(await check(scene, 2)).toBe('0x3');
    await scene.call('evm_reset');
    expect(await scene.call('eth_blockNumber')).toBe('0x2');
    await scene.time.advance(0);
    await turns();
    expect(await scene.call('eth_blockNumber')).toBe('0x3');
    await scene.call('anvil_reset', [{ forking: { blockNumber: 1 } }]);
    expect(await check(scene, 60)).toBe('0x1');
  });

  it.each([
    ['fork_pause', []],
    ['anvil_reset', [{ forking: { blockNumber: 1 } }]],
  ])('%s during its first move takes precedence', async (method, params) => {
    const scene = await createScene();
    const following = scene.call('fork_follow', [2]);
    await scene.call(method, params);
    await following;
    const before = await scene.call('eth_blockNumber');
    expect(await check(scene, 60)).toBe(before);
  });

  it.each(['after its move', 'during its move'])('stops %s if the chain closes', async (when) => {
    const scene = await createScene();
    const notices = noticesOf(scene);
    await scene.origin.call('evm_mine');
    const following = scene.call('fork_follow', [2]).catch(() => null);
    if (when === 'after its move') await following;
    await scene.chain.close();
    await following;
    const requests = scene.upstream.calls.length;
    await check(scene, 60).catch(() => null);
    expect(scene.upstream.calls.length).toBe(requests);
    expect(notices).toEqual([]);
  });

  it('reports an outage once and continues after it', async () => {
    const scene = await createScene({ fork: { retries: 0 } });
    const notices = noticesOf(scene);
    await scene.call('fork_follow');
    scene.upstream.script = () => ({ status: 404, retryAfter: null, text: 'gone' });
    for (let count = 0; count < 3; count++) await check(scene, 2);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/^The fork cannot follow its chain: no response from the fork URL/);
    scene.upstream.script = () => undefined;
    expect(await check(scene, 2)).toBe('0x6');
    expect(notices).toHaveLength(1);
  });

  it.each([
    ['a string', '2'],
    ['zero', 0],
    ['a negative number', -1],
    ['more than a day', 86_401],
  ])('rejects %s', async (_what, seconds) => {
    const scene = await createScene();
    await expect(scene.call('fork_follow', [seconds])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('expected a number of seconds above 0, at most 86400'),
    });
  });

  it.each(['fork_follow', 'fork_pause', 'fork_step'])('%s rejects a chain without a fork', async (method) => {
    const { call } = await createRpcHarness();
    await expect(call(method)).rejects.toMatchObject({
      code: -32602,
      message:
        'the chain is not a fork; start the node with --fork-url, or call evm_reset with forking.jsonRpcUrl',
    });
  });

  it('rejects a fork that starts within a block', async () => {
    const { origin } = await createScene();
    const hash = await sendOn(origin, BOB, '0x', '0x1');
    const upstream = new ScriptedUpstream((method, params) => origin.call(method, params));
    const scene = await createForkScene(upstream, {
      fork: { transaction: { hash: fromHex(hash), isApplied: false } },
    });
    await expect(scene.call('fork_step')).rejects.toMatchObject({
      message:
        'cannot follow the forked chain: it starts within a block; start the node with --fork-block-number instead of a transaction',
    });
  });

  it('rejects a chain whose old blocks are pruned', async () => {
    const scene = await createScene({ chain: { ruleSet: 'prague', chainId: 33, keptBlocks: 10 } });
    await expect(scene.call('fork_follow')).rejects.toMatchObject({
      message:
        'cannot follow the forked chain: old blocks are pruned; start the node without --prune-history',
    });
  });

  it('inserts blocks while a transaction of an account without local changes waits in the pool', async () => {
    const scene = await createScene();
    const notices = noticesOf(scene);
    const stranger = `0x${'7c'.repeat(20)}`;
    await scene.origin.call('anvil_setBalance', [stranger, '0xde0b6b3a7640000']);
    await scene.origin.call('anvil_impersonateAccount', [stranger]);
    await scene.origin.call('evm_mine');
    await scene.call('fork_step');
    await scene.call('evm_setAutomine', [false]);
    await scene.call('anvil_impersonateAccount', [stranger]);
    const hash = await sendOn(scene, BOB, '0x', '0x1', stranger);
    const heads = await subscribe(scene, 'newHeads');
    await sendOn(scene.origin, BOB, '0x', '0x1', CAROL);
    await scene.call('fork_step');
    expect(itemsOf(heads)).toMatchObject([{ number: '0x4' }]);
    expect(await scene.call('txpool_status')).toMatchObject({ pending: 1 });
    await sendOn(scene.origin, BOB, '0x', '0x1', stranger);
    await scene.call('fork_step');
    expect(itemsOf(heads)).toMatchObject([{ number: '0x4' }, { number: '0x5' }]);
    expect(await scene.call('txpool_status')).toMatchObject({ pending: 0 });
    expect(notices).toEqual([
      `Removed transaction ${hash} from the pool: the forked chain has used its nonce`,
    ]);
  });

  it('continues after a dump is loaded', async () => {
    const scene = await createScene();
    await scene.call('fork_follow');
    const dump = await scene.call('anvil_dumpState');
    await scene.call('anvil_loadState', [dump]);
    await scene.origin.call('evm_mine');
    await scene.time.advance(2_000);
    await turns();
    expect(await scene.call('eth_blockNumber')).toBe('0x3');
  });

  it('reports the whole range and a reorganization', async () => {
    const scene = await createScene();
    const facts: unknown[] = [];
    scene.chain.events.on('inserted', (_blocks, inserted) => void facts.push(inserted));
    await sendOn(scene, BOB, '0x', '0x1');
    await scene.origin.call('hardhat_mine', ['0x3e8']);
    await scene.call('fork_follow');
    await scene.origin.call('anvil_reorg', [1, []]);
    await scene.call('fork_step');
    expect(facts).toEqual([
      { first: 3, isReorganization: false, localBlocks: 1 },
      { first: 1_002, isReorganization: true, localBlocks: 1 },
    ]);
  });

  it('rejects a step if the upstream no longer has the block below the local blocks', async () => {
    const scene = await createScene();
    await scene.origin.call('evm_mine');
    await scene.call('fork_step');
    await scene.origin.call('anvil_rollback', [1]);
    await expect(scene.call('fork_step')).rejects.toMatchObject({
      message:
        'the fork URL no longer has block 3 of this fork: its newest block is 2; if its chain was restarted, reset the fork with evm_reset',
    });
  });

  it('a pause and a step do not wait for the requests of a check', async () => {
    const scene = await createScene();
    await scene.call('fork_follow');
    let release: (() => void) | null = null;
    scene.upstream.script = () => {
      if (release !== null) return undefined;
      return new Promise((resolve) => {
        release = () => resolve(undefined);
      });
    };
    await scene.origin.call('evm_mine');
    await scene.time.advance(0);
    while (release === null) await nextIteration();
    expect(await scene.call('fork_pause')).toMatchObject({ number: '0x2' });
    expect(await scene.call('fork_step')).toMatchObject({ number: '0x3' });
    await scene.origin.call('evm_mine');
    (release as () => void)();
    await turns();
    expect(await scene.call('eth_blockNumber')).toBe('0x3');
  });
});
