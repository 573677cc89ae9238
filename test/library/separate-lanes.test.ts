import {
  createPublicClient,
  createWalletClient,
  decodeEventLog,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  http,
  parseEther,
} from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNode, type LocalNode, type LocalNodeOptions, type LocalServer } from '../../src/index.ts';
import { createRelay, openLane, type RelayedLog, snapshotLanes } from '../../src/library/lanes.ts';
import { readArtifact } from '../support/artifacts.ts';

const { abi, bytecode } = readArtifact('shanghai', 'Mailbox');
const SOMEBODY = `0x${'77'.repeat(20)}`;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function started(options: LocalNodeOptions = {}): Promise<{ node: LocalNode; server: LocalServer }> {
  const node = await createNode(options);
  open.push(node);
  return { node, server: await node.listen({ lanes: true }) };
}

async function timeOf(lane: { request(call: { method: string; params?: unknown[] }): Promise<unknown> }) {
  await lane.request({ method: 'evm_mine' });
  const block = await lane.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
  return Number((block as { timestamp: string }).timestamp);
}

describe('lane of another chain', () => {
  it('the lane has the blocks and contracts of the base chain with another chain id', async () => {
    const { node, server } = await started();
    const [from] = (await node.request({ method: 'eth_accounts' })) as string[];
    await node.request({ method: 'eth_sendTransaction', params: [{ from, to: SOMEBODY, value: '0x5' }] });
    const lane = await openLane(server.url, { key: 'other', chainId: 5 });
    expect(await lane.request({ method: 'eth_chainId' })).toBe('0x5');
    expect(await lane.request({ method: 'net_version' })).toBe('5');
    expect(await node.request({ method: 'eth_chainId' })).toBe('0x21');
    expect(await lane.request({ method: 'eth_getBalance', params: [SOMEBODY, 'latest'] })).toBe('0x5');
    // CHAINID, PUSH0, MSTORE, MSIZE, PUSH0, RETURN
    expect(
      Number(await lane.request({ method: 'eth_call', params: [{ data: '0x465f52595ff3' }, 'latest'] })),
    ).toBe(5);
    expect(await node.request({ method: 'lane_list' }).catch(() => 'none')).toBe('none');
    const [listed] = (await lane.request({ method: 'lane_list' })) as object[];
    expect(listed).toEqual({ key: 'other', blockNumber: '0x1', chainId: '0x5' });
    await lane.request({ method: 'evm_mine' });
    await lane.request({ method: 'lane_reset' });
    expect(await lane.request({ method: 'eth_chainId' })).toBe('0x5');
    expect(await lane.request({ method: 'eth_blockNumber' })).toBe('0x1');
  });

  it('the lane does not contain pending transactions of the base chain', async () => {
    const { node, server } = await started({ noMining: true });
    const [from] = (await node.request({ method: 'eth_accounts' })) as string[];
    await node.request({ method: 'eth_sendTransaction', params: [{ from, to: SOMEBODY, value: '0x5' }] });
    const [same, other] = [await openLane(server.url), await openLane(server.url, { chainId: 5 })];
    expect(await same.request({ method: 'txpool_status' })).toMatchObject({ pending: 1 });
    expect(await other.request({ method: 'txpool_status' })).toMatchObject({ pending: 0 });
    await other.request({ method: 'lane_reset' });
    expect(await other.request({ method: 'txpool_status' })).toMatchObject({ pending: 0 });
  });

  it('a lane with another hardfork starts from its own genesis with the accounts of the node', async () => {
    const { node, server } = await started({ accounts: 3, balance: 7 });
    await node.request({ method: 'evm_mine' });
    const lane = await openLane(server.url, { key: 'osaka', hardfork: 'osaka', chainId: 1 });
    const client = createPublicClient({ transport: http(lane.url) });
    expect(await client.getChainId()).toBe(1);
    expect(await client.getBlockNumber()).toBe(0n);
    const block = await client.getBlock();
    expect(block).toMatchObject({ gasLimit: 60_000_000n, baseFeePerGas: 1_000_000_000n });
    const accounts = (await lane.request({ method: 'eth_accounts' })) as Hex[];
    expect(accounts).toEqual(await node.request({ method: 'eth_accounts' }));
    const [account = '0x'] = accounts;
    expect(await client.getBalance({ address: account })).toBe(parseEther('7'));
    const wallet = createWalletClient({ transport: http(lane.url) });
    const hash = await wallet.sendTransaction({ account, to: accounts[1], value: 1n, chain: null });
    expect(await client.getTransactionReceipt({ hash })).toMatchObject({
      status: 'success',
      type: 'eip1559',
    });
    expect(await node.request({ method: 'eth_blockNumber' })).toBe('0x1');
  });

  it('a lane with forkUrl forks another chain and uses its chain id, block and rules', async () => {
    const { node: upstream, server: source } = await started({ chainId: 1234, hardfork: 'cancun' });
    const [from] = (await upstream.request({ method: 'eth_accounts' })) as string[];
    const transfer = { from, to: SOMEBODY, value: '0x5' };
    for (let count = 0; count < 2; count++)
      await upstream.request({ method: 'eth_sendTransaction', params: [transfer] });
    const { server } = await started();
    const lane = await openLane(server.url, { key: 'fork', forkUrl: source.url, forkBlockNumber: 1 });
    expect(await lane.request({ method: 'eth_chainId' })).toBe('0x4d2');
    expect(await lane.request({ method: 'eth_blockNumber' })).toBe('0x1');
    expect(await lane.request({ method: 'eth_getBalance', params: [SOMEBODY, 'latest'] })).toBe('0x5');
    await lane.request({ method: 'eth_sendTransaction', params: [transfer] });
    expect(await lane.request({ method: 'eth_getBalance', params: [SOMEBODY, 'latest'] })).toBe('0xa');
    expect(await lane.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })).toHaveProperty(
      'blobGasUsed',
    );
    const branch = await lane.fork('branch');
    await lane.request({ method: 'lane_reset' });
    expect(await lane.request({ method: 'eth_blockNumber' })).toBe('0x1');
    expect(await branch.request({ method: 'eth_blockNumber' })).toBe('0x2');
    expect(await lane.drop()).toBe(true);
    expect(
      await branch.request({ method: 'eth_getBalance', params: [`0x${'78'.repeat(20)}`, 'latest'] }),
    ).toBe('0x0');
  });

  it('the lane is not created with invalid options, and the error has the path', async () => {
    const { server } = await started();
    const refused = async (options: object): Promise<string> =>
      openLane(server.url, options).then(
        () => 'made',
        (error: Error) => error.message,
      );
    expect(await refused({ hardfork: 'nowhere' })).toContain(
      'params: options.hardfork: expected a hardfork: rootstock',
    );
    expect(await refused({ chainId: 0 })).toContain('params: options.chainId: expected a chain id from 1');
    expect(await refused({ forkUrl: 'ftp://x' })).toContain('params: options.forkUrl:');
    expect(await refused({ hardfork: 'osaka', from: { block: '0x0' } })).toContain(
      'params: options.from: expected no value together with hardfork, forkUrl, forkBlockNumber',
    );
    expect(await refused({ forkBlockNumber: 1 })).toContain('forkBlockNumber requires forkUrl');
    const unreachable = { key: 'x', forkUrl: 'http://127.0.0.1:1' };
    expect(await refused({ ...unreachable, retries: 0 })).toContain('params: options.retries:');
    const lane = await openLane(server.url, { key: 'there' });
    expect(await refused({ key: 'there', hardfork: 'osaka' })).toContain('an unused lane key');
    expect(await lane.request({ method: 'lane_list' })).toHaveLength(1);
  });
});

