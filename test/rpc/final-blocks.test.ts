import { beforeAll, describe, expect, it } from 'vitest';
import { createForkScene, type ForkScene } from '../fork/fork-scene.ts';
import { ScriptedUpstream } from '../fork/scripted-upstream.ts';
import { branchOf } from '../support/test-chain.ts';
import { NUMBER_TAKERS, SELECTOR_TAKERS, type Taker } from './block-takers.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from './example-chain.ts';
import { createRpcHarness, harnessOn, type RpcHarness } from './rpc-harness.ts';

/** Creation code that emits a log. */
const EMIT = '0x5f5fa0';

const TAKERS = [...SELECTOR_TAKERS, ...NUMBER_TAKERS].map((taker) => [taker.method, taker] as const);

type Call = RpcHarness['call'];

/** The answer about a block, or its error. */
function answerAt(call: Call, { method, params }: Taker, block: unknown): Promise<unknown> {
  return call(method, params(block)).catch(({ code, message }) => ({ code, message }));
}

async function numbersOf(call: Call): Promise<unknown[]> {
  const numbers: unknown[] = [];
  for (const tag of ['safe', 'finalized']) {
    const block = (await call('eth_getBlockByNumber', [tag])) as { readonly number: string };
    numbers.push(Number(block.number));
  }
  return numbers;
}

describe.each(TAKERS)('%s', (_method, taker) => {
  let example: ExampleChain;

  beforeAll(async () => {
    example = await createExampleChain({}, { slotsInAnEpoch: 1 });
  });

  it('resolves safe and finalized to the blocks one and two epochs below the head', async () => {
    expect(await answerAt(example.call, taker, 'safe')).toEqual(await answerAt(example.call, taker, '0x3'));
    expect(await answerAt(example.call, taker, 'finalized')).toEqual(
      await answerAt(example.call, taker, '0x2'),
    );
  });
});

describe('safe and finalized', () => {
  it('select the genesis block if the chain is shorter', async () => {
    const { call } = await createRpcHarness({}, { slotsInAnEpoch: 3 });
    expect(await numbersOf(call)).toEqual([0, 0]);
    await call('anvil_mine', ['0x5']);
    expect(await numbersOf(call)).toEqual([2, 0]);
    await call('anvil_mine', ['0x5']);
    expect(await numbersOf(call)).toEqual([7, 4]);
  });

  it('select the head with 0 slots in an epoch', async () => {
    const { call } = await createRpcHarness();
    await call('anvil_mine', ['0x5']);
    expect(await numbersOf(call)).toEqual([5, 5]);
  });

  it('select the oldest available block if older blocks are pruned', async () => {
    const { call } = await createRpcHarness({}, { slotsInAnEpoch: 8, keptBlocks: 10 });
    await call('anvil_mine', ['0x200']);
    for (let count = 0; count < 300; count++) await call('evm_mine');
    expect(await numbersOf(call)).toEqual([0x200 + 292, 0x200 + 291]);
  });

  it('follow the head over snapshots, reverts and resets', async () => {
    const { call } = await createRpcHarness({}, { slotsInAnEpoch: 2 });
    await call('anvil_mine', ['0x6']);
    const snapshot = await call('evm_snapshot');
    await call('anvil_mine', ['0x6']);
    expect(await numbersOf(call)).toEqual([10, 8]);
    await call('evm_revert', [snapshot]);
    expect(await numbersOf(call)).toEqual([4, 2]);
    await call('hardhat_reset', []);
    expect(await numbersOf(call)).toEqual([0, 0]);
  });

  it('follow the head of a lane', async () => {
    const { call, chain, time } = await createRpcHarness({}, { slotsInAnEpoch: 2 });
    await call('anvil_mine', ['0x6']);
    const lane = harnessOn(await branchOf(chain), time);
    await lane.call('anvil_mine', ['0x2']);
    expect(await numbersOf(lane.call)).toEqual([6, 4]);
    expect(await numbersOf(call)).toEqual([4, 2]);
  });

  it('limit ranges of logs, traces and fees', async () => {
    const { call } = await createRpcHarness({}, { slotsInAnEpoch: 1 });
    const [from] = (await call('eth_accounts')) as string[];
    for (let count = 0; count < 5; count++) await call('eth_sendTransaction', [{ from, data: EMIT }]);
    const blocksOf = (answer: unknown): number[] =>
      (answer as { readonly blockNumber: string | number }[]).map(({ blockNumber }) => Number(blockNumber));
    const logs = async (range: object) => blocksOf(await call('eth_getLogs', [range]));
    expect(await logs({ fromBlock: '0x0', toBlock: 'finalized' })).toEqual([1, 2, 3]);
    expect(await logs({ fromBlock: '0x0', toBlock: 'safe' })).toEqual([1, 2, 3, 4]);
    expect(await logs({ fromBlock: 'finalized' })).toEqual([3, 4, 5]);
    expect(await logs({ fromBlock: 'finalized', toBlock: 'safe' })).toEqual([3, 4]);
    expect(await logs({ fromBlock: 'safe', toBlock: 'finalized' })).toEqual([]);
    const traces = await call('trace_filter', [{ fromBlock: 'finalized', toBlock: 'safe' }]);
    expect(blocksOf(traces)).toEqual([3, 4]);
    expect(await call('eth_feeHistory', ['0x2', 'finalized'])).toMatchObject({ oldestBlock: '0x2' });
    const filter = await call('eth_newFilter', [{ fromBlock: 'earliest', toBlock: 'finalized' }]);
    expect(blocksOf(await call('eth_getFilterLogs', [filter]))).toEqual([1, 2, 3]);
    expect(blocksOf(await call('eth_getFilterChanges', [filter]))).toEqual([]);
    await call('evm_mine');
    expect(blocksOf(await call('eth_getFilterChanges', [filter]))).toEqual([4]);
  });
});

