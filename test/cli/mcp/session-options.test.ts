import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Session } from '../../../src/cli/mcp/session.ts';
import { splitCommandLine } from '../../../src/cli/read-options.ts';
import { groupOf, OPTION_ENTRIES, type OptionKey } from '../../../src/config/options.ts';
import { fakeHost } from '../support/fake-host.ts';

function sessionOf(...commandLine: readonly string[]): Session {
  const host = fakeHost();
  const session = new Session({ given: splitCommandLine(['mcp', ...commandLine], {}), file: null }, host);
  onTestFinished(async () => void (await session.close(true)));
  return session;
}

/** Options for files, folders, ports, access and secrets, with a value of each. */
const OF_THE_USER: readonly (readonly [string, unknown])[] = [
  ...[
    'state',
    'loadState',
    'dumpState',
    'dataDir',
    'init',
    'configOut',
    'coverage',
    'gasReport',
    'gasBaseline',
    'profile',
    'forkRecord',
    'forkCacheDir',
    'artifacts',
    'config',
    'host',
    'allowHost',
    'allowOrigin',
    'apiKey',
    'forkHeader',
    'forkProxy',
    'ipc',
  ].map((key) => [key, 'value'] as const),
  ['port', 1],
  ['metrics', true],
  ['hosted', true],
  ['api-key', 'value'],
  ['fork-cache-dir', 'value'],
  ['load', 'value'],
];

/** The options that an agent may set. */
const OF_AGENTS: readonly OptionKey[] = OPTION_ENTRIES.filter(([, { setBy }]) => setBy === 'agent').map(
  ([key]) => key,
);

describe('options of start_node', () => {
  it.each(OF_THE_USER)('start_node rejects the option %s', async (key, value) => {
    for (const given of [value, null, false, []]) {
      const started = sessionOf().start({ [key]: given });
      await expect(started).rejects.toThrow(key);
    }
  });

  it('start_node rejects an option before anything changes', async () => {
    const session = sessionOf();
    await session.start({ chainId: 77 });
    const { url } = session;

    const changed = session.start({ chainId: 78, apiKey: [] });

    await expect(changed).rejects.toThrow(
      'apiKey in options: only the user can set it, with npx node-cli mcp --api-key',
    );
    expect(session.url).toBe(url);
    expect(await (await session.node()).ask('eth_chainId', [])).toBe('0x4d');
  });

  it('agents may set only options of accounts, chain, mining, parent chain, fork and compat', () => {
    const keys = OPTION_ENTRIES.map(([key]) => key).filter((key) => OF_AGENTS.includes(key));
    const groups = new Set(keys.map(groupOf));
    expect(groups).toEqual(new Set(['Accounts', 'Chain', 'Parent chain', 'Fork', 'Mining', 'Compat']));
    const others = keys.filter((key) => groupOf(key) === 'Fork' || groupOf(key) === 'Compat');
    expect(others.sort()).toEqual(['compat', 'forkBlockNumber', 'forkUrl']);
    for (const key of ['accounts', 'hardfork', 'blockTime', 'noMining', 'chain'] as const)
      expect(OF_AGENTS).toContain(key);
    // A port of its own would be open to other programs.
    expect(OF_AGENTS).not.toContain('parentPort');
  });

  it("start_node does not send the user's headers to another server", async () => {
    const headers: unknown[] = [];
    const server = createServer((request, response) => {
      headers.push(request.headers['x-key']);
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const common = ['--fork-header', 'X-Key: secret', '--retries', '0'];

    await expect(
      sessionOf('--fork-url', 'http://127.0.0.1:9', ...common).start({ forkUrl: url }),
    ).rejects.toThrow('the fork URL');
    await expect(sessionOf('--fork-url', `${url}/path`, ...common).start({ forkUrl: url })).rejects.toThrow(
      'the fork URL',
    );

    expect(new Set(headers)).toEqual(new Set([undefined, 'secret']));
    expect(headers[0]).toBeUndefined();
  });
});
