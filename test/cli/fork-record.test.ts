import { existsSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../src/cli/main.ts';
import { createNode, type LocalNode, type LocalNodeOptions } from '../../src/index.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { fakeHost } from './support/fake-host.ts';

/** An HTTP proxy of an upstream that records the requests. */
interface Proxy {
  readonly url: string;
  /** The calls of each answered request. */
  readonly batches: readonly { readonly method: string }[][];
}

/** The failure of a request; `null` for a correct response. */
type Fault = 'too many requests' | 'server error' | 'no JSON' | 'hang up' | null;

/** A proxy in front of a node. `faultOf` maps the request number to a failure. */
async function proxyOf(target: LocalNode, faultOf: (number: number) => Fault = () => null): Promise<Proxy> {
  const batches: { method: string }[][] = [];
  let requests = 0;
  const { url: upstream } = await target.listen();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const fault = faultOf(requests++);
      const body = Buffer.concat(chunks);
      if (fault === 'hang up') response.destroy();
      else if (fault === 'too many requests') response.writeHead(429, { 'retry-after': '0' }).end();
      else if (fault === 'server error') response.writeHead(503).end('overloaded');
      else if (fault === 'no JSON') response.end('<html>');
      else {
        const calls = JSON.parse(body.toString('utf8')) as { method: string } | { method: string }[];
        batches.push([calls].flat());
        const headers = { 'content-type': 'application/json' };
        void fetch(upstream, { method: 'POST', headers, body })
          .then((answer) => answer.text())
          .then((text) => response.end(text));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, batches };
}

async function local(options: LocalNodeOptions = {}): Promise<LocalNode> {
  const node = await createNode(options);
  onTestFinished(() => node.close());
  return node;
}

const addressOf = (index: number): string => `0x${(0x7700 + index).toString(16).padStart(40, '0')}`;

/** A chain that funds addresses, one per block. */
async function upstreamChain(addresses = 12): Promise<LocalNode> {
  const upstream = await local({ chainId: 1234 });
  const [from] = (await upstream.request({ method: 'eth_accounts' })) as string[];
  for (let index = 0; index < addresses; index++) {
    const transaction = { from, to: addressOf(index), value: `0x${(index + 1).toString(16)}` };
    await upstream.request({ method: 'eth_sendTransaction', params: [transaction] });
  }
  return upstream;
}

/** A suite that reads and writes the addresses one by one, and returns the results. */
async function suite(options: LocalNodeOptions, indexes: readonly number[]): Promise<unknown[]> {
  const node = await createNode({ noStorageCaching: true, ...options });
  try {
    const seen: unknown[] = [await node.request({ method: 'eth_blockNumber' })];
    const [from] = (await node.request({ method: 'eth_accounts' })) as string[];
    for (const index of indexes) {
      const transaction = { from, to: addressOf(index), value: '0x100' };
      await node.request({ method: 'eth_sendTransaction', params: [transaction] });
      seen.push(await node.request({ method: 'eth_getBalance', params: [addressOf(index), 'latest'] }));
    }
    return seen;
  } finally {
    await node.close();
  }
}

const EVERY = Array.from({ length: 12 }, (_, index) => index);
const balancesOf = (indexes: readonly number[]): string[] =>
  indexes.map((index) => `0x${(0x101 + index).toString(16)}`);

async function recordFile(name = 'record.jsonl'): Promise<string> {
  return join(await temporaryDirectory(), name);
}

describe('--fork-record', () => {
  it('later runs send no requests and use the recorded block and file', async () => {
    const chain = await upstreamChain();
    const upstream = await proxyOf(chain);
    const forkRecord = await recordFile();
    const first = await suite({ forkUrl: upstream.url, forkRecord }, EVERY);
    expect(first).toEqual(['0xc', ...balancesOf(EVERY)]);
    const asked = upstream.batches.length;
    expect(asked).toBeGreaterThan(0);
    const text = await readFile(forkRecord, 'utf8');
    await chain.request({ method: 'evm_mine' });
    expect(await suite({ forkUrl: upstream.url, forkRecord }, EVERY)).toEqual(first);
    expect(
      await suite(
        { forkUrl: 'https://nobody.example', forkRecord, offline: true, noStorageCaching: false },
        EVERY,
      ),
    ).toEqual(first);
    expect(upstream.batches).toHaveLength(asked);
    expect(await readFile(forkRecord, 'utf8')).toBe(text);
    expect(text).not.toContain('127.0.0.1');
  });

  it.each([
    ['forkTransactionHash', '0x102'],
    ['forkBeforeTransaction', '0x100'],
  ] as const)('a run at %s is repeated without a request', async (option, balance) => {
    const number = '0x2';
    const chain = await upstreamChain(2);
    const upstream = await proxyOf(chain);
    const { transactions } = (await chain.request({
      method: 'eth_getBlockByNumber',
      params: [number, false],
    })) as { transactions: readonly string[] };
    const settings = { forkUrl: upstream.url, forkRecord: await recordFile(), [option]: transactions[0] };
    const [block, received] = await suite(settings, [1]);
    expect([block, received]).toEqual([number, balance]);
    const asked = upstream.batches.length;
    for (const offline of [false, true])
      expect(await suite({ ...settings, offline, noStorageCaching: !offline }, [1])).toEqual([
        block,
        received,
      ]);
    expect(upstream.batches).toHaveLength(asked);
  });

  it('the record grows, and a run of a single test removes nothing', async () => {
    const upstream = await proxyOf(await upstreamChain());
    const forkRecord = await recordFile('record.gz');
    await suite({ forkUrl: upstream.url, forkRecord }, EVERY.slice(0, 6));
    const asked = upstream.batches.flat().length;
    await suite({ forkUrl: upstream.url, forkRecord }, EVERY.slice(6));
    // Three requests for each new account, and two to verify the block of the upstream.
    expect(upstream.batches.flat().length - asked).toBe(3 * 6 + 2);
    const offline = { forkUrl: upstream.url, forkRecord, offline: true, noStorageCaching: false };
    expect(await suite(offline, EVERY)).toEqual(['0xc', ...balancesOf(EVERY)]);
  });

  it('an offline run reports missing data, even if the user cache has it', async () => {
    const upstream = await proxyOf(await upstreamChain());
    const [forkRecord, forkCacheDir] = [await recordFile(), await temporaryDirectory()];
    await suite({ forkUrl: upstream.url, forkRecord }, EVERY.slice(0, 3));
    await suite({ forkUrl: upstream.url, forkCacheDir, noStorageCaching: false, forkBlockNumber: 12 }, EVERY);
    const offline = {
      forkUrl: upstream.url,
      forkRecord,
      forkCacheDir,
      noStorageCaching: false,
      offline: true,
    };
    await expect(suite(offline, [5])).rejects.toThrow(
      `the fork is offline and has no cached data of account ${addressOf(5)};`,
    );
    expect(await suite(offline, [2])).toEqual(['0xc', ...balancesOf([2])]);
  });

  it('the record includes data from the user cache', async () => {
    const upstream = await proxyOf(await upstreamChain());
    const [forkRecord, forkCacheDir] = [await recordFile(), await temporaryDirectory()];
    const cached = { forkUrl: upstream.url, forkCacheDir, noStorageCaching: false, forkBlockNumber: 12 };
    await suite(cached, EVERY);
    const asked = upstream.batches.length;
    await suite({ ...cached, forkRecord }, EVERY);
    expect(upstream.batches).toHaveLength(asked);
    const offline = { forkUrl: upstream.url, forkRecord, noStorageCaching: false, offline: true };
    expect(await suite(offline, EVERY)).toEqual(['0xc', ...balancesOf(EVERY)]);
  });

  it('a record of another block replaces the file', async () => {
    const upstream = await proxyOf(await upstreamChain());
    const forkRecord = await recordFile();
    await suite({ forkUrl: upstream.url, forkRecord }, EVERY);
    const first = await readFile(forkRecord, 'utf8');
    await suite({ forkUrl: upstream.url, forkRecord, forkBlockNumber: 11 }, EVERY.slice(0, 2));
    const second = await readFile(forkRecord, 'utf8');
    expect(second).not.toContain(addressOf(5));
    expect(first).toContain(addressOf(5));
    const offline = { forkUrl: upstream.url, forkRecord, noStorageCaching: false, offline: true };
    expect(await suite(offline, EVERY.slice(0, 2))).toEqual(['0xb', ...balancesOf(EVERY.slice(0, 2))]);
  });

  it('the second run succeeds even if the upstream failed in the first run', async () => {
    const chain = await upstreamChain();
    const faults: Fault[] = [
      'too many requests',
      null,
      'hang up',
      'no JSON',
      null,
      'server error',
      null,
      null,
      'hang up',
    ];
    const upstream = await proxyOf(chain, (number) => faults[number % faults.length] ?? null);
    const forkRecord = await recordFile();
    const patient = { forkUrl: upstream.url, forkRecord, retries: 8, forkRetryBackoff: 1, noRateLimit: true };
    const first = await suite(patient, EVERY);
    expect(first).toEqual(['0xc', ...balancesOf(EVERY)]);
    // A run that gives up fails, but its responses are recorded.
    const impatient = await proxyOf(chain, (number) => (number < 8 ? null : 'server error'));
    const other = await recordFile();
    const hasty = { forkUrl: impatient.url, forkRecord: other, retries: 0 };
    await expect(suite(hasty, EVERY)).rejects.toThrow('no response from the fork URL');
    const asked = impatient.batches.length;
    expect(await suite({ ...hasty, ...patient, forkRecord: other }, EVERY)).toEqual(first);
    expect(await suite({ ...hasty, offline: true, noStorageCaching: false }, EVERY)).toEqual(first);
    expect(impatient.batches).toHaveLength(asked);
  });

  it('an invalid record file is rejected with the reason', async () => {
    const upstream = await proxyOf(await upstreamChain(1));
    const path = await recordFile();
    const offline = { forkUrl: upstream.url, forkRecord: path, offline: true, noStorageCaching: false };
    await expect(suite(offline, [])).rejects.toThrow(
      `--fork-record: ${path} does not exist; run once without --offline to create it`,
    );
    await writeFile(path, '{}\n');
    await expect(suite({ forkUrl: upstream.url, forkRecord: path }, [])).rejects.toThrow(
      `--fork-record: ${path} is not a record of a run: its first line is not a header of this format; choose another file, or remove this one`,
    );
    const nowhere = join(path, 'record');
    await expect(suite({ forkUrl: upstream.url, forkRecord: nowhere }, [])).rejects.toThrow(nowhere);
  });

  it('cache unpack writes the record into the cache of the given URL', async () => {
    const upstream = await proxyOf(await upstreamChain());
    const [forkRecord, forkCacheDir] = [await recordFile(), await temporaryDirectory()];
    await suite({ forkUrl: upstream.url, forkRecord }, EVERY);
    const asked = upstream.batches.length;
    const unpack = ['cache', 'unpack', forkRecord, '--fork-cache-dir', forkCacheDir];
    const refused = fakeHost({ commandLine: unpack });
    await runCommand(refused);
    expect(refused.written.errors).toContain('pass --fork-url with a URL of the same chain');
    const host = fakeHost({ commandLine: [...unpack, '--fork-url', upstream.url] });
    await runCommand(host);
    expect(host.written.errors).toBe('');
    const cached = { forkUrl: upstream.url, forkCacheDir, noStorageCaching: false, forkBlockNumber: 12 };
    expect(await suite({ ...cached, offline: true }, EVERY)).toEqual(['0xc', ...balancesOf(EVERY)]);
    expect(upstream.batches).toHaveLength(asked);
  });

  it('the record is written at the end even without state requests', async () => {
    const chain = await upstreamChain(1);
    const upstream = await proxyOf(chain);
    const forkRecord = await recordFile();
    const node = await createNode({ forkUrl: upstream.url, forkRecord, noStorageCaching: true });
    expect(existsSync(forkRecord)).toBe(false);
    await node.close();
    expect(existsSync(forkRecord)).toBe(true);
  });
});

describe('--fork-prefetch', () => {
  it('prefetches in batches the state that the last run needed at another block', async () => {
    const chain = await upstreamChain(60);
    const many = Array.from({ length: 60 }, (_, index) => index);
    const upstream = await proxyOf(chain);
    const forkCacheDir = await temporaryDirectory();
    const cached = { forkUrl: upstream.url, forkCacheDir, noStorageCaching: false };
    await suite({ ...cached, forkBlockNumber: 59 }, many);
    const alone = upstream.batches.length;
    const [from] = (await chain.request({ method: 'eth_accounts' })) as string[];
    const more = { from, to: addressOf(0), value: '0x1000' };
    await chain.request({ method: 'eth_sendTransaction', params: [more] });
    const node = await local({ ...cached, forkBlockNumber: 61, forkPrefetch: true });
    // After the last response, everything is cached, and the suite sends no more requests.
    const questions = (): number => upstream.batches.slice(alone).flat().length;
    while (questions() < 2 + 3 * 60 + 1) await new Promise((resolve) => setImmediate(resolve));
    const inAdvance = upstream.batches.length - alone;
    expect(inAdvance).toBeLessThan(alone / 10);
    const balance = { method: 'eth_getBalance', params: [addressOf(0), 'latest'] };
    expect(await node.request(balance)).toBe('0x1001');
    for (const index of many)
      await node.request({ method: 'eth_getBalance', params: [addressOf(index), 'latest'] });
    expect(upstream.batches.length - alone).toBe(inAdvance);
  });

  it('continues if a prefetch request fails', async () => {
    const chain = await upstreamChain();
    const forkRecord = await recordFile();
    const patient = { forkRecord, retries: 0 };
    await suite({ ...patient, forkUrl: (await proxyOf(chain)).url, forkBlockNumber: 11 }, EVERY);
    // The two requests of the start succeed. The first prefetch request fails.
    const upstream = await proxyOf(chain, (number) => (number === 2 ? 'server error' : null));
    const next = { ...patient, forkUrl: upstream.url, forkBlockNumber: 12, forkPrefetch: true };
    const node = await local({ ...next, noStorageCaching: true });
    await expect
      .poll(() =>
        node.request({ method: 'eth_getBalance', params: [addressOf(4), 'latest'] }).catch(() => null),
      )
      .toBe('0x5');
  });

  it('ignores a malformed request in the record file', async () => {
    const chain = await upstreamChain();
    const forkRecord = await recordFile();
    const { url: forkUrl } = await proxyOf(chain);
    await suite({ forkUrl, forkRecord, forkBlockNumber: 11 }, EVERY);
    const file = `1234/${'0'.repeat(64)}.jsonl`;
    await appendFile(forkRecord, `${JSON.stringify([file, 'no JSON', '0x1'])}\n`);
    const next = { forkUrl, forkRecord, forkBlockNumber: 12, forkPrefetch: true, noStorageCaching: true };
    const node = await local(next);
    expect(await node.request({ method: 'eth_getBalance', params: [addressOf(4), 'latest'] })).toBe('0x5');
  });
});
