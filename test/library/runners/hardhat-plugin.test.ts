import { expect, it, onTestFinished, vi } from 'vitest';
import { createNode } from '../../../src/index.ts';
import { nodeCli } from '../../../src/library/runners/hardhat.ts';
import { factVariables } from '../../../src/library/runners/run-facts.ts';
import { laneAt } from '../../../src/library/runners/test-lane.ts';

/** A test of Mocha that is running or was. */
interface CurrentTest {
  readonly state?: string;
  titlePath(): string[];
}

type MochaHook = (this: { readonly currentTest: CurrentTest }) => Promise<void>;

interface ConfigHooks {
  resolveUserConfig(
    user: object,
    resolveVariable: null,
    next: () => Promise<ResolvedConfig>,
  ): Promise<ResolvedConfig>;
}

interface ResolvedConfig {
  readonly paths: { readonly root: string; readonly config: string };
  readonly networks: Record<string, { url: { getUrl(): Promise<string> } }>;
  readonly test: { readonly mocha: { rootHooks?: { beforeEach: MochaHook; afterEach: MochaHook } } };
}

/** The network and the hooks that a configuration has by the plugin, in a process whose run has a node with lanes. */
async function scene(variables: Readonly<Record<string, string>>) {
  const node = await createNode();
  const server = await node.listen({ lanes: true });
  const known = factVariables({ url: server.url, isolate: 'test', root: '/project' });
  for (const [name, value] of Object.entries({ ...known, ...variables })) vi.stubEnv(name, value);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await server.close();
    await node.close();
  });
  const { default: handlers } = await nodeCli().hookHandlers.config();
  const { resolveUserConfig } = (await handlers()) as ConfigHooks;
  const config = await resolveUserConfig({}, null, async () => ({
    paths: { root: '/project', config: '/project/hardhat.config.ts' },
    networks: { nodeCli: { url: { getUrl: async () => 'http://127.0.0.1:1' } } },
    test: { mocha: {} },
  }));
  const { nodeCli: network } = config.networks;
  const { rootHooks: hooks } = config.test.mocha;
  if (network === undefined || hooks === undefined) throw new TypeError('the plugin has left something out');
  return { url: server.url, connect: () => network.url.getUrl(), hooks };
}

/** Runs a test of Mocha with a failing transaction on a lane; resolves to what is written to standard error of it. */
async function toldOf(state: string): Promise<string> {
  const { connect, hooks } = await scene({ HH_TEST: 'true' });
  const currentTest = { titlePath: () => ['Vault', 'pays out'] };
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  await hooks.beforeEach.call({ currentTest });
  const lane = laneAt(await connect(), null);
  const [from] = (await lane.request({ method: 'eth_accounts' })) as string[];
  // PUSH0 PUSH0 REVERT
  const creation = { from, data: '0x5f5ffd', gas: '0x20000' };
  await lane.request({ method: 'eth_sendTransaction', params: [creation] });
  await hooks.afterEach.call({ currentTest: { ...currentTest, state } });
  return written.mock.calls.map(([text]) => String(text)).join('');
}

it('the plugin of Hardhat 3 tells of the transactions that failed in a test that failed', async () => {
  expect(await toldOf('failed')).toMatch(/Vault > pays out[\s\S]*revert/i);
});

it('it tells nothing of those in a test that passed, which expected them', async () => {
  expect(await toldOf('passed')).toBe('');
});

it('its connections are the base chain outside of tests, and a lane each within', async () => {
  const outside = await scene({});
  expect(await outside.connect()).toBe(outside.url);
  const within = await scene({ HH_TEST: 'true' });
  const [first, second] = [await within.connect(), await within.connect()];
  expect(first).toMatch(`${within.url}/`);
  expect(second).toMatch(`${within.url}/`);
  expect(first).not.toBe(second);
});
