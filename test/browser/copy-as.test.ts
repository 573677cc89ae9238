import { execFile } from 'node:child_process';
import { encodeFunctionData } from 'viem';
import { beforeAll, expect, it } from 'vitest';
import { click, describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';
import { openScene, type Scene } from '../support/browser/scene.ts';
import { compileSolidity } from '../support/solidity.ts';

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

/** Keeps the copied text, because scripts cannot read the clipboard in a browser without a window. */
const KEEP_COPIED = 'navigator.clipboard.writeText = async (text) => void (globalThis.copied = text)';

const { input: compilerInput, output } = compileSolidity({
  'Orders.sol': `// SPDX-License-Identifier: MIT
    pragma solidity ^0.8.20;
    contract Orders {
      struct Order { address owner; uint256[] amounts; string note; }
      event Placed(Order order, bytes4 kind, bool isUrgent);
      function place(Order calldata order, bytes4 kind, bool isUrgent) external payable {
        emit Placed(order, kind, isUrgent);
      }
      function place(uint256 count) external {
        require(count > 0, 'no orders');
      }
      function total(Order calldata order) external view returns (uint256 sum, address sender) {
        for (uint256 i = 0; i < order.amounts.length; i++) sum += order.amounts[i];
        return (sum + block.number, msg.sender);
      }
    }`,
});
const ORDERS = output.contracts['Orders.sol']?.Orders ?? { abi: [], evm: { bytecode: { object: '' } } };
/** A note with quotation marks, a template, and a character that reverses the text after it. */
const NOTE = `"it's" \\ \`\${1}\` \n \u202e</script>`;
const ORDER = { owner: LOGGER, amounts: [1n, 2n ** 200n], note: NOTE };

async function openOrdersScene(): Promise<{ readonly scene: Scene; readonly to: string }> {
  const scene = await openScene();
  await scene.call('inspect_addArtifacts', [compilerInput, output, '0.8.30']);
  return { scene, to: await scene.deploy(`0x${ORDERS.evm.bytecode.object}`) };
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
    await page.evaluate(KEEP_COPIED);
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

  it.each([
    ['a struct, bytes and a value', [ORDER, '0x12345678', true], '0x7', '0x1'],
    ['an overloaded function that fails', [0n], '0x0', '0x0'],
  ])('for viem sends a call with %s again by the ABI', async (_, args, value, status) => {
    const { scene, to } = await openOrdersScene();
    const data = encodeFunctionData({ abi: ORDERS.abi, functionName: 'place', args });
    const hash = await scene.send({ to, data, value });
    const first = await newestOutcomes(scene);
    expect(first).toMatchObject([{ status }]);

    const { page, faults } = await openPage(opened, `${scene.url}/_/tx/${hash}?show=copy`);
    await page.evaluate(KEEP_COPIED);
    await untilShown(page, '.code', 'writeContract');
    await page.evaluate(`document.querySelector('button[aria-label="Copy code"]').click()`);
    const code = String(await page.evaluate('globalThis.copied'));
    expect(code).toContain("functionName: 'place',");
    expect(code).not.toMatch(/data:|\p{Cf}/u);
    const output = await printed(RUNS.viem?.(code) ?? ['false', []]);
    expect(await newestOutcomes(scene), output).toEqual(first);
    expect(BigInt(await scene.call<string>('eth_blockNumber')), output).toBe(3n);
    expect(faults).toEqual([]);
  });

  it('for viem contains the input data if the ABI does not describe all of it', async () => {
    const { scene, to } = await openOrdersScene();
    const data = `${encodeFunctionData({ abi: ORDERS.abi, functionName: 'place', args: [1n] })}00`;
    const hash = await scene.send({ to, data });

    const { page, faults } = await openPage(opened, `${scene.url}/_/tx/${hash}?show=copy`);
    await untilShown(page, '.code', `data: '${data}'`);
    expect(faults).toEqual([]);
  });

  it('for viem reads a function with the arguments of its form, at the selected block', async () => {
    const { scene, to } = await openOrdersScene();
    await scene.call('hardhat_mine', ['0x10']);
    const { page, faults } = await openPage(opened, `${scene.url}/_/address/${to}?show=interface&at=9`);
    await page.evaluate(KEEP_COPIED);
    const form = 'section[aria-label=Read] .function';
    await untilShown(page, `${form} summary`, 'total');
    await page.evaluate(`document.querySelector('${form}').open = true`);
    await click(page, `${form} button`, 'Copy as viem');
    await untilShown(page, `${form} .failure`, 'order: expected a JSON object');
    const order = JSON.stringify({ ...ORDER, amounts: ['5', '6'] });
    await page.fill(`${form} form input`, order);
    await page.fill('input[list]', scene.from);
    await click(page, `${form} button`, 'Copy as viem');
    // The text of the button changes back after a second. The announcement stays.
    await untilShown(page, 'output[aria-live]', 'Copied');

    const code = String(await page.evaluate('globalThis.copied'));
    const output = await printed(RUNS.viem?.(code) ?? ['false', []]);
    expect(output).toContain('20n');
    expect(output.toLowerCase()).toContain(scene.from.toLowerCase());
    expect(faults).toEqual([]);
  });

  it('contains the initcode of a failed deployment of a known contract', async () => {
    const { scene } = await openOrdersScene();
    const data = `0x${ORDERS.evm.bytecode.object}`;
    // The constructor accepts no value.
    await expect(scene.call('eth_estimateGas', [{ from: scene.from, data, value: '0x1' }])).rejects.toThrow();
    const { page, faults } = await openPage(opened, `${scene.url}/_/failure/1?show=copy`);
    await page.evaluate(KEEP_COPIED);
    await untilShown(page, '.code', 'sendTransaction');
    await page.evaluate(`document.querySelector('button[aria-label="Copy code"]').click()`);
    expect(await page.evaluate('globalThis.copied')).toContain(`data: '${data}'`);
    expect(faults).toEqual([]);
  });

  it('runs a failed call again as a call with each installed client', async () => {
    const { url, call, accounts } = await openScene();
    const [, from] = accounts;
    await call('anvil_setCode', [REVERTER, REVERTS_INPUT]);
    const failing = { to: REVERTER, data: '0x00c0ffee' };
    await expect(call('eth_call', [{ ...failing, from, value: '0x7b' }, 'latest'])).rejects.toThrow();
    await expect(call('eth_call', [failing, 'latest'])).rejects.toThrow();
    for (const number of [1, 2]) {
      const { page, faults } = await openPage(opened, `${url}/_/failure/${number}?show=copy`);
      await page.evaluate(KEEP_COPIED);
      for (const client of clients) {
        await click(page, '[aria-label=Client] button', client);
        await untilShown(page, '[aria-label=Client] button[aria-pressed=true]', client);
        await page.evaluate(`document.querySelector('button[aria-label="Copy code"]').click()`);
        const code = String(await page.evaluate('globalThis.copied'));
        const before = await call<{ count: string }>('inspect_failures', [0]);
        const output = await printed(RUNS[client]?.(code) ?? ['false', []]);
        const after = await call<{ count: string; failures: readonly object[] }>('inspect_failures', [1]);
        expect(Number(after.count), `${client}: ${output}`).toBe(Number(before.count) + 1);
        expect(after.failures, client).toMatchObject([{ method: 'eth_call', call: { input: failing.data } }]);
        expect(await call('eth_blockNumber'), client).toBe('0x0');
      }
      expect(faults).toEqual([]);
    }
  });
});
