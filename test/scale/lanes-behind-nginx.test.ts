import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { resultAt } from '../support/json-rpc.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { countRequestsTo } from './counting-upstream.ts';
import { listen, portOf } from './ports.ts';
import { optionsOfReadme } from './readme-commands.ts';
import { startNginx } from './running-nginx.ts';
import { kill, type SharedAddress, startSharedAddress, startTestNode } from './shared-address.ts';

const [SENDER, RECEIVER] = DEV_ACCOUNTS;
const TRANSFER = { from: SENDER.address, to: RECEIVER.address, value: '0x1' };
const KEYS = Array.from({ length: 40 }, (_, place) => `shard-${place + 10}`);
const LANES_ONLY = [['--lanes'], ['--lanes']] as const;

/** Starts two nodes without a base, and calls a lane for each key. Returns one key of each node. */
async function startWithLanes(): Promise<SharedAddress & { readonly own: readonly [string, string] }> {
  const shared = await startSharedAddress(LANES_ONLY);
  await Promise.all(KEYS.map((key) => shared.call(key, 'eth_blockNumber')));
  const [[first = ''], [second = '']] = await shared.keys();
  return { ...shared, own: [first, second] };
}

/** Opens a WebSocket on a lane, through nginx. */
async function openWebSocket({ address }: SharedAddress, key: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://${address}/${key}`);
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  return socket;
}

/** The next message of a WebSocket, parsed. Call it before the action that causes the message. */
async function nextMessage(socket: WebSocket): Promise<{ readonly [name: string]: unknown }> {
  const [data] = await once(socket, 'message');
  return JSON.parse(String(data));
}

/** Hash of the first block of a lane after the base. */
async function firstHash(shared: SharedAddress, key: string): Promise<unknown> {
  const block = await shared.call(key, 'eth_getBlockByNumber', '0x1', false);
  if (typeof block !== 'object' || block === null || !('hash' in block)) throw new TypeError('no block');
  return block.hash;
}

describe('two nodes behind nginx, as in the README', () => {
  it('share the lanes, and each lane stays on the same node', async () => {
    const shared = await startSharedAddress(LANES_ONLY);
    for (const key of KEYS) await shared.call(key, 'eth_sendTransaction', TRANSFER);
    const [first, second] = await shared.keys();
    expect(first).not.toEqual([]);
    expect(second).not.toEqual([]);
    expect([...first, ...second].sort()).toEqual(KEYS);

    const numbers = await Promise.all(KEYS.map((key) => shared.call(key, 'eth_blockNumber')));
    expect(new Set(numbers)).toEqual(new Set(['0x1']));
    expect(await shared.keys()).toEqual([first, second]);
  });

  it('isolate lanes from each other, on one node and on two, and from the base', async () => {
    const { call: callLane, keys, nodes, own } = await startWithLanes();
    const [[, neighbour = '']] = await keys();
    await callLane(own[0], 'eth_sendTransaction', TRANSFER);
    await callLane(own[1], 'hardhat_mine', '0x5');
    expect(await callLane(own[0], 'eth_blockNumber')).toBe('0x1');
    expect(await callLane(own[1], 'eth_blockNumber')).toBe('0x5');
    expect(await callLane(neighbour, 'eth_blockNumber')).toBe('0x0');
    for (const { url } of nodes) expect(await resultAt(url, 'eth_blockNumber')).toBe('0x0');
  });

  it('start all lanes from the base that both nodes have loaded', async () => {
    const file = join(await temporaryDirectory(), 'base.json.gz');
    const preparing = await startTestNode('--dump-state', file);
    await resultAt(preparing.url, 'eth_sendTransaction', [TRANSFER]);
    await preparing.stop();

    const shared = await startSharedAddress(optionsOfReadme('--load-state', { './base.json.gz': file }));
    const nonces = KEYS.map((key) => shared.call(key, 'eth_getTransactionCount', SENDER.address, 'latest'));
    expect(new Set(await Promise.all(nonces))).toEqual(new Set(['0x1']));
    expect((await shared.keys()).map((keys) => keys.length > 0)).toEqual([true, true]);
  });

  it('serve subscriptions of a lane without events of other lanes', async () => {
    const shared = await startWithLanes();
    for (const key of shared.own) {
      const other = `${key}~other`;
      const socket = await openWebSocket(shared, key);
      const answered = nextMessage(socket);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
      const { result: subscription } = await answered;
      const heard = nextMessage(socket);
      await shared.call(other, 'evm_mine');
      await shared.call(key, 'eth_sendTransaction', TRANSFER);
      const hash = await firstHash(shared, key);
      expect(await heard).toMatchObject({
        params: { subscription, result: { number: '0x1', hash } },
      });
      expect(await firstHash(shared, other)).not.toBe(hash);
    }
  });

  it('create a lane from another one on the same node', async () => {
    const shared = await startWithLanes();
    for (const key of shared.own) {
      await shared.call(key, 'hardhat_mine', '0x3');
      const branch = await shared.call(key, 'lane_create', { key: `${key}~branch`, from: { lane: key } });
      expect(await shared.call(String(branch), 'eth_blockNumber')).toBe('0x3');
    }
  });

  it('accept requests as large as a single node', async () => {
    const shared = await startWithLanes();
    const bytes = `0x${'00'.repeat(5_000_000)}`;
    const hashes = await Promise.all(shared.own.map((key) => shared.call(key, 'web3_sha3', bytes)));
    expect(hashes[0]).toMatch(/^0x[0-9a-f]{64}$/);
    expect(hashes[1]).toBe(hashes[0]);
  });

  it('have no base chain at the shared address', async () => {
    const { address } = await startSharedAddress(LANES_ONLY);
    await expect(resultAt(`http://${address}/`, 'eth_blockNumber')).rejects.toThrow(
      'HTTP 404: Add a lane to the path',
    );
  });

  it('reject requests without an API key if both have the same keys', async () => {
    const options = ['--lanes', '--api-key', 'shard-1', '--api-key', 'shard-2'];
    const shared = await startSharedAddress([options, options]);
    await shared.call('shard-1', 'eth_sendTransaction', TRANSFER);
    expect(await shared.call('shard-1', 'eth_blockNumber')).toBe('0x1');
    expect(await shared.call('shard-2', 'eth_blockNumber')).toBe('0x0');
    await expect(shared.call('shard-3', 'eth_blockNumber')).rejects.toThrow('HTTP 401');
  });

  it('reject a host name that is not allowed, like a single node', async () => {
    const { address } = await startSharedAddress(LANES_ONLY);
    const socket = new WebSocket(`ws://${address}/shard-10`, { headers: { host: 'elsewhere.example' } });
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(403);
  });
});

