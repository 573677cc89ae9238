import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import type { RpcService } from '../../src/rpc/connection.ts';
import type { CallReport } from '../../src/server/options.ts';
import { testService } from '../rpc/rpc-harness.ts';
import type { FakeTime } from '../support/fake-time.ts';
import { createTestChain, testAccount } from '../support/test-chain.ts';
import { Latch } from './latch.ts';
import {
  errorAnswer,
  openSocket,
  rawPost,
  receive,
  requestText,
  send,
  startTestServer,
  type TestServer,
} from './test-server.ts';
import { WebSocketClient } from './websocket-client.ts';

const LIMIT = 30;
/** Code at this address in the call only: JUMPDEST PUSH1 0 JUMP. */
const ENDLESS = `0x${'ee'.repeat(20)}`;
const ENDLESS_PARAMS = [{ to: ENDLESS }, 'latest', { [ENDLESS]: { code: '0x5b600056' } }];
const ENDLESS_CALL = requestText('eth_call', ENDLESS_PARAMS);
const ENDLESS_ESTIMATE = requestText('eth_estimateGas', ENDLESS_PARAMS);
const BLOCK_NUMBER = requestText('eth_blockNumber', [], 2);
const NUMBER_ANSWER = { jsonrpc: '2.0', id: 2, result: '0x0' };
const CALLER_GONE = { code: -32000, message: expect.stringContaining('closed the connection') };
const TOO_LONG = errorAnswer(-32011, 'aborted after 30 s', 1);

/** A node whose calls may use unlimited gas. */
interface Scene {
  readonly server: TestServer;
  readonly time: FakeTime;
  /** Resolves when the endless call has started. */
  readonly begun: Promise<void>;
  /** Resolves with the report of the first request of that method. */
  endOf(method: string): Promise<CallReport>;
}

async function setScene(engine: 'wasm' | 'reference' = 'wasm'): Promise<Scene> {
  const { chain, time } = await createTestChain({ gasLimit: 10n ** 15n, engine });
  const inner = testService(chain, time, { options: { callTimeout: LIMIT } });
  const begun = new Latch();
  const service: RpcService = {
    call(method, params, connection, token) {
      if (method === 'eth_call') begun.open();
      return inner.call(method, params, connection, token);
    },
  };
  const listeners = new Map<string, (report: CallReport) => void>();
  const server = await startTestServer({}, service, {
    onRequest: (report) => listeners.get(report.method)?.(report),
  });
  return {
    server,
    time,
    begun: begun.opened,
    endOf: (method) => new Promise((resolve) => void listeners.set(method, resolve)),
  };
}

/** Advances the time beyond the call timeout. */
function exceedLimit({ time }: Scene): Promise<void> {
  return time.advance(LIMIT * 1_000 + 1);
}

describe.each(['wasm', 'reference'] as const)('long calls on engine %s', (engine) => {
  it('other connections are served during a long call', async () => {
    const scene = await setScene(engine);
    const call = send(scene.server, ENDLESS_CALL);
    await scene.begun;
    const { json } = await send(scene.server, BLOCK_NUMBER);
    expect(json).toEqual(NUMBER_ANSWER);
    const other = await WebSocketClient.open(scene.server);
    other.socket.send(BLOCK_NUMBER);
    expect(await other.take(1)).toEqual([NUMBER_ANSWER]);
    await exceedLimit(scene);
    expect((await call).json).toEqual(TOO_LONG);
  });
});

it('transactions are mined during a long call', async () => {
  const scene = await setScene();
  const call = send(scene.server, ENDLESS_CALL);
  await scene.begun;
  const transfer = { from: toHex(testAccount(0).address), to: toHex(testAccount(1).address), value: '0x1' };
  const { json } = await send(scene.server, requestText('eth_sendTransaction', [transfer]));
  expect(json).toMatchObject({ result: expect.stringMatching(/^0x/) });
  expect((await send(scene.server, BLOCK_NUMBER)).json).toMatchObject({ result: '0x1' });
  await exceedLimit(scene);
  expect((await call).json).toEqual(TOO_LONG);
});

