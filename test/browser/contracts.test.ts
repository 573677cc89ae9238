import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import {
  type Abi,
  encodeDeployData,
  encodeFunctionData,
  formatUnits,
  getAddress,
  type Hex,
  keccak256,
  toHex,
} from 'viem';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  click,
  describeInBrowser,
  openPage,
  runBeforeScripts,
  untilShown,
  untilTrue,
} from '../support/browser/browser.ts';
import { viewFaults } from '../support/browser/layout.ts';
import { openScene, type Scene, sceneAt } from '../support/browser/scene.ts';
import { startNode } from '../support/node-process.ts';
import { readOpenZeppelin } from '../support/openzeppelin.ts';

const { input, output, token } = readOpenZeppelin();
const { abi, bytecode } = token('Shares');
const MINTER = keccak256(toHex('MINTER'));
const STRANGER = `0x${'ab'.repeat(20)}`;

/** Returns an amount as the explorer shows it. The token has 18 decimals. */
function shares(amount: bigint): string {
  return `${formatUnits(amount, 18)} SHR`;
}

interface TokenScene extends Scene {
  readonly token: Hex;
}

/** Deploys a token of OpenZeppelin. The first account may mint, and has 60. */
async function withToken(scene: Scene, knowsArtifacts = true): Promise<TokenScene> {
  const { from, call, send, deploy } = scene;
  if (knowsArtifacts) await call('inspect_addArtifacts', [input, output]);
  const address = await deploy(encodeDeployData({ abi, bytecode, args: [from, 100n] }));
  for (const [functionName, args] of [
    ['grantRole', [MINTER, from]],
    ['mint', [from, 60n]],
  ] as const) {
    await send({ to: address, data: encodeFunctionData({ abi, functionName, args }) });
  }
  return { ...scene, token: address };
}

/** Opens the form of a function and types the texts into its fields. */
async function fill(page: Page, name: string, texts: readonly string[]): Promise<string> {
  await untilShown(page, 'details.function summary b', name);
  const index = (await page.evaluate(
    `[...document.querySelectorAll('details.function')].findIndex((form) => form.querySelector('b').textContent === '${name}')`,
  )) as number;
  const form = `details.function[data-place="${index}"]`;
  await page.evaluate(`{
    const form = document.querySelectorAll('details.function')[${index}];
    form.dataset.place = '${index}';
    form.open = true;
  }`);
  const fields = await page.$$(`${form} input`);
  for (const [place, typed] of texts.entries()) await fields[place]?.type(typed);
  return form;
}

