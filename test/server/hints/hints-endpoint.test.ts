import { get, type IncomingMessage } from 'node:http';
import { keccak256 } from 'viem';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PeerTable } from '../../../src/node/peer-table.ts';
import { ALICE, BOB } from '../../support/test-chain.ts';
import { FakeService } from '../fake-service.ts';
import { type LaneServer, startLaneServer } from '../lane-server.ts';
import { startTestServer, type TestServer } from '../test-server.ts';

const EMITTER = `0x${'e0'.repeat(20)}`;
const UNISWAP_2_SWAP = 'd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822';
/** LOG2(0, 32, swap, CALLER), LOG0(0, 1) */
const EMIT = `0x337f${UNISWAP_2_SWAP}60205fa260015fa0`;
const CALL_DATA = '0x12345678aabb';

interface Stream {
  readonly response: IncomingMessage;
  /** Resolves to the next event or comment; `null` at the end. */
  next(): Promise<string | null>;
  close(): void;
}

async function openStream({ port }: TestServer, path = '/'): Promise<Stream> {
  const request = get({ host: '127.0.0.1', port, path, headers: { accept: 'text/event-stream' } });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  onTestFinished(() => void request.destroy());
  let text = '';
  const chunks = response.setEncoding('utf8')[Symbol.asyncIterator]();
  return {
    response,
    close: () => void request.destroy(),
    async next() {
      while (!text.includes('\n\n')) {
        const { done, value } = await chunks.next();
        if (done === true) return null;
        text += value;
      }
      const end = text.indexOf('\n\n');
      const message = text.slice(0, end);
      text = text.slice(end + 2);
      return message;
    },
  };
}

/** The next event as JSON. */
async function eventOf(stream: Stream): Promise<unknown> {
  const text = (await stream.next()) ?? '';
  expect(text).toMatch(/^data: /);
  return JSON.parse(text.slice('data: '.length));
}

/** A server without automine, with a contract that emits a swap and another log. */
async function serve(path = '/'): Promise<LaneServer & { readonly stream: Stream }> {
  const chain = { automine: false } as const;
  const scene = await startLaneServer({ ruleSet: 'prague', compat: 'anvil', chain });
  await scene.call(path, 'anvil_setCode', [EMITTER, EMIT]);
  const stream = await openStream(scene.server, path);
  expect(await stream.next()).toBe(':ping');
  return { ...scene, stream };
}

async function sign({ call }: LaneServer, fields: object = {}, path = '/'): Promise<`0x${string}`> {
  const request = {
    from: ALICE,
    to: EMITTER,
    data: CALL_DATA,
    gas: '0x186a0',
    gasPrice: '0x77359400',
    nonce: 0,
  };
  return (await call(path, 'eth_signTransaction', [{ ...request, ...fields }])) as `0x${string}`;
}

