// The queue of blocks to profile: it is bounded, runs each transaction a fixed number of times, and loses
// nothing if a part fails.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { LazyArtifacts } from '../../../src/artifacts/lazy-artifacts.ts';
import { type ChainNode, createNode } from '../../../src/node/create-node.ts';
import { Measurements } from '../../../src/reports/measurements.ts';
import { profileNote } from '../../../src/reports/profile/profile-forms.ts';
import { type ProfileLimits, ProfileMeter } from '../../../src/reports/profile/profile-meter.ts';
import { code, deploying } from '../../reference/scene.ts';
import { createFakeTime } from '../../support/fake-time.ts';
import {
  TEST_DEFAULTS,
  TEST_START,
  testAccount,
  testDependencies,
  transfer,
} from '../../support/test-chain.ts';

const sender = testAccount(0).address;
const TRANSFER_GAS = 21_000n;
/** Adds one to slot 0. */
const COUNTER = code('5f 54 6001 01 5f 55 00');

const nodes: ChainNode[] = [];

afterEach(async () => {
  for (const node of nodes.splice(0)) await node.chain.close();
});

interface Profiled {
  readonly node: ChainNode;
  readonly meter: ProfileMeter;
  readonly errors: unknown[];
}

async function profiledNode(limits?: ProfileLimits, artifacts?: LazyArtifacts): Promise<Profiled> {
  const errors: unknown[] = [];
  const meter = new ProfileMeter((error) => errors.push(error), limits);
  const time = createFakeTime(TEST_START);
  const node = await createNode(
    { ...TEST_DEFAULTS, automine: false },
    {
      ...testDependencies(time),
      artifacts: artifacts ?? new LazyArtifacts({ timers: time.timers, onWarning: () => undefined }, []),
      measurements: new Measurements({ profile: meter }),
    },
  );
  nodes.push(node);
  return { node, meter, errors };
}

async function mineTransfers({ chain }: ChainNode, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) await chain.sendFrom(sender, transfer());
  await chain.mine();
}

async function gasByStack(meter: ProfileMeter): Promise<Record<string, bigint>> {
  const { samples } = await meter.profiled();
  const sums: Record<string, bigint> = {};
  for (const { calls, gas } of samples) sums[calls.join(';')] = (sums[calls.join(';')] ?? 0n) + gas;
  return sums;
}

describe('profile of a block', () => {
  it('the profile runs each transaction twice, regardless of their number', async () => {
    const { node, meter } = await profiledNode();
    const { tracing } = node.chain;
    const walk = tracing.eachTransaction.bind(tracing);
    const walks = vi.spyOn(tracing, 'eachTransaction');
    let runs = 0;
    walks.mockImplementation((held, visit, checkCancelled) =>
      walk(
        held,
        (index, run) =>
          visit(index, (createTracer) => {
            runs++;
            return run(createTracer);
          }),
        checkCancelled,
      ),
    );
    const others = [vi.spyOn(tracing, 'block'), vi.spyOn(tracing, 'transaction')];
    await mineTransfers(node, 40);
    const { transactions, total } = await meter.profiled();
    expect({ transactions, total }).toEqual({ transactions: 40, total: 40n * TRANSFER_GAS });
    expect({ walks: walks.mock.calls.length, runs }).toEqual({ walks: 1, runs: 80 });
    for (const other of others) expect(other).not.toHaveBeenCalled();
  });

  it.each([
    ['the new', true],
    ['the old', false],
  ])(
    'the profile is stored under %s name of its lane if the lane is renamed while it waits',
    async (_, moves) => {
      const { node, meter } = await profiledNode();
      const lane = await node.branch('present', 'old');
      nodes.push(lane);
      await mineTransfers(lane, 2);
      expect(meter.waiting).toBe(2);
      lane.renameLane('new', moves);
      await mineTransfers(lane, 3);
      const counted = await Promise.all(['old', 'new'].map((name) => meter.profiled(name)));
      expect(counted.map(({ transactions }) => transactions)).toEqual(moves ? [0, 5] : [2, 3]);
    },
  );

  it('the profile equals the receipts for transactions that depend on each other', async () => {
    const { node, meter, errors } = await profiledNode();
    const { chain } = node;
    const creation = { to: null, value: 0n, data: deploying(COUNTER), gasLimit: 500_000n };
    const hash = await chain.sendFrom(sender, transfer(creation));
    await chain.mine();
    const to = (await chain.transaction(hash))?.receipt.contractAddress ?? null;
    for (let sent = 0; sent < 5; sent++)
      await chain.sendFrom(sender, transfer({ to, value: 0n, gasLimit: 100_000n }));
    await chain.mine();
    const gas = chain.head().receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
    const { samples, total } = await meter.profiled();
    expect(samples.reduce((sum, sample) => sum + sample.gas, 0n)).toBe(total);
    expect(total).toBe(gas + ((await chain.transaction(hash))?.receipt.gasUsed ?? 0n));
    expect(samples.some(({ calls }) => calls.includes('<not profiled>'))).toBe(false);
    expect(errors).toEqual([]);
  });
});