/** A fork of the example chain with four blocks. Two blocks are local. */
async function forkOfExample(slotsInAnEpoch: number): Promise<ForkScene> {
  const origin = await createExampleChain();
  const upstream = new ScriptedUpstream((method, params) => origin.call(method, params));
  const scene = await createForkScene(upstream, { chain: { slotsInAnEpoch } });
  await scene.call('anvil_mine', ['0x2']);
  return scene;
}

describe('safe and finalized on a fork', () => {
  it('select blocks of both chains', async () => {
    const { call } = await forkOfExample(1);
    expect(await numbersOf(call)).toEqual([5, 4]);
    await call('evm_mine');
    expect(await numbersOf(call)).toEqual([6, 5]);
  });

  it('select blocks of the forked chain below the fork block', async () => {
    const { call } = await forkOfExample(2);
    expect(await numbersOf(call)).toEqual([4, 2]);
    const nonce = (block: string) => call('eth_getTransactionCount', [EXAMPLE.sender, block]);
    expect([await nonce('finalized'), await nonce('safe')]).toEqual(['0x2', '0x4']);
    const logs = await call('eth_getLogs', [{ fromBlock: 'finalized', toBlock: 'safe' }]);
    expect(logs).toMatchObject([{ blockNumber: '0x3' }]);
  });

  it('select block 0 if the forked chain is shorter', async () => {
    const { call } = await forkOfExample(32);
    expect(await numbersOf(call)).toEqual([0, 0]);
  });

  it('select the first block of a forked chain that starts above block 0', async () => {
    const header = { number: 1_000 };
    const genesis = { chainId: null, timestamp: null, gasLimit: null, header, allocation: [] };
    const origin = await createRpcHarness({}, { genesis: { ...genesis, digest: new Uint8Array(32) } });
    await origin.call('anvil_mine', ['0x5']);
    const upstream = new ScriptedUpstream((method, params) => origin.call(method, params));
    const { call } = await createForkScene(upstream, { chain: { slotsInAnEpoch: 2 } });
    expect(await numbersOf(call)).toEqual([1_003, 1_001]);
    const long = await createForkScene(upstream, { chain: { slotsInAnEpoch: 32 } });
    expect(await numbersOf(long.call)).toEqual([1_000, 1_000]);
  });
});

describe('safe and finalized on a fork that follows', () => {
  it('move with the local head', async () => {
    const origin = await createRpcHarness();
    await origin.call('anvil_mine', ['0x4']);
    const upstream = new ScriptedUpstream((method, params) => origin.call(method, params));
    const { call } = await createForkScene(upstream, { chain: { slotsInAnEpoch: 1 } });
    await call('anvil_mine', ['0x2']);
    expect(await numbersOf(call)).toEqual([5, 4]);
    await origin.call('anvil_mine', ['0x3']);
    await call('fork_follow');
    await call('fork_step');
    const head = Number(await call('eth_blockNumber'));
    expect(await numbersOf(call)).toEqual([head - 1, head - 2]);
  });
});

describe.each(TAKERS)('%s on a fork', (_method, taker) => {
  let scene: ForkScene;

  beforeAll(async () => {
    scene = await forkOfExample(3);
  });

  it('resolves safe and finalized to blocks of the forked chain', async () => {
    expect(await answerAt(scene.call, taker, 'safe')).toEqual(await answerAt(scene.call, taker, '0x3'));
    expect(await answerAt(scene.call, taker, 'finalized')).toEqual(await answerAt(scene.call, taker, '0x0'));
  });
});
