import { execFile } from 'node:child_process';
import { beforeAll, expect, it } from 'vitest';
import { click, describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';
import { openScene, type Scene } from '../support/browser/scene.ts';

/** Logs its input, and takes value. */
const LOGS_INPUT = '0x365f5f37365fa000';
const LOGGER = `0x${'ab'.repeat(20)}`;
/** Deploys the code above. */
const DEPLOYS_LOGGER = '0x67365f5f37365fa0005f5260086018f3';
/** Fails with its input as the reason. */
const REVERTS_INPUT = '0x365f5f37365ffd';
const REVERTER = `0x${'cd'.repeat(20)}`;

/** The command that runs the code of each client in the directory of the project. */
const RUNS: Readonly<Record<string, (code: string) => readonly [string, readonly string[]]>> = {
  viem: (code) => [process.execPath, ['--input-type=module', '--eval', code]],
  ethers: (code) => [process.execPath, ['--input-type=module', '--eval', code]],
  curl: (code) => ['sh', ['-c', code]],
  cast: (code) => ['sh', ['-c', code]],
};

/** Resolves to the output of a process. Ignores its exit code, because clients throw if a transaction fails. */
function printed([file, args]: readonly [string, readonly string[]]): Promise<string> {
  return new Promise((resolve) => {
    execFile(file, args, { timeout: 60_000 }, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}

interface Mined {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
  readonly gas: string;
  readonly input: string;
}

interface Receipt {
  readonly status: string;
  readonly gasUsed: string;
  readonly logs: readonly { readonly address: string; readonly data: string }[];
}

/** Returns the transactions of the newest block with their outcomes. */
async function newestOutcomes({ call }: Scene): Promise<readonly object[]> {
  const { transactions } = await call<{ transactions: readonly Mined[] }>('eth_getBlockByNumber', [
    'latest',
    true,
  ]);
  return Promise.all(
    transactions.map(async ({ hash, from, to, value, gas, input }) => {
      const { status, gasUsed, logs } = await call<Receipt>('eth_getTransactionReceipt', [hash]);
      const events = logs.map(({ data }) => data);
      return { from, to, value, gas, input, status, gasUsed, events };
    }),
  );
}

describeInBrowser('the copied code', (opened) => {
  let clients: readonly string[];

  beforeAll(async () => {
    const isInstalled = async (tool: string): Promise<boolean> =>
      (await printed(['sh', ['-c', `command -v ${tool}`]])) !== '';
    const tools = await Promise.all(
      ['curl', 'cast'].map(async (tool) => ((await isInstalled(tool)) ? [tool] : [])),
    );
    clients = ['viem', 'ethers', ...tools.flat()];
  });

  it.each([
    ['a call with value', { to: LOGGER, value: '0x7b', data: '0x00c0ffee', gas: '0x186a0' }, '0x1'],
    ['a transfer', { to: `0x${'ef'.repeat(20)}`, value: '0xde0b6b3a7640000', gas: '0x5208' }, '0x1'],
    ['a deployment', { data: DEPLOYS_LOGGER, gas: '0x30d40' }, '0x1'],
    ['a failed call', { to: REVERTER, data: '0x08c379a0', gas: '0x186a0' }, '0x0'],
  ])('sends %s again with each installed client, with the same outcome', async (_, fields, status) => {
    const scene = await openScene();
    const { url, accounts, call, send } = scene;
    await call('anvil_setCode', [LOGGER, LOGS_INPUT]);
    await call('anvil_setCode', [REVERTER, REVERTS_INPUT]);
    // A transfer to a new account could differ from later transfers.
    await call('anvil_setBalance', [`0x${'ef'.repeat(20)}`, '0x1']);
    const [, from] = accounts;
    const hash = await send({ from, ...fields });
    const first = await newestOutcomes(scene);
    expect(first).toMatchObject([{ from, status }]);

    const { page, faults } = await openPage(opened, `${url}/_/tx/${hash}?show=copy`);
    // In a browser without a window, scripts cannot read the clipboard.
    await page.evaluate('navigator.clipboard.writeText = async (text) => void (globalThis.copied = text)');
    for (const client of clients) {
      await click(page, '[aria-label=Client] button', client);
      await untilShown(page, '[aria-label=Client] button[aria-pressed=true]', client);
      await page.evaluate(`document.querySelector('button[aria-label="Copy code"]').click()`);
      const code = String(await page.evaluate('globalThis.copied'));
      const height = BigInt(await call<string>('eth_blockNumber'));
      const output = await printed(RUNS[client]?.(code) ?? ['false', []]);
      expect(BigInt(await call<string>('eth_blockNumber')), `${client}: ${output}`).toBe(height + 1n);
      expect(await newestOutcomes(scene), client).toEqual(first);
    }
    expect(faults).toEqual([]);
  });
});