describe('pending profiles', () => {
  it('the queue has a limit in blocks, and further blocks are counted without a profile', async () => {
    const { node, meter } = await profiledNode({ blocks: 2, gas: 10n ** 12n, lanes: 256 });
    const profiled = vi.spyOn(node.chain.tracing, 'eachTransaction');
    // The blocks are mined without a yield, so no profile runs between them.
    const mined = [3, 1, 2, 4].map((count) => mineTransfers(node, count));
    await Promise.all(mined);
    const found = await meter.profiled();
    const waited = profiled.mock.calls.reduce((sum, [{ block }]) => sum + block.transactions.length, 0);
    expect(found).toMatchObject({ transactions: 10, total: 10n * TRANSFER_GAS, omitted: 10 - waited });
    expect(profiled.mock.calls.length).toBeLessThan(4);
    const gas = await gasByStack(meter);
    expect(gas['<not profiled>']).toBe(BigInt(10 - waited) * TRANSFER_GAS);
    expect(profileNote(found)).toBe(
      `${10 - waited} of 10 transactions were not profiled because the profile queue was full; the profile shows their gas as "<not profiled>"`,
    );
  });

  it('the queue has a gas limit, except for a single block', async () => {
    const { node, meter } = await profiledNode({ blocks: 100, gas: TRANSFER_GAS, lanes: 256 });
    await mineTransfers(node, 3);
    const alone = await meter.profiled();
    expect(alone).toMatchObject({ transactions: 3, omitted: 0 });
    expect(profileNote(alone)).toBeNull();
  });
});

describe('profiles of many lanes', () => {
  it('the number of lanes is limited, and the least recently used one is only in the total', async () => {
    const { node, meter } = await profiledNode({ blocks: 1_000, gas: 10n ** 12n, lanes: 3 });
    const measured = vi.spyOn(meter, 'onBlock');
    await mineTransfers(node, 1);
    const [block, results, on] = measured.mock.calls[0] ?? [];
    if (block === undefined || results === undefined || on === undefined)
      throw new Error('no block was measured');
    const keys = Array.from({ length: 20 }, (_, index) => `lane-${index}`);
    for (const lane of keys) {
      meter.onBlock(block, results, { ...on, lane });
      meter.onBlock(block, results, { ...on, lane: 'lane-0' });
    }
    expect(await meter.profiled()).toMatchObject({ transactions: 41, total: 41n * TRANSFER_GAS });
    expect(meter.lanes).toBe(3);
    const counted = await Promise.all(keys.map((key) => meter.profiled(key)));
    const found = keys.filter((_, index) => (counted[index]?.transactions ?? 0) > 0);
    expect(found).toEqual(['lane-0', 'lane-18', 'lane-19']);
    expect(counted[0]).toMatchObject({ transactions: 21 });
  });
});

describe('profiles of 300 lanes', () => {
  it('profiles of 256 lanes are kept by default', async () => {
    const { node, meter } = await profiledNode();
    const measured = vi.spyOn(meter, 'onBlock');
    await mineTransfers(node, 1);
    const [block, results, on] = measured.mock.calls[0] ?? [];
    if (block === undefined || results === undefined || on === undefined)
      throw new Error('no block was measured');

    for (let lane = 0; lane < 300; lane++) meter.onBlock(block, results, { ...on, lane: `lane-${lane}` });

    expect(await meter.profiled()).toMatchObject({ transactions: 301 });
    expect(meter.lanes).toBe(256);
  });
});

describe('profile of a renamed lane', () => {
  it('the profile of a renamed lane is merged into the new name, including pending blocks', async () => {
    const { node, meter } = await profiledNode();
    const measured = vi.spyOn(meter, 'onBlock');
    await mineTransfers(node, 2);
    await meter.profiled();
    const [block, results, on] = measured.mock.calls[0] ?? [];
    if (block === undefined || results === undefined || on === undefined)
      throw new Error('no block was measured');
    for (const lane of ['left', 'right']) meter.onBlock(block, results, { ...on, lane });
    await meter.profiled();
    meter.onBlock(block, results, { ...on, lane: 'left' });
    meter.onRename('left', 'right');
    meter.onRename('missing', 'other');
    const right = await meter.profiled('right');
    expect(right).toMatchObject({ transactions: 6, total: 6n * TRANSFER_GAS, omitted: 0 });
    expect(right.samples.reduce((sum, { gas }) => sum + gas, 0n)).toBe(6n * TRANSFER_GAS);
    for (const lane of ['left', 'missing', 'other'])
      expect(await meter.profiled(lane)).toMatchObject({ transactions: 0, total: 0n });
    expect(await meter.profiled()).toMatchObject({ transactions: 8, total: 8n * TRANSFER_GAS });
  });
});

describe('error during a profile', () => {
  it('the error is reported, its gas is counted unprofiled, and later blocks are profiled', async () => {
    const { node, meter, errors } = await profiledNode();
    const fault = new Error('a fault');
    vi.spyOn(node.inspector, 'load').mockRejectedValueOnce(fault);
    await mineTransfers(node, 2);
    await meter.profiled();
    await mineTransfers(node, 1);
    expect(await gasByStack(meter)).toEqual({
      '<not profiled>': 2n * TRANSFER_GAS,
      '<transaction>': TRANSFER_GAS,
    });
    expect(errors).toEqual([fault]);
  });
});