describe('end of a long call', () => {
  it('a long call ends if its HTTP client disconnects', async () => {
    const scene = await setScene();
    const socket = await openSocket(scene.server);
    socket.write(rawPost(ENDLESS_CALL));
    await scene.begun;
    socket.destroy();
    expect((await scene.endOf('eth_call')).error).toMatchObject(CALLER_GONE);
  });

  it('a long call ends if its HTTP client closes its half of the connection', async () => {
    const scene = await setScene();
    const socket = await openSocket(scene.server);
    socket.write(rawPost(ENDLESS_CALL));
    await scene.begun;
    socket.end();
    expect((await scene.endOf('eth_call')).error).toMatchObject(CALLER_GONE);
  });

  it('a pipelined long call ends if its client disconnects', async () => {
    const scene = await setScene();
    const socket = await openSocket(scene.server);
    const ends = Promise.all([scene.endOf('eth_estimateGas'), scene.endOf('eth_call')]);
    socket.write(rawPost(ENDLESS_ESTIMATE) + rawPost(ENDLESS_CALL));
    await scene.begun;
    socket.destroy();
    expect(await ends).toMatchObject([{ error: CALLER_GONE }, { error: CALLER_GONE }]);
  });

  it.each(['close', 'terminate'] as const)('a long call ends if its WebSocket closes: %s', async (way) => {
    const scene = await setScene();
    const client = await WebSocketClient.open(scene.server);
    client.socket.send(ENDLESS_CALL);
    await scene.begun;
    client.socket[way]();
    expect((await scene.endOf('eth_call')).error).toMatchObject(CALLER_GONE);
  });

  it('a long call ends after the grace period of a closing server', async () => {
    const scene = await setScene();
    const call = send(scene.server, ENDLESS_CALL).catch(() => 'cut');
    await scene.begun;
    const closed = scene.server.close();
    scene.server.timers.advance(5_000);
    expect((await scene.endOf('eth_call')).error).toMatchObject(CALLER_GONE);
    await closed;
    expect(await call).toBe('cut');
  });

  it('a long call in a batch does not affect short calls', async () => {
    const scene = await setScene();
    const batch = send(scene.server, `[${BLOCK_NUMBER},${ENDLESS_CALL},${BLOCK_NUMBER}]`);
    await scene.begun;
    await exceedLimit(scene);
    expect((await batch).json).toEqual([NUMBER_ANSWER, TOO_LONG, NUMBER_ANSWER]);
  });

  it('long calls of a batch share one time limit', async () => {
    const scene = await setScene();
    const batch = send(scene.server, `[${BLOCK_NUMBER},${ENDLESS_CALL},${ENDLESS_ESTIMATE},${ENDLESS_CALL}]`);
    await scene.begun;
    await exceedLimit(scene);
    expect((await batch).json).toEqual([NUMBER_ANSWER, TOO_LONG, TOO_LONG, TOO_LONG]);
  });

  it('a long call does not change the order of WebSocket responses', async () => {
    const scene = await setScene();
    const client = await WebSocketClient.open(scene.server);
    client.socket.send(ENDLESS_CALL);
    client.socket.send(BLOCK_NUMBER);
    await scene.begun;
    const other = await WebSocketClient.open(scene.server);
    other.socket.send(BLOCK_NUMBER);
    expect(await other.take(1)).toEqual([NUMBER_ANSWER]);
    expect(client.received).toEqual([]);
    await exceedLimit(scene);
    expect(await client.take(2)).toEqual([TOO_LONG, NUMBER_ANSWER]);
  });

  it('a long call does not change the order of pipelined HTTP responses', async () => {
    const scene = await setScene();
    const socket = await openSocket(scene.server);
    socket.write(rawPost(ENDLESS_CALL) + rawPost(BLOCK_NUMBER));
    const answers = receive(socket, (text) => text.includes('"id":2'));
    await scene.begun;
    await exceedLimit(scene);
    const text = await answers;
    expect(text.indexOf('"id":1')).toBeLessThan(text.indexOf('"id":2'));
    expect(text).toContain('-32011');
  });
});
