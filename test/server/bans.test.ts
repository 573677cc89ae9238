import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { PeerTable } from '../../src/node/peer-table.ts';
import type { Connection } from '../../src/rpc/connection.ts';
import type { RunningServer } from '../../src/server/server.ts';
import { FakeService } from './fake-service.ts';
import { Latch } from './latch.ts';
import { errorAnswer, requestText, send, startTestServer } from './test-server.ts';
import { UpgradeRejection, WebSocketClient } from './websocket-client.ts';

const HERE = '127.0.0.1';
const OTHER = '127.0.0.2';

/** A server without own addresses, so that the address of this test can be banned. */
async function startBanServer(service = new FakeService()) {
  const peers = new PeerTable(() => []);
  return { peers, service, server: await startTestServer({}, service, { peers }) };
}

/** The status of a request from another local address. */
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

describe('banned addresses', () => {
  it('a banned address is rejected over HTTP with status 403', async () => {
    const { peers, server, service } = await startBanServer();
    peers.ban(HERE);
    const { status, json } = await send(server, requestText('m'));
    expect(status).toBe(403);
    expect(json).toEqual(errorAnswer(-32001, `address ${HERE} is banned; sco_unbanAddress`));
    expect(service.calls).toEqual([]);
    expect(await statusFrom(OTHER, server)).toBe(200);
  });

  it('a banned range is rejected until it is unbanned', async () => {
    const { peers, server } = await startBanServer();
    peers.ban('127.0.0.0/30');
    expect(await statusFrom(HERE, server)).toBe(403);
    expect(await statusFrom(OTHER, server)).toBe(403);
    expect(await statusFrom('127.0.0.5', server)).toBe(200);
    peers.unban('127.0.0.0/30');
    expect(await statusFrom(OTHER, server)).toBe(200);
  });

  it('a banned address cannot open a WebSocket', async () => {
    const { peers, server } = await startBanServer();
    peers.ban(HERE);
    const refusal: unknown = await WebSocketClient.open(server).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UpgradeRejection);
    expect(refusal).toMatchObject({ status: 403, body: errorAnswer(-32001, 'is banned; sco_unbanAddress') });
    await WebSocketClient.open(server, '/', { localAddress: OTHER });
  });

  it('a ban closes the WebSockets of the address', async () => {
    const { peers, server } = await startBanServer();
    const banned = await WebSocketClient.open(server);
    const other = await WebSocketClient.open(server, '/', { localAddress: OTHER });
    peers.ban(HERE);
    expect(await banned.closed).toEqual({ code: 1008, reason: 'the address of the client is banned' });
    other.socket.send(requestText('m', [1]));
    expect(await other.take(1)).toEqual([{ jsonrpc: '2.0', id: 1, result: [1] }]);
  });

  it('a client that bans itself gets the response, and later requests get none', async () => {
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

describe('client counts', () => {
  it('the server counts clients and invalid messages over HTTP', async () => {
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

  it('the server counts invalid messages over WebSocket', async () => {
    const { peers, server } = await startBanServer();
    const client = await WebSocketClient.open(server);
    client.socket.send('{');
    await client.take(1);
    expect(peers.peers()).toMatchObject([{ address: HERE, invalidMessages: 1 }]);
  });
});
