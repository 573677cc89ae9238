import { describe, expect, it } from 'vitest';
import type { CompatChoice } from '../../src/rpc/compat.ts';
import { startLaneServer } from './lane-server.ts';
import { openSocket, rawPost, receive, requestText } from './test-server.ts';
import { WebSocketClient } from './websocket-client.ts';

const HARDHAT_2 = 'hardhat 2.29.1';
const HARDHAT_3 = 'Hardhat 3.17.0';
const OTHERS = ['viem', 'node', 'curl/8.5.0', 'my-hardhat 1', 'hardhatish', 'Mozilla/5.0 (hardhat 2)'];

/** A method whose response depends on the compat mode: the clock offset in seconds, in three formats. */
const ASKED = requestText('evm_increaseTime', [0]);
const SERVICE = '0x0';
const HARDHAT = '0';
const ANVIL = 0;

const AUTO: CompatChoice = { hardhat: 'hardhat', others: 'service' };

type Ask = (userAgent: string | null, path?: string) => Promise<unknown>;

/** Sends requests over HTTP. With `Origin`, node:http handles the request, otherwise the fast parser does. */
async function askers(compat: CompatChoice): Promise<Readonly<Record<string, Ask>>> {
  const { server } = await startLaneServer({ compat });
  const overHttp =
    (...others: readonly string[]): Ask =>
    async (userAgent, path = '/') => {
      const socket = await openSocket(server);
      const headers = [...others, ...(userAgent === null ? [] : [`User-Agent: ${userAgent}`])];
      socket.write(rawPost(ASKED, headers).replace('POST / ', `POST ${path} `));
      const text = await receive(socket, (received) => received.endsWith('}'));
      return JSON.parse(text.slice(text.indexOf('{'))).result;
    };
  return {
    'HTTP, the fast parser': overHttp(),
    'HTTP, node:http': overHttp('Origin: http://localhost'),
    WebSocket: async (userAgent, path = '/') => {
      const headers = userAgent === null ? {} : { 'User-Agent': userAgent };
      const client = await WebSocketClient.open(server, path, { headers });
      client.socket.send(ASKED);
      const [answer] = await client.take(1);
      return (answer as { readonly result: unknown }).result;
    },
  };
}

const TRANSPORTS = ['HTTP, the fast parser', 'HTTP, node:http', 'WebSocket'];

describe.each(TRANSPORTS)('compat mode over %s', (transport) => {
  async function asker(compat: CompatChoice): Promise<Ask> {
    const ask = (await askers(compat))[transport];
    if (ask === undefined) throw new Error(`no transport ${transport}`);
    return ask;
  }

  it.each(['/', '/lane'])('auto selects hardhat for Hardhat 2 and 3 on %s', async (path) => {
    const ask = await asker(AUTO);
    expect(await ask(HARDHAT_2, path)).toBe(HARDHAT);
    expect(await ask(HARDHAT_3, path)).toBe(HARDHAT);
  });

  it('auto selects service for other clients', async () => {
    const ask = await asker(AUTO);
    expect(await ask(null)).toBe(SERVICE);
    for (const userAgent of OTHERS) expect(await ask(userAgent), userAgent).toBe(SERVICE);
  });

  it('auto in a project selects the mode of the project for other clients', async () => {
    const ask = await asker({ hardhat: 'hardhat', others: 'anvil' });
    expect(await ask(HARDHAT_3)).toBe(HARDHAT);
    for (const userAgent of [...OTHERS, null]) expect(await ask(userAgent), String(userAgent)).toBe(ANVIL);
  });

  it.each([
    ['service', SERVICE],
    ['anvil', ANVIL],
    ['hardhat', HARDHAT],
  ] as const)('mode %s applies to all clients', async (compat, expected) => {
    const ask = await asker(compat);
    for (const userAgent of [HARDHAT_2, HARDHAT_3, 'viem', null]) {
      expect(await ask(userAgent), String(userAgent)).toBe(expected);
    }
  });
});

it('each request on one connection has the compat mode of its own client', async () => {
  const { server } = await startLaneServer({ compat: AUTO });
  const socket = await openSocket(server);
  const agents = [HARDHAT_2, 'viem', HARDHAT_3, 'curl/8.5.0'];
  socket.write(agents.map((agent) => rawPost(ASKED, [`User-Agent: ${agent}`])).join(''));
  const text = await receive(socket, (received) => received.split('"result"').length > agents.length);
  const results = [...text.matchAll(/"result":"(\w+)"/g)].map(([, result]) => result);
  expect(results).toEqual([HARDHAT, SERVICE, HARDHAT, SERVICE]);
});

it('an error has the code of the compat mode of its client', async () => {
  const { server, call } = await startLaneServer({ compat: AUTO });
  // PUSH1 0, PUSH1 0, REVERT
  const reverting = '0x60006000fd';
  const [from] = (await call('/', 'eth_accounts')) as string[];
  const asked = requestText('eth_call', [{ from, data: reverting }, 'latest']);
  const codeFor = async (userAgent: string): Promise<unknown> => {
    const socket = await openSocket(server);
    socket.write(rawPost(asked, [`User-Agent: ${userAgent}`]));
    const text = await receive(socket, (received) => received.endsWith('}'));
    return JSON.parse(text.slice(text.indexOf('{'))).error.code;
  };
  expect(await codeFor(HARDHAT_2)).toBe(3);
  expect(await codeFor('viem')).toBe(-32015);
});