describe('group of lanes', () => {
  it('the group shares one clock, and other lanes keep their own', async () => {
    const { server } = await started({ timestamp: 2_000_000_000 });
    const one = await openLane(server.url, { chainId: 1, group: 'bridge' });
    const ten = await openLane(server.url, { chainId: 10, hardfork: 'prague', group: 'bridge' });
    const alone = await openLane(server.url, { chainId: 7 });
    const lanes = [one, ten, alone];
    const [before = 0] = await Promise.all(lanes.map(timeOf));
    await ten.request({ method: 'evm_increaseTime', params: [3_600] });
    const [first = 0, second = 0, third = 0] = await Promise.all(lanes.map(timeOf));
    for (const time of [first, second]) expect(time - before).toBeGreaterThanOrEqual(3_600);
    expect(third - before).toBeLessThan(3_600);
    await one.request({ method: 'evm_setTime', params: [2_100_000_000] });
    expect(Math.abs((await timeOf(ten)) - 2_100_000_000)).toBeLessThan(60);
    await one.request({ method: 'evm_setNextBlockTimestamp', params: [2_200_000_000] });
    expect(await Promise.all([timeOf(one), timeOf(ten)])).toEqual([2_200_000_000, 2_200_000_000]);
    expect(await timeOf(alone)).toBeLessThan(2_100_000_000);
  });

  it('a lane that joins a group gets the time of the group', async () => {
    const { server } = await started({ timestamp: 2_000_000_000 });
    const one = await openLane(server.url, { group: 'bridge' });
    await one.request({ method: 'evm_increaseTime', params: [86_400] });
    const ten = await openLane(server.url, { hardfork: 'prague', group: 'bridge' });
    expect(await timeOf(ten)).toBeGreaterThanOrEqual(2_000_086_400);
  });

  it('the group cannot be set to a time before one of its lanes', async () => {
    const { server } = await started({ timestamp: 2_000_000_000 });
    const one = await openLane(server.url, { group: 'bridge' });
    const ten = await openLane(server.url, { group: 'bridge' });
    await ten.request({ method: 'evm_setNextBlockTimestamp', params: [2_100_000_000] });
    await ten.request({ method: 'evm_mine' });
    const set = one.request({ method: 'evm_setNextBlockTimestamp', params: [2_050_000_000] });
    await expect(set).rejects.toThrow('2050000000');
    expect(await timeOf(one)).not.toBe(2_050_000_000);
  });
});

