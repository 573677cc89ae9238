import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createFakeTime } from '../support/fake-time.ts';
import { refusal, type StartedNode, start } from './support/started-node.ts';

/** Calls the Bitcoin RPC as bitcoind's clients do: version 1.0, basic authentication, no content type. */
async function bitcoin(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from('user:password').toString('base64')}` },
    body: Buffer.from(JSON.stringify({ jsonrpc: '1.0', id: 1, method, params })),
  });
  return response.json();
}

/** Returns the URL of the own port in the banner. */
function ownUrl({ host }: StartedNode): string {
  return /Bitcoin: +RPC of the parent chain at \S+ and (\S+)/.exec(host.written.output)?.[1] ?? '';
}

describe('start --parent-chain', () => {
  it('prints the URLs of the Bitcoin RPC, and logs its calls', async () => {
    const node = await start(['--parent-chain', '--parent-port', '0']);
    expect(node.host.written.output).toContain(`RPC of the parent chain at ${node.url}/parent and http://`);
    expect(node.host.written.output).toMatch(/\nFederation: 2N5muMep\w+ · federate on\n/);
    expect(await bitcoin(ownUrl(node), 'getblockcount')).toEqual({ result: 0, error: null, id: 1 });
    expect(await bitcoin(ownUrl(node), 'getblockhash', [7])).toMatchObject({ error: { code: -8 } });
    expect(await node.end()).toBe(0);
    expect(node.host.written.output).toContain('parent:getblockhash');
    expect(node.host.written.output).toContain('-8');
    await expect(bitcoin(ownUrl(node), 'getblockcount')).rejects.toThrow();
  });

  it('serves no Bitcoin RPC without the option', async () => {
    const node = await start();
    expect(node.host.written.output).not.toContain('Bitcoin:');
    expect(await fetch(`${node.url}/parent`, { method: 'POST', body: '{}' })).toMatchObject({ status: 404 });
  });

  it('reports a port in use with the name of its option', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const message = await refusal(['--parent-chain', '--parent-port', String(port)]);
    other.close();
    expect(message).toBe(
      `node-cli: port ${port} on 127.0.0.1 is already in use; choose another with --parent-port (0 picks a free one)\n`,
    );
  });

  it.each([
    [['--parent-chain', '--no-predeploys'], 'because the Bridge needs its initial coins'],
    [['--parent-port', '0'], '--parent-port requires --parent-chain'],
  ])('rejects %j with the reason', async (flags, reason) => {
    const { host } = await start(flags);
    expect(host.written.errors).toContain(reason);
  });

  it('mines a block of the parent chain every --parent-block-time seconds', async () => {
    const { clock, timers, advance } = createFakeTime(1_700_000_000_000);
    const node = await start(['--parent-chain', '--parent-port', '0', '--parent-block-time', '30'], {
      clock,
      timers,
    });
    const blockCount = (): Promise<unknown> => bitcoin(ownUrl(node), 'getblockcount');
    await advance(29_999, blockCount);
    expect(await blockCount()).toMatchObject({ result: 0 });
    await advance(30_001, blockCount);
    expect(await blockCount()).toMatchObject({ result: 2 });
    expect(await node.call('eth_blockNumber')).toBe('0x2');
    expect(await node.end()).toBe(0);
  });
});
