import { describe, expect, it } from 'vitest';
import type { ChainOptions } from '../../../src/chain/settings/chain-options.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { startLaneServer } from '../../server/lane-server.ts';
import { word } from '../../support/words.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const HISTORY = '0x0000f90827f1c53a10cb7a02335b175320002935';
const NOTHING = `0x${'00'.repeat(32)}`;
/** Number of blocks whose hashes EIP-2935 serves. */
const RING = 8_191;

interface BlockFields {
  readonly number: string;
  readonly hash: string;
  readonly stateRoot: string;
}
const quantity = (value: number): string => `0x${value.toString(16)}`;

/** The root of the state after the transactions of a block run again. */
async function stateBefore({ chain }: RpcHarness, number: number): Promise<string> {
  const { block } = await chain.view({ number: BigInt(number) });
  const { simulation } = chain;
  return toHex((await simulation.stateBefore(block, Number.POSITIVE_INFINITY)).root);
}

class Scene {
  readonly #harness: RpcHarness;

  constructor(harness: RpcHarness) {
    this.#harness = harness;
  }

  static async create(
    hardfork: 'prague' | 'amsterdam' = 'prague',
    options: Partial<ChainOptions> = {},
  ): Promise<Scene> {
    return new Scene(await createRpcHarness({}, { ruleSet: hardfork, ...options }));
  }

  call(method: string, ...params: unknown[]): Promise<unknown> {
    return this.#harness.call(method, params);
  }

  async block(number: number | 'latest'): Promise<BlockFields> {
    const name = number === 'latest' ? number : quantity(number);
    return (await this.call('eth_getBlockByNumber', name, false)) as BlockFields;
  }

  async head(): Promise<number> {
    return Number((await this.block('latest')).number);
  }

  /** The hash that the contract returns for a block; `null` if it reverts. */
  ask(number: number): Promise<unknown> {
    return this.call('eth_call', { to: HISTORY, data: word(number) }, 'latest').catch(() => null);
  }

  /** Checks the hashes of the blocks at the given distances below the head, and replays the head. */
  async expectHashesBack(...backs: readonly number[]): Promise<void> {
    const head = await this.head();
    for (const back of backs) await this.expectHashOf(head - back);
    await this.expectSameAgain(head);
  }