describeInBrowser('the contracts of the explorer', (opened) => {
  describe('with known artifacts', () => {
    let scene: TokenScene;

    beforeEach(async () => {
      scene = await withToken(await openScene());
    });

    it('are found by their names', async () => {
      const { page, faults } = await openPage(opened, `${scene.url}/_/contracts`);
      await untilShown(page, 'td', 'Shares');
      await page.type('main input', 'UpgradeableBeacon');
      await untilTrue(page, "!document.querySelector('main').textContent.includes('Shares')");
      await page.evaluate("document.querySelector('main input').value = ''");
      await page.type('main input', scene.token);
      await page.keyboard.press('Enter');
      await untilShown(page, 'h1', 'Shares');
      expect(faults).toEqual([]);
    });

    it('are read by a form, which names an invalid argument', async () => {
      const { page, faults } = await openPage(opened, `${scene.url}/_/address/${scene.token}`);
      const form = await fill(page, 'balanceOf', ['0x12']);
      await page.click(`${form} button[type=submit]`);
      await untilShown(page, `${form} .failure`, 'account: expected 0x and 40 hex digits, got “0x12”');
      await page.evaluate(`document.querySelector('${form} input').select()`);
      await page.type(`${form} input`, scene.accounts[0] ?? '');
      await page.click(`${form} button[type=submit]`);
      await untilShown(page, `${form} .outcome`, shares(60n));
      expect(faults).toEqual([]);
    });

    it('show their creator, the source match, and the results of reads without parameters', async () => {
      const { page, faults } = await openPage(opened, `${scene.url}/_/address/${scene.token}`);
      await untilShown(page, '.facts', 'Account 0 in 0x');
      await untilShown(page, '.facts', 'exact match');
      await untilShown(page, '.current', shares(60n));
      await untilShown(page, '.current', '"Shares"');
      const data = encodeFunctionData({ abi, functionName: 'mint', args: [STRANGER, 5n] });
      await scene.send({ to: scene.token, data });
      await untilShown(page, '.current', shares(65n));
      expect(faults).toEqual([]);
    });

    it('are read again each time that a function without parameters is opened', async () => {
      const { page, faults } = await openPage(opened, `${scene.url}/_/address/${scene.token}`);
      const form = await fill(page, 'totalSupply', []);
      await untilShown(page, `${form} .outcome`, shares(60n));
      await page.evaluate(`document.querySelector('${form}').open = false`);
      const data = encodeFunctionData({ abi, functionName: 'mint', args: [scene.accounts[0] as Hex, 5n] });
      await scene.call('eth_sendTransaction', [{ from: scene.accounts[0], to: scene.token, data }]);
      await untilShown(page, '.chain-facts', 'block 4');
      await page.evaluate(`document.querySelector('${form}').open = true`);
      await untilShown(page, `${form} .outcome`, shares(65n));
      expect(faults).toEqual([]);
    });

    it('are read after the accounts arrive if a function was opened before', async () => {
      const { page, faults } = await openPage(opened, `${scene.url}/_/feed`);
      await runBeforeScripts(
        page,
        `{
        const send = WebSocket.prototype.send;
        const ask = globalThis.fetch;
        const known = new Promise((resolve) => { globalThis.tellAccounts = resolve; });
        const isHeld = (text) => String(text).includes('"eth_accounts"');
        WebSocket.prototype.send = function (text) {
          if (isHeld(text)) known.then(() => send.call(this, text));
          else send.call(this, text);
        };
        globalThis.fetch = (url, options) =>
          isHeld(options?.body) ? known.then(() => ask(url, options)) : ask(url, options);
      }`,
      );
      await page.goto(`${scene.url}/_/address/${scene.token}`);
      const form = await fill(page, 'totalSupply', []);
      await page.evaluate('tellAccounts()');
      await untilShown(page, `${form} .outcome`, shares(60n));
      expect(faults).toEqual([]);
    });

    it('are written to, and show the new events and the new storage', async () => {
      const { page, faults } = await openPage(opened, `${scene.url}/_/address/${scene.token}`);
      const form = await fill(page, 'transfer', [STRANGER, '7']);
      await click(page, `${form} button`, 'Send');
      await untilShown(page, `${form} .outcome`, 'Sent: ');
      const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [STRANGER as Hex] });
      expect(BigInt(await scene.call<string>('eth_call', [{ to: scene.token, data }, 'latest']))).toBe(7n);
      await click(page, '.inner a', 'Events');
      await untilShown(page, '.events li', 'Transfer');
      await untilShown(page, '.events li', `value: ${shares(7n)}`);
      await click(page, '.inner a', 'Storage');
      await untilShown(page, '.variables li', 'slot 0x2 0x');
      await click(page, '.inner a', 'Source');
      await untilShown(page, '.source', 'contract Shares');
      await click(page, '.inner a', 'Code');
      await untilShown(page, '.code', '0x60');
      expect(faults).toEqual([]);
    });

    it('list new events and, page by page, events that are older than 100,000 blocks', async () => {
      const [admin = '0x', other = '0x'] = scene.accounts;
      const approve = (value: bigint): Promise<string> =>
        scene.call('eth_sendTransaction', [
          {
            from: admin,
            to: scene.token,
            gas: '0x186a0',
            data: encodeFunctionData({ abi, functionName: 'approve', args: [other, value] }),
          },
        ]);
      for (let value = 1_001n; value <= 1_060n; value++) await approve(value);
      await scene.call('hardhat_mine', ['0x1388']);
      const { page, faults } = await openPage(opened, `${scene.url}/_/address/${scene.token}?show=events`);
      await untilShown(page, '.events li', `value: ${shares(1060n)}`);
      expect(await page.$$eval('.events li', (items) => items.length)).toBe(50);
      await click(page, 'main button', 'Older');
      await untilShown(page, '.events li', `value: ${shares(1001n)}`);
      await untilShown(page, '.events li:last-child', 'RoleGranted');
      await approve(2_000n);
      await untilShown(page, '.events li:first-child', `value: ${shares(2000n)}`);
      // An open page receives each block, and the driver receives each message. This takes minutes on a slow machine.
      await page.close();
      await scene.call('hardhat_mine', ['0x186a0']);
      const later = await openPage(opened, page.url());
      await untilShown(later.page, '.events li:first-child', `value: ${shares(2000n)}`);
      expect([...faults, ...later.faults]).toEqual([]);
    });

    it('show the reason and the line of a failing write without sending it', async () => {
      const before = await scene.call<string>('eth_blockNumber');
      const { page, faults } = await openPage(opened, `${scene.url}/_/address/${scene.token}`);
      const form = await fill(page, 'transfer', [STRANGER, '61']);
      await page.click(`${form} button[type=submit]`);
      await untilShown(page, `${form} .reason`, 'ERC20InsufficientBalance');
      await untilShown(page, `${form} .stack`, '@openzeppelin/contracts/token/ERC20/ERC20.sol:');
      expect(await scene.call('eth_blockNumber')).toBe(before);
      await click(page, `${form} button`, 'Send');
      await untilShown(page, `${form} .newest-failure h3`, 'Transaction failed');
      await untilShown(page, `${form} .reason`, 'ERC20InsufficientBalance(');
      await untilShown(page, `${form} .excerpt mark`, 'ERC20InsufficientBalance(from, fromBalance, value)');
      await untilShown(page, `${form} .newest-failure a`, 'View transaction');
      expect(faults).toEqual([]);
    });

    it('are written to from an account without a known key', async () => {
      await scene.call('hardhat_setBalance', [STRANGER, '0xde0b6b3a7640000']);
      const { page, faults } = await openPage(opened, `${scene.url}/_/address/${scene.token}`);
      await untilShown(page, 'label', 'Send as (any address)');
      // The field is filled in after the accounts arrive.
      await untilTrue(page, "document.querySelector('main input[list]').value !== ''");
      await page.evaluate("document.querySelector('main input[list]').select()");
      await page.type('main input[list]', STRANGER);
      const form = await fill(page, 'approve', [scene.accounts[1] ?? '', '5']);
      await click(page, `${form} button`, 'Send');
      await untilShown(page, `${form} .outcome`, 'Sent: ');
      const block = await scene.call<{ transactions: { from: string }[] }>('eth_getBlockByNumber', [
        'latest',
        true,
      ]);
      expect(block.transactions.map(({ from }) => from.toLowerCase())).toEqual([STRANGER]);
      expect(faults).toEqual([]);
    });

    it('are written to without changing the impersonations of other programs', async () => {
      await scene.call('hardhat_setBalance', [STRANGER, '0xde0b6b3a7640000']);
      await scene.call('hardhat_impersonateAccount', [STRANGER]);
      const { page, faults } = await openPage(opened, `${scene.url}/_/address/${scene.token}`);
      await untilTrue(page, "document.querySelector('main input[list]')?.value.startsWith('0x')");
      await page.evaluate("document.querySelector('main input[list]').select()");
      await page.type('main input[list]', STRANGER);
      const form = await fill(page, 'approve', [scene.accounts[1] ?? '', '5']);
      await click(page, `${form} button`, 'Send');
      await untilShown(page, `${form} .outcome`, 'Sent: ');
      expect(await scene.call('inspect_impersonation')).toEqual({ accounts: [STRANGER], automatic: false });
      expect(faults).toEqual([]);
    });

    it.each(['contracts', 'address/$token', 'address/$token?show=events', 'address/$token?show=storage'])(
      'fit a phone and a desktop, without accessibility faults: %s',
      async (view) => {
        const url = `${scene.url}/_/${view.replace('$token', scene.token)}`;
        const shown = 'main table, main details, main .events, main .variables';
        expect(await viewFaults(opened, url, shown)).toEqual([]);
      },
    );
  });

  it('list all events and tokens of a node with low log limits', async () => {
    const node = await startNode('--log-block-limit', '10', '--log-limit', '10');
    onTestFinished(() => node.stop());
    const scene = await withToken(await sceneAt(node.url));
    const [admin = '0x', other = '0x'] = scene.accounts;
    for (let value = 1n; value <= 30n; value++) {
      const data = encodeFunctionData({ abi, functionName: 'transfer', args: [other, 1n] });
      await scene.call('eth_sendTransaction', [{ from: admin, to: scene.token, gas: '0x30d40', data }]);
    }
    const { page, faults } = await openPage(opened, `${scene.url}/_/address/${scene.token}?show=events`);
    await untilTrue(page, "document.querySelectorAll('.events li').length === 33");
    await untilShown(page, '.events li:last-child', 'RoleGranted');
    await page.goto(`${scene.url}/_/address/${other}`);
    await untilShown(page, '.token', 'SHR');
    expect(faults).toEqual([]);
  });

  it('are listed if a transaction created them, the newest first, and older blocks on request', async () => {
    const scene = await withToken(await openScene());
    const created = 'section[aria-label="Created on this chain"]';
    const rows = `[...document.querySelectorAll('${created} tbody tr')].map((row) => row.textContent)`;
    const { page, faults } = await openPage(opened, `${scene.url}/_/contracts`);
    await untilShown(page, `${created} td`, 'Shares');
    const snapshot = await scene.call('evm_snapshot');
    const code = '0x60016000f3';
    await scene.call('eth_sendTransaction', [{ from: scene.accounts[1], data: code }]);
    await untilTrue(page, `${rows}.length === 2 && ${rows}[0].includes('unknown contract')`);
    await scene.call('evm_revert', [snapshot]);
    await untilTrue(page, `${rows}.length === 1 && ${rows}[0].includes('Shares')`);
    // One request searches 1,000 transactions.
    const self = { from: scene.accounts[1], to: scene.accounts[1] };
    const sends = Array.from({ length: 550 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_sendTransaction',
      params: [self],
    }));
    for (let batch = 0; batch < 2; batch++) {
      const headers = { 'Content-Type': 'application/json' };
      await (await fetch(scene.url, { method: 'POST', headers, body: JSON.stringify(sends) })).json();
    }
    await untilShown(page, created, 'No contracts after block #');
    await click(page, `${created} button`, 'Search older blocks');
    await untilShown(page, `${created} td`, 'Shares');
    await page.type('main input', 'no such name');
    await untilShown(page, created, 'No matching contracts');
    expect(faults).toEqual([]);
  });

  it('are listed with their creators if contracts created them, and proxies with their implementations', async () => {
    const scene = await withToken(await openScene());
    const run = new URL('../../fixtures/projects/solc/0.8.28/', import.meta.url);
    const [more, made] = ['input.json', 'output.json'].map((name) =>
      JSON.parse(readFileSync(new URL(name, run), 'utf8')),
    );
    await scene.call('inspect_addArtifacts', [more, made]);
    const deploy = (source: string, name: string, args: readonly unknown[]): Promise<Hex> => {
      const { abi: itsAbi, evm: code } = made.contracts[source][name];
      return scene.deploy(encodeDeployData({ abi: itsAbi, bytecode: `0x${code.bytecode.object}`, args }));
    };
    const safe = await deploy('Proxies.sol', 'Safe', []);
    await deploy('Proxies.sol', 'Proxy1967', [safe]);
    const maker = await deploy('Creations.sol', 'Creations', []);
    const creations: Abi = made.contracts['Creations.sol'].Creations.abi;
    const data = encodeFunctionData({ abi: creations, functionName: 'create', args: [17n] });
    await scene.send({ to: maker, data });
    const { page, faults } = await openPage(opened, `${scene.url}/_/contracts`);
    const created = 'section[aria-label="Created on this chain"]';
    await untilShown(page, `${created} tr`, 'Proxy1967 → Safe');
    await untilShown(page, `${created} tr`, 'Child');
    const makers = await page.$$eval(`${created} tbody tr`, (rows) =>
      rows.map((row) => row.querySelectorAll('td')[2]?.querySelector('a')?.title),
    );
    const { contracts } = await scene.call<{ contracts: { creator: string }[] }>('inspect_deployments');
    expect(makers).toEqual(contracts.map(({ creator }) => getAddress(creator)));
    expect(makers[0]).toBe(getAddress(maker));
    expect(makers).toHaveLength(5);
    expect(faults).toEqual([]);
  });

  it('without an artifact get an ABI by hand, and the node uses it everywhere', async () => {
    const scene = await withToken(await openScene(), false);
    const { page, faults } = await openPage(opened, `${scene.url}/_/address/${scene.token}`);
    await untilShown(page, 'main', 'No artifact matches this code');
    await page.type('textarea', 'not JSON');
    await click(page, 'main button', 'Add');
    await untilShown(page, '.failure', 'ABI: expected JSON');
    await page.evaluate("document.querySelector('textarea').select()");
    await page.type('textarea', '[{ "type": "fallback" }, { "type": "function" }]');
    await click(page, 'main button', 'Add');
    await untilShown(page, '.failure', 'ABI: entry 2 is invalid');
    const entriesOf = (name: string): string =>
      JSON.stringify(abi.filter((entry) => entry.type === 'function' && entry.name === name));
    await page.evaluate("document.querySelector('textarea').select()");
    await page.type('textarea', entriesOf('balanceOf'));
    await click(page, 'main button', 'Add');
    const form = await fill(page, 'balanceOf', [scene.accounts[0] ?? '']);
    await page.click(`${form} button[type=submit]`);
    await untilShown(page, `${form} .outcome`, shares(60n));
    await click(page, 'main summary', 'Replace the manually added ABI');
    await page.type('textarea', entriesOf('totalSupply'));
    await click(page, 'main button', 'Replace');
    await untilShown(page, 'details.function', 'totalSupply');
    expect(faults).toEqual([]);
  });
});
