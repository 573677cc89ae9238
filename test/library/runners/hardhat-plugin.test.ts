import { expect, it, onTestFinished, vi } from 'vitest';
import { createNode } from '../../../src/index.ts';
import { nodeCli } from '../../../src/library/runners/hardhat.ts';
import { factVariables } from '../../../src/library/runners/run-facts.ts';
import { laneAt } from '../../../src/library/runners/test-lane.ts';

/** A Mocha test, running or completed. */
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

/** The network and the hooks of a configuration with the plugin, in a run with lanes. */
async function scene(variables: Readonly<Record<string, string>>) {
  const node = await createNode();
  const server = await node.listen({ lanes: true });
  const known = factVariables({ url: server.url, isolate: 'test', keepsStates: false, root: '/project' });
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

/** Runs a Mocha test with a failing transaction on a lane. Resolves to its output on stderr. */
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

it('the Hardhat 3 plugin prints the failed transactions of a failed test', async () => {
  expect(await toldOf('failed')).toMatch(/Vault > pays out[\s\S]*revert/i);
});

it('the Hardhat 3 plugin prints nothing for a passed test', async () => {
  expect(await toldOf('passed')).toBe('');
});

it('connections use the base chain outside of tests, and separate lanes in tests', async () => {
  const outside = await scene({});
  expect(await outside.connect()).toBe(outside.url);
  const within = await scene({ HH_TEST: 'true' });
  const [first, second] = [await within.connect(), await within.connect()];
  expect(first).toMatch(`${within.url}/`);
  expect(second).toMatch(`${within.url}/`);
  expect(first).not.toBe(second);
});
