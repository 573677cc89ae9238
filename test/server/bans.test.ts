import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { PeerTable } from '../../src/node/peer-table.ts';
import type { Connection } from '../../src/rpc/connection.ts';
import type { RunningServer } from '../../src/server/server.ts';
import { FakeService } from './fake-service.ts';
import { Latch } from './latch.ts';
import { errorAnswer, requestText, send, startTestServer } from './test-server.ts';
import { UpgradeRefusal, WebSocketClient } from './websocket-client.ts';

const HERE = '127.0.0.1';
const OTHER = '127.0.0.2';

/** A server that takes no address for its own, so that this test's can be banned. */
async function startBanServer(service = new FakeService()) {
  const peers = new PeerTable(() => []);
  return { peers, service, server: await startTestServer({}, service, { peers }) };
}

/** The status of a call from another address of this machine. */
function statusFrom(localAddress: string, { port }: RunningServer): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' };
    const call = request({ host: HERE, port, localAddress, method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', reject);
    call.end(requestText('m'));
  });
}

describe('a banned address', () => {
  it('is refused over HTTP with 403 and an error, and nothing is called', async () => {
    const { peers, server, service } = await startBanServer();
    peers.ban(HERE);
    const { status, json } = await send(server, requestText('m'));
    expect(status).toBe(403);
    expect(json).toEqual(errorAnswer(-32001, `address ${HERE} is banned; sco_unbanAddress`));
    expect(service.calls).toEqual([]);
    expect(await statusFrom(OTHER, server)).toBe(200);
  });

  it('is refused for a whole range, and served again when the ban is lifted', async () => {
    const { peers, server } = await startBanServer();
    peers.ban('127.0.0.0/30');
    expect(await statusFrom(HERE, server)).toBe(403);
    expect(await statusFrom(OTHER, server)).toBe(403);
    expect(await statusFrom('127.0.0.5', server)).toBe(200);
    peers.unban('127.0.0.0/30');
    expect(await statusFrom(OTHER, server)).toBe(200);
  });

  it('gets no WebSocket', async () => {
    const { peers, server } = await startBanServer();
    peers.ban(HERE);
    const refusal: unknown = await WebSocketClient.open(server).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UpgradeRefusal);
    expect(refusal).toMatchObject({ status: 403, body: errorAnswer(-32001, 'is banned; sco_unbanAddress') });
    await WebSocketClient.open(server, '/', { localAddress: OTHER });
  });

  it('loses the WebSockets it has, and others keep theirs', async () => {
    const { peers, server } = await startBanServer();
    const banned = await WebSocketClient.open(server);
    const other = await WebSocketClient.open(server, '/', { localAddress: OTHER });
    peers.ban(HERE);
    expect(await banned.closed).toEqual({ code: 1008, reason: 'the address of the client is banned' });
    other.socket.send(requestText('m', [1]));
    expect(await other.take(1)).toEqual([{ jsonrpc: '2.0', id: 1, result: [1] }]);
  });

  it('that bans itself gets the answer, and to nothing that waits behind it', async () => {
    const peers = new PeerTable(() => []);
    const latch = new Latch();
    const service = new FakeService({
      ban: async (_params, { remoteAddress }: Connection) => {
        await latch.opened;
        peers.ban(remoteAddress);
        return null;
      },
    });
    const server = await startTestServer({}, service, { peers });
    const client = await WebSocketClient.open(server);
    client.socket.send(requestText('ban'));
    client.socket.send(requestText('m', [], 2));
    latch.open();
    expect(await client.closed).toMatchObject({ code: 1008 });
    expect(client.received).toEqual([{ jsonrpc: '2.0', id: 1, result: null }]);
    expect(service.calls.map(({ method }) => method)).toEqual(['ban']);
  });
});

describe('the server', () => {
  it('takes note of who calls and who sends what is no call', async () => {
    const { peers, server } = await startBanServer();
    await statusFrom(OTHER, server);
    for (const text of ['{', '7', '[]', '{"jsonrpc":"1.0","method":"m"}', '{"id":{},"method":"m"}']) {
      await send(server, text);
    }
    await send(server, requestText('m'));
    expect(peers.peers()).toMatchObject([
      { address: OTHER, invalidMessages: 0 },
      { address: HERE, invalidMessages: 5, score: -5 },
    ]);
  });

  it('counts what comes over WebSockets too', async () => {
    const { peers, server } = await startBanServer();
    const client = await WebSocketClient.open(server);
    client.socket.send('{');
    await client.take(1);
    expect(peers.peers()).toMatchObject([{ address: HERE, invalidMessages: 1 }]);
  });
});
