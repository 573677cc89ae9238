import { describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const HISTORY = '0x0000f90827f1c53a10cb7a02335b175320002935';
const NOTHING = `0x${'00'.repeat(32)}`;
/** Blocks that EIP-2935 looks back at. */
const RING = 8_191;

interface BlockFields {
  readonly number: string;
  readonly hash: string;
  readonly stateRoot: string;
}

const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
const quantity = (value: number): string => `0x${value.toString(16)}`;

class Scene {
  readonly #harness: RpcHarness;

  constructor(harness: RpcHarness) {
    this.#harness = harness;
  }

  static async create(hardfork: 'prague' | 'amsterdam' = 'prague'): Promise<Scene> {
    return new Scene(await createRpcHarness({}, { ruleSet: hardfork }));
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

  /** Resolves to the hash that the contract has for a block; `null` where it reverts. */
  ask(number: number): Promise<unknown> {
    return this.call('eth_call', { to: HISTORY, data: word(number) }, 'latest').catch(() => null);
  }

  async expectHashOf(number: number): Promise<void> {
    expect(await this.ask(number), `block ${number}`).toBe((await this.block(number)).hash);
  }
}

describe('the contract of earlier hashes above many blocks that were mined at once', () => {
  it.each(['prague', 'amsterdam'] as const)(
    'has the hashes of all of them, and of the blocks below, under %s',
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

  it('has as many as its ring holds', async () => {
    const scene = await Scene.create();
    await scene.call('hardhat_mine', quantity(300));
    await scene.call('hardhat_mine', quantity(RING + 400));
    const head = await scene.head();
    for (const back of [1, 2, RING - 1, RING]) await scene.expectHashOf(head - back);
    expect(await scene.ask(head - RING - 1)).toBeNull();
    await scene.call('evm_mine');
    await scene.expectHashOf(head + 1 - RING);
  });

  it('has those of two series that follow each other', async () => {
    const scene = await Scene.create();
    await scene.call('hardhat_mine', quantity(300));
    await scene.call('hardhat_mine', quantity(400));
    const head = await scene.head();
    for (const back of [1, 2, 399, 400, 401, 402, 698, 699]) await scene.expectHashOf(head - back);
  });

  it('is the same when the block is run again, or undone and made again', async () => {
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

  it('is seen by a transaction that the block after them is run again with', async () => {
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