describe('a killed node behind nginx', () => {
  it('loses its lanes to the other node and gets them back later, without effect on other keys', async () => {
    const shared = await startWithLanes();
    const [survivor, mortal] = shared.nodes;
    const [kept, lost] = shared.own;
    const [keysKept, keysLost] = await shared.keys();
    for (const key of shared.own) await shared.call(key, 'hardhat_mine', '0x7');
    const socket = await openWebSocket(shared, lost);

    const cut = once(socket, 'close');
    await kill(mortal);
    await cut;
    expect(await shared.call(lost, 'eth_blockNumber')).toBe('0x0');
    expect(await shared.call(kept, 'eth_blockNumber')).toBe('0x7');
    for (const key of keysLost) await shared.call(key, 'evm_mine');
    expect(await resultAt(survivor.url, 'lane_list')).toHaveLength(KEYS.length);

    const restarted = await startTestNode('--lanes', '--port', String(portOf(mortal)));
    expect(await shared.call(lost, 'eth_blockNumber')).toBe('0x0');
    expect(await shared.call(kept, 'eth_blockNumber')).toBe('0x7');
    for (const key of [...keysKept, ...keysLost]) await shared.call(key, 'eth_blockNumber');
    expect(await resultAt(restarted.url, 'lane_list')).toEqual(
      expect.arrayContaining(keysLost.map((key) => ({ key, blockNumber: '0x0' }))),
    );
    expect(await resultAt(restarted.url, 'lane_list')).toHaveLength(keysLost.length);
  });

  it('fails its pending requests, and nginx does not retry them on the other node', async () => {
    let requests = 0;
    const dying = [0, 0].map(() =>
      createServer((socket) => {
        socket.once('data', () => {
          requests++;
          socket.destroy();
        });
      }),
    );
    onTestFinished(() => {
      for (const server of dying) server.close();
    });
    const [first = 0, second = 0] = await Promise.all(dying.map(listen));
    const { address } = await startNginx([first, second]);
    for (const key of KEYS)
      await expect(resultAt(`http://${address}/${key}`, 'eth_sendTransaction', [TRANSFER])).rejects.toThrow(
        'HTTP 502',
      );
    expect(requests).toBe(KEYS.length);
  });
});

describe('a shared fork cache', () => {
  const CODE = '0x602a60005260206000f3';
  const ASKED = [
    ['eth_getBalance', SENDER.address, 'latest'],
    ['eth_getCode', RECEIVER.address, '0x14'],
    ['eth_call', { to: `0x${'c0'.repeat(20)}` }, 'latest'],
    ['eth_getStorageAt', `0x${'c0'.repeat(20)}`, '0x0', 'latest'],
    ['eth_getBlockByNumber', '0x5', true],
    ['eth_getLogs', { fromBlock: '0x0', toBlock: '0x14' }],
  ] as const;

  it('lets the second node and the next run send no upstream requests', async () => {
    const node = await startTestNode();
    await resultAt(node.url, 'hardhat_setCode', [`0x${'c0'.repeat(20)}`, CODE]);
    await resultAt(node.url, 'eth_sendTransaction', [TRANSFER]);
    await resultAt(node.url, 'hardhat_mine', ['0x64']);
    const upstream = await countRequestsTo(node);
    const directory = await temporaryDirectory();
    const options = optionsOfReadme('--fork-cache-dir', {
      'https://node.example/rpc': upstream.url,
      '7000000': '20',
      './fork-cache': directory,
    });

    /** The requests of a suite of a shard. */
    const answersOn = async ({ call: callLane }: SharedAddress, key: string): Promise<unknown[]> => {
      const answers: unknown[] = [];
      for (const [method, ...params] of ASKED) answers.push(await callLane(key, method, ...params));
      await callLane(key, 'eth_sendTransaction', TRANSFER);
      return answers;
    };
    const run = async (): Promise<{ answers: unknown[][]; requests: [number, number] }> => {
      const shared = await startSharedAddress(options);
      await Promise.all(KEYS.map((key) => shared.call(key, 'eth_chainId')));
      const [[first = ''], [second = '']] = await shared.keys();
      const before = upstream.count();
      const answers = [await answersOn(shared, first)];
      const between = upstream.count();
      answers.push(await answersOn(shared, second));
      const requests: [number, number] = [between - before, upstream.count() - between];
      await Promise.all(shared.nodes.map((each) => each.stop()));
      return { answers, requests };
    };

    const { answers, requests } = await run();
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[2]).toBe(`0x${'2a'.padStart(64, '0')}`);
    expect(requests).toEqual([expect.any(Number), 0]);
    expect(requests[0]).toBeGreaterThan(0);

    const asked = upstream.count();
    expect((await run()).answers).toEqual(answers);
    expect(upstream.count() - asked).toBe(0);
  });
});
