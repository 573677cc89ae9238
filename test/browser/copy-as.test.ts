import { execFile } from 'node:child_process';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { click, describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';

/** Logs its input, and takes value. */
const LOGS_INPUT = '0x365f5f37365fa000';
const LOGGER = `0x${'ab'.repeat(20)}`;
/** Returns the code above as that of a new contract. */
const DEPLOYS_LOGGER = '0x67365f5f37365fa0005f5260086018f3';
/** Fails with its input as the reason. */
const REVERTS_INPUT = '0x365f5f37365ffd';
const REVERTER = `0x${'cd'.repeat(20)}`;

/** How the code of each client is run, as a process of its own from the directory of the project. */
const RUNS: Readonly<Record<string, (code: string) => readonly [string, readonly string[]]>> = {
  viem: (code) => [process.execPath, ['--input-type=module', '--eval', code]],
  ethers: (code) => [process.execPath, ['--input-type=module', '--eval', code]],
  curl: (code) => ['sh', ['-c', code]],
  cast: (code) => ['sh', ['-c', code]],
};

/** Resolves to what the process printed; its exit code is not looked at, as clients throw where a transaction fails. */
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

/** Returns the transactions of the newest block, with what the chain says that they did. */
async function newestOutcomes(node: Awaited<ReturnType<typeof createNode>>): Promise<readonly object[]> {
  const params = ['latest', true];
  const { transactions } = (await node.request({ method: 'eth_getBlockByNumber', params })) as {
    transactions: readonly Mined[];
  };
  return Promise.all(
    transactions.map(async ({ hash, from, to, value, gas, input }) => {
      const receipt = await node.request({ method: 'eth_getTransactionReceipt', params: [hash] });
      const { status, gasUsed, logs } = receipt as Receipt;
      const events = logs.map(({ data }) => data);
      return { from, to, value, gas, input, status, gasUsed, events };
    }),
  );
}

describeInBrowser('the code that the page copies', (opened) => {
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
  ])(
    'sends %s again with each client that is installed, with the same outcome',
    async (_, fields, status) => {
      const node = await createNode();
      onTestFinished(() => node.close());
      const { url } = await node.listen({ port: 0 });
      await node.request({ method: 'anvil_setCode', params: [LOGGER, LOGS_INPUT] });
      await node.request({ method: 'anvil_setCode', params: [REVERTER, REVERTS_INPUT] });
      // Transfers to an account that does not exist yet could differ from those that follow.
      await node.request({ method: 'anvil_setBalance', params: [`0x${'ef'.repeat(20)}`, '0x1'] });
      const [, from] = (await node.request({ method: 'eth_accounts' })) as string[];
      const send = { method: 'eth_sendTransaction', params: [{ from, ...fields }] };
      await node.request(send).catch(() => undefined);
      const first = await newestOutcomes(node);
      expect(first).toMatchObject([{ from, status }]);
      const block = (await node.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as {
        transactions: readonly string[];
      };

      const { page, faults } = await openPage(
        opened.browser,
        `${url}/_/tx/${block.transactions[0]}?show=copy`,
      );
      // A browser without a window does not let scripts read the clipboard, so what is written to it is kept aside.
      await page.evaluate('navigator.clipboard.writeText = async (text) => void (globalThis.copied = text)');
      for (const client of clients) {
        await click(page, '[aria-label=Client] button', client);
        await untilShown(page, '[aria-label=Client] button[aria-pressed=true]', client);
        await page.evaluate(`document.querySelector('button[aria-label="Copy code"]').click()`);
        const code = String(await page.evaluate('globalThis.copied'));
        const height = BigInt(String(await node.request({ method: 'eth_blockNumber' })));
        const output = await printed(RUNS[client]?.(code) ?? ['false', []]);
        expect(
          BigInt(String(await node.request({ method: 'eth_blockNumber' }))),
          `${client}: ${output}`,
        ).toBe(height + 1n);
        expect(await newestOutcomes(node), client).toEqual(first);
      }
      expect(faults).toEqual([]);
    },
  );
});
