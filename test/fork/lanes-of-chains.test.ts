// Lanes that fork different chains: one clock, one fork cache, and messages between them.

import { readdir } from 'node:fs/promises';
import { sep } from 'node:path';
import {
  decodeEventLog,
  decodeFunctionResult,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  hexToString,
  stringToHex,
} from 'viem';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode, type LocalNode, type LocalNodeOptions } from '../../src/index.ts';
import {
  createRelay,
  type Lane,
  type LaneOptions,
  openLane,
  type Relay,
  type RelayedLog,
  snapshotLanes,
} from '../../src/library/lanes.ts';
import { countRequestsTo } from '../scale/counting-upstream.ts';
import { readArtifact } from '../support/artifacts.ts';
import { resultAt } from '../support/json-rpc.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { abi, bytecode } = readArtifact('shanghai', 'Mailbox');
const FUNDED = `0x${'77'.repeat(20)}`;

/** The forked chains, and the hardfork and chain id of the lanes on them. */
const CHAINS = [
  { chainId: 1001, hardfork: 'cancun', transfers: 1, lane: { chainId: 1001, hardfork: 'prague' } },
  { chainId: 2002, hardfork: 'shanghai', transfers: 2, lane: { chainId: 5005, hardfork: 'cancun' } },
] as const;

type Requester = Pick<LocalNode, 'request'>;

async function openNode(options: LocalNodeOptions): Promise<LocalNode> {
  const node = await createNode(options);
  onTestFinished(() => node.close());
  return node;
}