describe('messages between two lanes', () => {
  let url = '';

  beforeEach(async () => {
    ({
      server: { url },
    } = await started());
  });

  async function bridge() {
    const one = await openLane(url, { key: 'one', chainId: 1, group: 'bridge' });
    const ten = await openLane(url, { key: 'ten', chainId: 10, group: 'bridge' });
    const [account = ''] = (await one.request({ method: 'eth_accounts' })) as string[];
    const deploy = async (lane: typeof one): Promise<string> => {
      const hash = await lane.request({
        method: 'eth_sendTransaction',
        params: [{ from: account, data: bytecode, gas: '0x200000' }],
      });
      const receipt = await lane.request({ method: 'eth_getTransactionReceipt', params: [hash] });
      return (receipt as { contractAddress: string }).contractAddress;
    };
    const mailboxes = [await deploy(one), await deploy(ten)] as const;
    const relayOf = (from: typeof one, to: typeof one, source: string, target: string, chainId: number) =>
      createRelay({
        from,
        to,
        filter: { address: source, topics: encodeEventTopics({ abi, eventName: 'Sent' }) },
        deliver: (log: RelayedLog) => {
          const { args } = decodeEventLog({
            abi,
            eventName: 'Sent',
            topics: log.topics as [Hex],
            data: log.data as Hex,
          });
          const { id, message } = args as unknown as { id: bigint; message: Hex };
          const given = [BigInt(chainId), id, message, BigInt(log.blockTimestamp)];
          const data = encodeFunctionData({ abi, functionName: 'receiveMessage', args: given });
          return { from: account, to: target, data, gas: '0x100000' };
        },
      });
    const there = await relayOf(one, ten, mailboxes[0], mailboxes[1], 1);
    const back = await relayOf(ten, one, mailboxes[1], mailboxes[0], 10);
    const say = (lane: typeof one, text: string): Promise<unknown> => {
      const [mailbox, other] = lane === one ? [mailboxes[0], 10n] : [mailboxes[1], 1n];
      const message = `0x${Buffer.from(text).toString('hex')}`;
      const data = encodeFunctionData({ abi, functionName: 'send', args: [other, message] });
      return lane.request({
        method: 'eth_sendTransaction',
        params: [{ from: account, to: mailbox, data, gas: '0x100000' }],
      });
    };
    const heard = async (lane: typeof one, chainId: number, id: number): Promise<string> => {
      const data = encodeFunctionData({ abi, functionName: 'received', args: [BigInt(chainId), BigInt(id)] });
      const mailbox = lane === one ? mailboxes[0] : mailboxes[1];
      const answer = String(
        await lane.request({ method: 'eth_call', params: [{ to: mailbox, data }, 'latest'] }),
      );
      const length = Number(`0x${answer.slice(66, 130)}`);
      return Buffer.from(answer.slice(130, 130 + 2 * length), 'hex').toString();
    };
    return { one, ten, there, back, say, heard };
  }

  it('messages are delivered on request, in both directions and in order', async () => {
    const { one, ten, there, back, say, heard } = await bridge();
    await say(one, 'first');
    await say(one, 'second');
    expect(await heard(ten, 1, 0)).toBe('');
    expect((await there.run()).map(({ receipt }) => receipt?.status)).toEqual(['0x1', '0x1']);
    expect([await heard(ten, 1, 0), await heard(ten, 1, 1)]).toEqual(['first', 'second']);
    expect(await there.run()).toEqual([]);
    await say(ten, 'answer');
    expect(await back.run()).toHaveLength(1);
    expect(await heard(one, 10, 0)).toBe('answer');
  });

  it('messages arrive after they were sent, because both chains share a clock', async () => {
    const { one, ten, there, say, heard } = await bridge();
    for (let block = 0; block < 20; block++) await one.request({ method: 'evm_mine' });
    await say(one, 'many blocks later');
    await there.run();
    expect(await heard(ten, 1, 0)).toBe('many blocks later');
    await one.request({ method: 'evm_increaseTime', params: [86_400] });
    await say(one, 'a day later');
    await there.run();
    expect(await heard(ten, 1, 1)).toBe('a day later');
  });

  it('messages can be sent again after both chains were reverted together', async () => {
    const { one, ten, there, say, heard } = await bridge();
    await say(one, 'kept');
    await there.run();
    const before = await snapshotLanes([one, ten]);
    for (const text of ['one', 'another']) {
      await say(one, text);
      await there.run();
      expect(await heard(ten, 1, 1)).toBe(text);
      await before.revert();
      expect([await heard(ten, 1, 0), await heard(ten, 1, 1)]).toEqual(['kept', '']);
    }
  });

  it('a revert is rejected with the lane that lost its snapshot', async () => {
    const { one, ten } = await bridge();
    const earlier = await one.request({ method: 'evm_snapshot' });
    const before = await snapshotLanes([ten, one]);
    await one.request({ method: 'evm_revert', params: [earlier] });
    await expect(before.revert()).rejects.toThrow(`the lane at ${one.url} no longer has snapshot`);
  });

  it('failed messages are delivered again, but earlier ones are not', async () => {
    const { one, ten, there, say, heard } = await bridge();
    await say(one, 'fine');
    await say(one, 'late');
    await say(one, 'last');
    // The second message was already delivered differently, so the mailbox rejects it.
    const data = encodeFunctionData({ abi, functionName: 'receiveMessage', args: [1n, 1n, '0x01', 0n] });
    const before = await snapshotLanes([ten]);
    const [account] = (await ten.request({ method: 'eth_accounts' })) as string[];
    const [{ address: mailbox } = { address: '' }] = (await one.request({
      method: 'eth_getLogs',
      params: [{ fromBlock: '0x0' }],
    })) as { address: string }[];
    await ten.request({
      method: 'eth_sendTransaction',
      params: [{ from: account, to: mailbox, data, gas: '0x100000' }],
    });
    await expect(there.run()).rejects.toThrow(
      /^the relayed transaction 0x[0-9a-f]{64} failed on .*; for the reason, run npx node-cli trace 0x/,
    );
    await before.revert();
    // The lane has lost the delivered block by its revert. The relay continues after it.
    expect(await there.run()).toHaveLength(2);
    expect([await heard(ten, 1, 1), await heard(ten, 1, 2)]).toEqual(['late', 'last']);
  });
});