describe('the event stream of MEV-Share', () => {
  it('has the hints of a private transaction', async () => {
    const scene = await serve();
    const tx = await sign(scene);
    const hints = ['hash', 'tx_hash', 'calldata', 'logs'];

    const hash = (await scene.call('/', 'eth_sendPrivateTransaction', [
      { tx, preferences: { fast: true, privacy: { hints, builders: ['flashbots'] } } },
    ])) as `0x${string}`;

    expect(scene.stream.response.headers['content-type']).toBe('text/event-stream');
    expect(await eventOf(scene.stream)).toEqual({
      hash: keccak256(hash),
      logs: [
        {
          address: EMITTER,
          topics: [`0x${UNISWAP_2_SWAP}`, `0x${'0'.repeat(24)}${ALICE.slice(2)}`],
          data: `0x${'0'.repeat(64)}`,
        },
        { address: EMITTER, topics: [], data: '0x00' },
      ],
      txs: [{ hash, to: EMITTER, functionSelector: '0x12345678', callData: CALL_DATA }],
    });
  });

  it('has only the pools of swaps by default', async () => {
    const scene = await serve();

    await scene.call('/', 'eth_sendPrivateTransaction', [{ tx: await sign(scene) }]);

    const topics = [`0x${UNISWAP_2_SWAP}`, `0x${'0'.repeat(64)}`];
    expect(await eventOf(scene.stream)).toMatchObject({
      logs: [{ address: EMITTER, topics, data: '0x' }],
      txs: null,
    });
  });

  it('has the hints of each part of an MEV-Share bundle, and none of pool transactions', async () => {
    const scene = await serve();
    const { call } = scene;
    const pooled = await call('/', 'eth_sendTransaction', [
      { from: ALICE, to: BOB, gas: '0x5208', nonce: 0 },
    ]);
    const inclusion = { block: 1 };
    const [first, second, third] = [
      await sign(scene, { nonce: 1 }),
      await sign(scene, { nonce: 2 }),
      await sign(scene, { nonce: 3 }),
    ];
    const nested = (tx: string, hints: readonly string[]): object => ({
      bundle: { inclusion, privacy: { hints }, body: [{ tx }] },
    });
    const body = [
      { hash: pooled },
      { tx: first },
      nested(second, ['hash', 'tx_hash']),
      nested(third, ['logs']),
    ];

    const { bundleHash } = (await call('/', 'mev_sendBundle', [
      { inclusion, privacy: { hints: ['hash', 'function_selector'] }, body },
    ])) as { bundleHash: string };

    expect(await eventOf(scene.stream)).toEqual({
      hash: bundleHash,
      logs: null,
      txs: [{ to: EMITTER, functionSelector: '0x12345678' }, { hash: keccak256(second) }],
    });
  });

  it('omits bundles without the hint hash, bundles of eth_sendBundle and mined bundles', async () => {
    const scene = await serve();
    const { call } = scene;
    const tx = await sign(scene);
    await call('/', 'eth_sendPrivateTransaction', [{ tx, preferences: { privacy: { hints: ['logs'] } } }]);
    await call('/', 'mev_sendBundle', [{ inclusion: { block: 1 }, body: [{ tx }] }]);
    await call('/', 'eth_sendBundle', [{ txs: [tx], blockNumber: 1 }]);
    await call('/', 'evm_mine');
    await call('/', 'evm_setAutomine', [true]);
    await call('/', 'eth_sendPrivateTransaction', [{ tx: await sign(scene, { nonce: 1 }) }]);

    await call('/', 'evm_setAutomine', [false]);
    const last = await sign(scene, { nonce: 2 });
    await call('/', 'eth_sendPrivateTransaction', [{ tx: last }]);

    expect(await eventOf(scene.stream)).toMatchObject({ hash: keccak256(keccak256(last)) });
  });

  it('omits the logs of a bundle with many empty logs', async () => {
    const scene = await serve();
    // Emits LOG0(0, 0) while more than 10,000 gas are left.
    await scene.call('/', 'anvil_setCode', [EMITTER, '0x5b5f5fa06127105a115f5700']);
    const tx = await sign(scene, { gas: '0x2625a0' });

    const preferences = { privacy: { hints: ['hash', 'logs'] } };
    await scene.call('/', 'eth_sendPrivateTransaction', [{ tx, preferences }]);

    expect(await eventOf(scene.stream)).toMatchObject({ logs: null });
  });

  it('rejects an unknown hint', async () => {
    const scene = await serve();
    const tx = await sign(scene);

    const preferences = { privacy: { hints: ['everything'] } };

    await expect(scene.call('/', 'eth_sendPrivateTransaction', [{ tx, preferences }])).rejects.toThrow(
      'transaction.preferences.privacy.hints[0]: expected one of hash, tx_hash',
    );
  });

  it('has the bundles of its lane, and ends with the lane', async () => {
    const scene = await serve('/first');
    await scene.call('/', 'eth_sendPrivateTransaction', [{ tx: await sign(scene) }]);
    const tx = await sign(scene, { nonce: 0, value: '0x1' }, '/first');
    await scene.call('/first', 'eth_sendPrivateTransaction', [{ tx }]);

    expect(await eventOf(scene.stream)).toMatchObject({ hash: keccak256(keccak256(tx)) });

    await scene.call('/', 'lane_drop', ['first']);
    expect(await scene.stream.next()).toBeNull();
  });
});

describe('event streams of a lane', () => {
  it('keep the lane open until they close', async () => {
    const { lanes, server, time } = await startLaneServer({ timeout: 60 });
    const stream = await openStream(server, '/first');
    await stream.next();

    await time.advance(120_000);
    expect(lanes.has('first')).toBe(true);

    lanes.drop('first');
    expect(await stream.next()).toBeNull();
  });

  it('end with a ban on the lane', async () => {
    const { call, server } = await startLaneServer();
    const stream = await openStream(server, '/first');
    await stream.next();

    await call('/first', 'sco_banAddress', ['127.0.0.1']);

    expect(await stream.next()).toBeNull();
  });
});

describe('event streams of a server', () => {
  it('get a comment every 15 seconds, and end with the server', async () => {
    const server = await startTestServer();
    const stream = await openStream(server);
    expect(await stream.next()).toBe(':ping');

    server.timers.advance(15_000);
    expect(await stream.next()).toBe(':ping');

    const closed = server.close();
    expect(await stream.next()).toBeNull();
    await closed;
    expect(server.timers.pendingCount).toBe(0);
  });

  it('are limited in number', async () => {
    const server = await startTestServer();
    const streams = await Promise.all(Array.from({ length: 100 }, () => openStream(server)));

    const { response } = await openStream(server);

    expect(response.statusCode).toBe(503);
    expect(streams.map((stream) => stream.response.statusCode)).toEqual(Array(100).fill(200));
  });

  it('require an API key', async () => {
    const server = await startTestServer({ apiKeys: ['secret'] });
    expect((await openStream(server)).response.statusCode).toBe(401);
    expect((await openStream(server, '/secret')).response.statusCode).toBe(200);
  });

  it('end with a ban of the address', async () => {
    const peers = new PeerTable(() => []);
    const stream = await openStream(await startTestServer({}, new FakeService(), { peers }));
    await stream.next();

    peers.ban('127.0.0.1');

    expect(await stream.next()).toBeNull();
  });

  it('stop when the client closes', async () => {
    const service = new FakeService();
    const stopped = new Promise<void>((resolve) => {
      Object.assign(service, { streamHints: async () => resolve });
    });
    const stream = await openStream(await startTestServer({}, service));

    stream.close();

    await stopped;
  });
});