async function send(chain: Requester, transaction: object): Promise<Record<string, unknown>> {
  const [from] = (await chain.request({ method: 'eth_accounts' })) as string[];
  const params = [{ from, gas: '0x200000', ...transaction }];
  const hash = await chain.request({ method: 'eth_sendTransaction', params });
  return (await chain.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as never;
}

/** A chain with a mailbox in its last block, and the options of a lane that forks it. */
interface Upstream {
  readonly options: LaneOptions;
  readonly mailbox: string;
  /** The number of requests that it has received. */
  readonly requests: () => number;
}

async function openUpstream(
  { chainId, hardfork, transfers, lane }: (typeof CHAINS)[number],
  timestamp: number,
): Promise<Upstream> {
  const node = await openNode({ chainId, hardfork, timestamp });
  for (let index = 0; index < transfers; index++) await send(node, { to: FUNDED, value: '0x5' });
  const { contractAddress, blockNumber } = await send(node, { data: bytecode });
  const { url, count } = await countRequestsTo(await node.listen());
  const options = { ...lane, key: `of-${chainId}`, forkUrl: url, forkBlockNumber: Number(blockNumber) };
  return { options, mailbox: String(contractAddress), requests: count };
}

function openUpstreams(timestamps: readonly number[] = [2e9, 2e9]): Promise<Upstream[]> {
  return Promise.all(CHAINS.map((chain, index) => openUpstream(chain, timestamps[index] ?? 0)));
}

/** A lane and the mailbox on it. */
interface Station {
  readonly lane: Lane;
  readonly mailbox: string;
  readonly chainId: number;
}

/** Lanes of a new node that fork the upstreams, in one group. */
async function openStations(
  upstreams: readonly Upstream[],
  options: LocalNodeOptions = { noStorageCaching: true },
): Promise<[Station, Station]> {
  const node = await openNode(options);
  const { url } = await node.listen({ lanes: true });
  const stations: Station[] = [];
  for (const { options: own, mailbox } of upstreams) {
    const lane = await openLane(url, { ...own, group: 'bridge' });
    stations.push({ lane, mailbox, chainId: own.chainId ?? 0 });
  }
  return stations as [Station, Station];
}

async function post({ lane, mailbox }: Station, to: Station, text: string): Promise<void> {
  const args = [BigInt(to.chainId), stringToHex(text)];
  const { status } = await send(lane, {
    to: mailbox,
    data: encodeFunctionData({ abi, functionName: 'send', args }),
  });
  expect(status).toBe('0x1');
}

async function received({ lane, mailbox }: Station, from: Station, id: number): Promise<string> {
  const args = [BigInt(from.chainId), BigInt(id)];
  const data = encodeFunctionData({ abi, functionName: 'received', args });
  const output = await lane.request({ method: 'eth_call', params: [{ to: mailbox, data }, 'latest'] });
  const found = decodeFunctionResult({ abi, functionName: 'received', data: output as Hex });
  return hexToString(found as unknown as Hex);
}

async function relayOf(from: Station, to: Station): Promise<Relay> {
  const [account] = (await to.lane.request({ method: 'eth_accounts' })) as string[];
  return createRelay({
    from: from.lane,
    to: to.lane,
    filter: { address: from.mailbox, topics: encodeEventTopics({ abi, eventName: 'Sent' }) },
    deliver: ({ topics, data, blockTimestamp }: RelayedLog) => {
      const log = { topics: topics as [Hex], data: data as Hex };
      const { args } = decodeEventLog({ abi, eventName: 'Sent', ...log });
      const { id, message } = args as unknown as { id: bigint; message: Hex };
      const given = [BigInt(from.chainId), id, message, BigInt(blockTimestamp)];
      const call = encodeFunctionData({ abi, functionName: 'receiveMessage', args: given });
      return { from: account, to: to.mailbox, data: call, gas: '0x200000' };
    },
  });
}

async function headOf({ lane }: Station): Promise<Record<string, unknown>> {
  return (await lane.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as never;
}

async function minedTime(station: Station): Promise<number> {
  await station.lane.request({ method: 'evm_mine' });
  return Number((await headOf(station)).timestamp);
}

describe('lanes that fork two chains', () => {
  it('have their own chain ids, hardforks and states', async () => {
    const [one, two] = await openStations(await openUpstreams());
    for (const [{ lane }, chainId, balance] of [
      [one, '0x3e9', '0x5'],
      [two, '0x138d', '0xa'],
    ] as const) {
      expect(await lane.request({ method: 'eth_chainId' })).toBe(chainId);
      expect(await lane.request({ method: 'eth_getBalance', params: [FUNDED, 'latest'] })).toBe(balance);
      // CHAINID, PUSH0, MSTORE, MSIZE, PUSH0, RETURN
      const call = { data: '0x465f52595ff3' };
      expect(Number(await lane.request({ method: 'eth_call', params: [call, 'latest'] }))).toBe(
        Number(chainId),
      );
      await lane.request({ method: 'evm_mine' });
    }
    expect(await headOf(one)).toHaveProperty('requestsHash');
    expect(await headOf(two)).toHaveProperty('blobGasUsed');
    expect(await headOf(two)).not.toHaveProperty('requestsHash');
  });

  it('share one clock', async () => {
    const [one, two] = await openStations(await openUpstreams());
    await two.lane.request({ method: 'evm_setNextBlockTimestamp', params: [2_200_000_000] });
    expect(await Promise.all([minedTime(one), minedTime(two)])).toEqual([2_200_000_000, 2_200_000_000]);
    await one.lane.request({ method: 'evm_increaseTime', params: [86_400] });
    for (const time of [await minedTime(one), await minedTime(two)])
      expect(time).toBeGreaterThanOrEqual(2_200_086_400);
  });

  it.each([
    ['later', [2_000_000_000, 2_100_000_000]],
    ['earlier', [2_100_000_000, 2_000_000_000]],
  ])('share one clock if the second chain is %s than the first', async (_, timestamps) => {
    const [one, two] = await openStations(await openUpstreams(timestamps));
    const [first, second] = [await minedTime(one), await minedTime(two)];
    expect(first).toBeGreaterThan(2_100_000_000);
    expect(Math.abs(second - first)).toBeLessThan(60);
  });

  it('exchange messages by a relay', async () => {
    const [one, two] = await openStations(await openUpstreams());
    const [there, back] = [await relayOf(one, two), await relayOf(two, one)];
    const before = await snapshotLanes([one.lane, two.lane]);
    for (const text of ['a message', 'another message']) {
      await post(one, two, text);
      expect((await there.run()).map(({ receipt }) => receipt?.status)).toEqual(['0x1']);
      expect(await received(two, one, 0)).toBe(text);
      await post(two, one, 'an answer');
      expect(await back.run()).toHaveLength(1);
      expect(await received(one, two, 0)).toBe('an answer');
      await before.revert();
      expect([await received(two, one, 0), await received(one, two, 0)]).toEqual(['', '']);
    }
  });

  it('share the fork cache, and a second run sends no request', async () => {
    const forkCacheDir = await temporaryDirectory();
    const upstreams = await openUpstreams();
    const run = async (): Promise<string> => {
      const [one, two] = await openStations(upstreams, { forkCacheDir });
      const relay = await relayOf(one, two);
      await post(one, two, 'a message');
      await relay.run();
      return received(two, one, 0);
    };
    expect(await run()).toBe('a message');
    const sent = upstreams.map(({ requests }) => requests());
    expect(Math.min(...sent)).toBeGreaterThan(0);
    const files = (await readdir(forkCacheDir, { recursive: true })).map((path) => path.split(sep));
    for (const { chainId } of CHAINS) expect(files.flat()).toContain(String(chainId));
    expect(await run()).toBe('a message');
    expect(upstreams.map(({ requests }) => requests())).toEqual(sent);
  });
});

it('a lane of a fork starts at an older block with forkBlockNumber, but not with a block', async () => {
  const upstream = await openNode({ chainId: 1001 });
  for (let index = 0; index < 3; index++) await send(upstream, { to: FUNDED, value: '0x5' });
  const { url: forkUrl } = await upstream.listen();
  const node = await openNode({ forkUrl, noStorageCaching: true });
  const { url } = await node.listen({ lanes: true });
  const create = (options: object): Promise<unknown> =>
    resultAt(url, 'lane_create', [{ key: 'older', ...options }]);

  await expect(create({ from: { block: '0x1' } })).rejects.toThrow(
    'expected block 3 or a later block (for an older block of the forked chain, pass forkBlockNumber), got block 1',
  );
  await create({ forkBlockNumber: 1 });
  expect(await resultAt(url, 'lane_list')).toMatchObject([{ key: 'older', blockNumber: '0x1' }]);
});