  /** Checks that a replayed block has the same state root. */
  async expectSameAgain(number: number): Promise<void> {
    const { stateRoot } = await this.block(number);
    const witness = (await this.call('debug_executionWitness', quantity(number))) as { state: string[] };
    expect(witness.state).not.toHaveLength(0);
    const runAgain = await stateBefore(this.#harness, number);
    expect(runAgain, `root of block ${number}`).toBe(stateRoot);
  }

  /** The hash that the contract returns for a block in a simulated block. */
  async simulate(parent: number, asked: number): Promise<unknown> {
    const calls = [{ to: HISTORY, data: word(asked) }];
    const blocks = await this.call('eth_simulateV1', { blockStateCalls: [{ calls }] }, quantity(parent));
    return (blocks as { calls: { returnData: string }[] }[])[0]?.calls[0]?.returnData;
  }

  async expectHashOf(number: number): Promise<void> {
    expect(await this.ask(number), `block ${number}`).toBe((await this.block(number)).hash);
  }
}

describe('history contract (EIP-2935) above blocks mined in bulk', () => {
  it.each(['prague', 'amsterdam'] as const)(
    'the history contract returns the hashes of bulk-mined blocks and earlier ones under %s',
    async (hardfork) => {
      const scene = await Scene.create(hardfork);
      await scene.call('evm_mine');
      await scene.call('evm_mine');
      await scene.call('hardhat_mine', quantity(1_000));
      const head = await scene.head();
      for (const back of [1, 2, 3, 500, 998, 999, 1_000, 1_001]) await scene.expectHashOf(head - back);
      expect(await scene.ask(head)).toBeNull();
      await scene.call('evm_mine');
      for (const back of [1, 2, 3, 1_000, 1_001]) await scene.expectHashOf(head + 1 - back);
    },
  );

  it('the history contract returns as many hashes as its ring holds', async () => {
    const scene = await Scene.create();
    await scene.call('hardhat_mine', quantity(300));
    await scene.call('hardhat_mine', quantity(RING + 400));
    const head = await scene.head();
    for (const back of [1, 2, RING - 1, RING]) await scene.expectHashOf(head - back);
    expect(await scene.ask(head - RING - 1)).toBeNull();
    await scene.call('evm_mine');
    await scene.expectHashOf(head + 1 - RING);
  });

  it('the history contract returns the hashes of two consecutive bulk ranges', async () => {
    const scene = await Scene.create();
    await scene.call('hardhat_mine', quantity(300));
    await scene.call('hardhat_mine', quantity(400));
    const head = await scene.head();
    for (const back of [1, 2, 399, 400, 401, 402, 698, 699]) await scene.expectHashOf(head - back);
  });

  it('the history contract has the same state if the block is replayed or mined again', async () => {
    const scene = await Scene.create();
    const snapshot = await scene.call('evm_snapshot');
    await scene.call('hardhat_mine', quantity(1_000));
    const { stateRoot, number } = await scene.block('latest');
    const seen = await scene.call('eth_getStorageAt', HISTORY, '0x64', 'latest');
    expect(seen).not.toBe(NOTHING);
    const overrides = [{ from: SENDER, to: HISTORY, data: word(Number(number) - 700) }, number];
    const trace = { tracer: 'callTracer' };
    expect(await scene.call('debug_traceCall', ...overrides, trace)).toMatchObject({
      output: (await scene.block(Number(number) - 700)).hash,
    });
    await scene.call('evm_revert', snapshot);
    await scene.call('hardhat_mine', quantity(1_000));
    expect(await scene.block('latest')).toMatchObject({ number, stateRoot });
  });

  it('a replayed transaction reads the same history in the block after a bulk range', async () => {
    const scene = await Scene.create();
    await scene.call('hardhat_mine', quantity(1_000));
    const asked = { from: SENDER, to: HISTORY, data: word((await scene.head()) - 600) };
    const hash = await scene.call('eth_sendTransaction', asked);
    const { number } = await scene.block('latest');
    expect(await scene.call('debug_traceTransaction', hash, { tracer: 'callTracer' })).toMatchObject({
      output: (await scene.block(Number(number) - 601)).hash,
    });
    const roots = (await scene.call(
      'debug_intermediateRoots',
      (
        await scene.block('latest')
      ).hash,
    )) as string[];
    expect(roots).toHaveLength(1);
  });
});

describe('history contract above a bulk range that was cut', () => {
  const cuts: readonly (readonly [string, unknown])[] = [
    ['debug_setHead', quantity(500)],
    ['anvil_rollback', 500],
  ];

  it.each(cuts)(
    'the history contract returns the hashes of the remaining blocks after %s',
    async (method, parameter) => {
      const scene = await Scene.create();
      await scene.call('hardhat_mine', quantity(1_000));
      await scene.call(method, parameter);
      expect(await scene.head()).toBe(500);
      await scene.call('evm_mine');
      await scene.expectHashesBack(1, 2, 3, 100, 499, 500, 501);
      await scene.call('evm_mine');
      await scene.expectHashesBack(1, 2, 3, 100, 499, 500, 501);
    },
  );

  it.each([2, 3])('the history contract returns the lowest hashes if %i blocks remain', async (left) => {
    const scene = await Scene.create();
    await scene.call('evm_mine');
    await scene.call('hardhat_mine', quantity(1_000));
    await scene.call('debug_setHead', quantity(1 + left));
    await scene.call('evm_mine');
    await scene.expectHashesBack(1, 2, 1 + left, 2 + left);
  });

  it('the history contract returns hashes of cut ranges followed by other ranges', async () => {
    const scene = await Scene.create();
    await scene.call('hardhat_mine', quantity(400));
    for (const cut of [350, 620, 621]) {
      await scene.call('hardhat_mine', quantity(400));
      await scene.call('debug_setHead', quantity(cut));
    }
    await scene.call('hardhat_mine', quantity(400));
    await scene.expectHashesBack(1, 2, 398, 399, 400, 401, 402, 403, 600, 670, 671, 672, 673, 1_000);
  });

  it('the history contract returns the last ring of hashes and reverts for older blocks', async () => {
    const scene = await Scene.create();
    await scene.call('hardhat_mine', quantity(300));
    await scene.call('hardhat_mine', quantity(2 * RING));
    await scene.call('debug_setHead', quantity(RING + 2_000));
    await scene.call('evm_mine');
    await scene.expectHashesBack(1, 2, 3, 2_000, RING - 1, RING);
    expect(await scene.ask((await scene.head()) - RING - 1)).toBeNull();
  });

  it('the history contract returns the hashes of replaced blocks in a bulk range', async () => {
    const scene = await Scene.create();
    await scene.call('hardhat_mine', quantity(1_000));
    const transfer = { from: SENDER, to: HISTORY, data: word(850) };
    await scene.call('anvil_reorg', 200, [[transfer, 100]]);
    expect(await scene.head()).toBe(1_000);
    await scene.expectHashesBack(1, 2, 98, 99, 100, 101, 102, 199, 200, 201, 202, 700, 999);
    await scene.expectSameAgain(900);
    await scene.expectSameAgain(901);
  });

  it('simulated blocks on a block of a bulk range read the same history', async () => {
    const scene = await Scene.create();
    await scene.call('hardhat_mine', quantity(1_000));
    for (const asked of [1, 300, 598, 599, 600]) {
      expect(await scene.simulate(600, asked)).toBe((await scene.block(asked)).hash);
    }
    await scene.call('debug_setHead', quantity(500));
    for (const asked of [0, 1, 498, 499, 500]) {
      expect(await scene.simulate(500, asked)).toBe((await scene.block(asked)).hash);
    }
  });

  it('a loaded dump has the same history', async () => {
    const scene = await Scene.create();
    await scene.call('hardhat_mine', quantity(1_000));
    await scene.call('debug_setHead', quantity(500));
    const dump = await scene.call('hardhat_dumpState');
    await scene.call('evm_mine');
    const { stateRoot } = await scene.block('latest');
    const whole = await scene.call('hardhat_dumpState');
    const other = await Scene.create();
    await other.call('hardhat_loadState', dump);
    await other.call('evm_mine');
    await other.expectHashesBack(1, 2, 100, 499);
    await other.call('hardhat_loadState', whole);
    expect(await other.block(501)).toMatchObject({ stateRoot });
    await other.expectHashesBack(1, 2, 100, 499);
  });

  it('a pruned chain has the same history and replays to the same root', async () => {
    const scene = await Scene.create('prague', { keptBlocks: 5 });
    await scene.call('hardhat_mine', quantity(1_000));
    await scene.call('anvil_reorg', 400, []);
    await scene.call('debug_setHead', quantity(990));
    for (let count = 0; count < 4; count++) await scene.call('evm_mine');
    for (const asked of [990, 991, 993]) await scene.expectHashOf(asked);
    await scene.expectSameAgain(991);
    const other = await Scene.create();
    await other.call('hardhat_loadState', await scene.call('hardhat_dumpState'));
    await other.expectSameAgain(991);
    for (let count = 0; count < 300; count++) await scene.call('evm_mine');
    await expect(scene.call('debug_executionWitness', quantity(991))).rejects.toThrow();
  });

  it('a lane created within a bulk range reads the same history', async () => {
    const { call } = await startLaneServer({ ruleSet: 'prague' });
    await call('/', 'hardhat_mine', [quantity(1_000)]);
    await call('/', 'lane_create', [{ key: 'cut', from: { block: quantity(500) } }]);
    await call('/cut', 'evm_mine', []);
    for (const asked of [0, 1, 200, 498, 499, 500]) {
      const { hash } = (await call('/', 'eth_getBlockByNumber', [quantity(asked), false])) as BlockFields;
      expect(await call('/cut', 'eth_call', [{ to: HISTORY, data: word(asked) }, 'latest'])).toBe(hash);
    }
  });
});

interface ListedAccount {
  readonly address: string;
  readonly storageChanges: readonly { readonly key: string; readonly changes: readonly unknown[] }[];
}

describe('access list of a block above a bulk range', () => {
  it('the access list contains the slots and values of the history contract', async () => {
    const scene = await Scene.create('amsterdam');
    await scene.call('hardhat_mine', quantity(1_000));
    const list = (await scene.call('eth_getBlockAccessList', 'latest')) as ListedAccount[];
    const changes = list.find(({ address }) => address === HISTORY)?.storageChanges ?? [];
    // The first block of the range is mined alone.
    expect(changes).toHaveLength(999);
    for (const slot of [1, 2, 500, 998, 999]) {
      const { hash } = await scene.block(slot);
      expect(JSON.stringify(changes[slot - 1])).toContain(hash.slice(2).replace(/^0+/, ''));
    }
  });

  it('the access list leaves room for transactions at a low gas limit', async () => {
    const scene = await Scene.create('amsterdam', { gasLimit: 5_000_000n });
    await scene.call('hardhat_mine', quantity(10_000));
    await scene.call('debug_setHead', quantity(9_000));
    await scene.call('eth_sendTransaction', { from: SENDER, to: SENDER, gas: quantity(4_000_000) });
    expect(await scene.head()).toBe(9_001);
    const list = (await scene.call('eth_getBlockAccessList', 'latest')) as ListedAccount[];
    expect(list.find(({ address }) => address === HISTORY)?.storageChanges).toHaveLength(RING);
  });
});
