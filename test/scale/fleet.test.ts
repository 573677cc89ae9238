import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { resultAt } from '../support/json-rpc.ts';
import type { RunningNode } from '../support/node-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { portOf } from './ports.ts';
import { startNginx } from './running-nginx.ts';
import { kill, startTestNode } from './shared-address.ts';

const [SENDER, RECEIVER] = DEV_ACCOUNTS;
const TRANSFER = { from: SENDER.address, to: RECEIVER.address, value: '0x1' };
const NODES = 4;
const SHARDS = Array.from({ length: 32 }, (_, place) => `shard-${place}`);
const STEPS = 6;

interface Fleet {
  readonly nodes: readonly RunningNode[];
  call(key: string, method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** The node of the lane with a key. */
  nodeOf(key: string): Promise<RunningNode | undefined>;
}

/** Starts four nodes with the same base, and nginx in front of them. The options apply to the first node. */
async function startFleet(...options: readonly string[]): Promise<Fleet> {
  const base = join(await temporaryDirectory(), 'base.json.gz');
  const preparing = await startTestNode('--dump-state', base);
  await resultAt(preparing.url, 'eth_sendTransaction', [TRANSFER]);
  await preparing.stop();
  const nodes = await Promise.all(
    Array.from({ length: NODES }, (_, place) =>
      startTestNode('--lanes', '--load-state', base, ...(place === 0 ? options : [])),
    ),
  );
  const { address } = await startNginx(nodes.map(portOf));
  return {
    nodes,
    call: (key, method, ...params) => resultAt(`http://${address}/${key}`, method, params),
    async nodeOf(key) {
      for (const node of nodes) {
        const lanes = await resultAt(node.url, 'lane_list').catch(() => []);
        if (Array.isArray(lanes) && lanes.some((lane) => lane.key === key)) return node;
      }
      return undefined;
    },
  };
}

/** One step of a shard's suite: a transaction after the earlier ones. */
async function step({ call }: Fleet, shard: string, place: number): Promise<void> {
  await call(shard, 'eth_sendTransaction', TRANSFER);
  expect(await call(shard, 'eth_blockNumber')).toBe(`0x${(place + 2).toString(16)}`);
}

/** Runs steps of all shards. Returns the failed shards. */
async function runSteps(
  fleet: Fleet,
  shards: readonly string[],
  from: number,
  to: number,
): Promise<string[]> {
  const outcomes = await Promise.allSettled(
    shards.map(async (shard) => {
      for (let place = from; place < to; place++) await step(fleet, shard, place);
    }),
  );
  return shards.filter((_, index) => outcomes[index]?.status === 'rejected');
}

async function shardsOf(fleet: Fleet, node: RunningNode): Promise<string[]> {
  const owners = await Promise.all(SHARDS.map((shard) => fleet.nodeOf(shard)));
  return SHARDS.filter((_, index) => owners[index] === node);
}

describe('four nodes behind nginx', () => {
  it('share a suite, and lose only the shards of a node that is killed during the suite', async () => {
    const fleet = await startFleet();
    expect(await runSteps(fleet, SHARDS, 0, STEPS / 2)).toEqual([]);
    const shares = await Promise.all(fleet.nodes.map((node) => shardsOf(fleet, node)));
    for (const share of shares) expect(share.length).toBeGreaterThan(0);
    expect(shares.flat().sort()).toEqual([...SHARDS].sort());

    const [victim] = fleet.nodes;
    if (victim === undefined) throw new RangeError('no node');
    const lost = shares[0] ?? [];
    await kill(victim);
    // A lost lane restarts from the base on another node. Its shard misses its blocks and fails.
    expect(await runSteps(fleet, SHARDS, STEPS / 2, STEPS)).toEqual(lost);
    // A retry from the start, as in CI, passes on the remaining nodes.
    for (const shard of lost) await fleet.call(shard, 'lane_drop');
    expect(await runSteps(fleet, lost, 0, STEPS)).toEqual([]);
  });

  it('lose no shard if a node ends by SIGTERM while its lanes finish', async () => {
    const fleet = await startFleet('--drain-timeout', '600');
    expect(await runSteps(fleet, SHARDS, 0, STEPS / 2)).toEqual([]);
    const [leaving] = fleet.nodes;
    if (leaving === undefined) throw new RangeError('no node');
    const own = await shardsOf(fleet, leaving);
    const ended = once(leaving.process, 'close');
    leaving.process.kill('SIGTERM');
    await expect.poll(async () => (await fetch(`${leaving.url}/health`)).status).toBe(503);
    expect(await runSteps(fleet, SHARDS, STEPS / 2, STEPS)).toEqual([]);
    for (const shard of own) await resultAt(leaving.url, 'lane_drop', [shard]);
    expect(await ended).toEqual([0, null]);
    // From then on, other nodes serve its keys.
    expect(await runSteps(fleet, own, 0, STEPS)).toEqual([]);
  });
});
