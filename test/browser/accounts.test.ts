import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { phoneFaults } from '../support/browser/layout.ts';

const token: { readonly abi: Abi; readonly bytecode: Hex } = JSON.parse(
  readFileSync(new URL('../../fixtures/artifacts/shanghai/Token.json', import.meta.url), 'utf8'),
);
const packed = new URL('../../fixtures/openzeppelin/project.json.gz', import.meta.url);
const files = JSON.parse(gunzipSync(readFileSync(packed)).toString()) as Readonly<Record<string, string>>;
const [, build = ''] = Object.entries(files).find(([path]) => path.includes('/build-info/')) ?? [];
const { Deeds } = JSON.parse(build).output.contracts['contracts/Tokens.sol'];
const deeds: { readonly abi: Abi; readonly bytecode: Hex } = {
  abi: Deeds.abi,
  bytecode: `0x${Deeds.evm.bytecode.object}`,
};
const STRANGER = `0x${'5a'.repeat(20)}`;

interface Scene {
  readonly url: string;
  readonly accounts: readonly Hex[];
  call<Result>(method: string, params?: readonly unknown[]): Promise<Result>;
}

async function openScene(): Promise<Scene> {
  const node = await createNode({ artifacts: [] });
  onTestFinished(() => node.close());
  const { url } = await node.listen();
  const call = <Result>(method: string, params: readonly unknown[] = []): Promise<Result> =>
    node.request({ method, params }) as Promise<Result>;
  return { url, accounts: await call<Hex[]>('eth_accounts'), call };
}

/** Deploys a contract; resolves to its address. */
async function deploy({ call, accounts }: Scene, data: Hex): Promise<Hex> {
  const hash = await call('eth_sendTransaction', [{ from: accounts[0], gas: '0x7a1200', data }]);
  return (await call<{ contractAddress: Hex }>('eth_getTransactionReceipt', [hash])).contractAddress;
}

/** Deploys a token of which the first account has a thousand, with 18 decimals. */
function deployToken(scene: Scene, symbol: string): Promise<Hex> {
  const args = ['A token', symbol, scene.accounts[0], 1000n * 10n ** 18n];
  return deploy(scene, encodeDeployData({ ...token, args }));
}

/** The text of the row of an account. */
function rowOf(account: string): string {
  return `([...document.querySelectorAll('main tr')].find((row) => row.querySelector('a[title="${account}"]'))?.textContent.replaceAll(',', '') ?? '')`;
}

describeInBrowser('accounts in the page', (opened) => {
  it('have their balances in the unit of the log, their nonces, and their tokens by the events of the standards', async () => {
    const scene = await openScene();
    const [first = '0x', second = '0x'] = scene.accounts;
    const address = await deployToken(scene, 'GOLD');
    const { page, faults } = await openPage(opened.browser, `${scene.url}/_/accounts`);
    await untilTrue(page, `${rowOf(first)}.includes('1000 GOLD')`);
    await untilTrue(page, `${rowOf(first)}.includes(' ether11000 GOLD')`);
    const data = encodeFunctionData({
      abi: token.abi,
      functionName: 'transfer',
      args: [second, 25n * 10n ** 17n],
    });
    await scene.call('eth_sendTransaction', [{ from: first, to: address, data }]);
    await untilTrue(page, `${rowOf(second)}.includes('2.5 GOLD')`);
    await untilTrue(page, `${rowOf(first)}.includes('997.5 GOLD')`);
    await page.goto(`${scene.url}/_/accounts?at=1`);
    await untilTrue(page, `${rowOf(first)}.includes('1000 GOLD')`);
    expect(await page.evaluate(rowOf(second))).not.toContain('GOLD');
    await page.goto(`${scene.url}/_/address/${second}`);
    await untilShown(page, 'dd', '2.5 GOLD');
    expect(faults).toEqual([]);
  });

  it('have pieces of collections, and none of what they gave away', async () => {
    const scene = await openScene();
    const [first = '0x', second = '0x'] = scene.accounts;
    const to = await deploy(scene, encodeDeployData({ ...deeds, args: [first] }));
    const send = (functionName: string, args: readonly unknown[]): Promise<unknown> => {
      const data = encodeFunctionData({ abi: deeds.abi, functionName, args });
      return scene.call('eth_sendTransaction', [{ from: first, to, gas: '0x7a120', data }]);
    };
    for (const id of [1n, 2n, 3n]) await send('mint', [first, id]);
    const { page, faults } = await openPage(opened.browser, `${scene.url}/_/accounts`);
    await untilTrue(page, `${rowOf(first)}.includes('3 DEED')`);
    for (const id of [1n, 2n, 3n]) await send('transferFrom', [first, second, id]);
    await untilTrue(page, `${rowOf(second)}.includes('3 DEED')`);
    await untilTrue(page, `!${rowOf(first)}.includes('DEED')`);
    expect(faults).toEqual([]);
  });

  it('lose the tokens that a revert takes from them', async () => {
    const scene = await openScene();
    const [first = '0x'] = scene.accounts;
    const snapshot = await scene.call('evm_snapshot');
    await deployToken(scene, 'GOLD');
    const { page, faults } = await openPage(opened.browser, `${scene.url}/_/accounts`);
    await untilTrue(page, `${rowOf(first)}.includes('GOLD')`);
    await scene.call('evm_revert', [snapshot]);
    await deployToken(scene, 'LEAD');
    await untilTrue(page, `${rowOf(first)}.includes('1000 LEAD')`);
    expect(await page.evaluate(rowOf(first))).not.toContain('GOLD');
    expect(faults).toEqual([]);
  });

  it('get the balance that somebody types, and a word where it is none', async () => {
    const scene = await openScene();
    const [first = '0x'] = scene.accounts;
    const { page, faults } = await openPage(opened.browser, `${scene.url}/_/address/${first}`);
    await click(page, 'details.act summary', 'Set balance');
    const type = async (text: string): Promise<void> => {
      await page.evaluate("document.querySelector('details.act input').select()");
      await page.type('details.act input', text);
      await page.keyboard.press('Enter');
    };
    await page.waitForSelector('details.act[open]');
    await type('a lot');
    await untilShown(page, '.failure', 'Balance: expected an amount in ether, got “a lot”');
    await type('12.5');
    await untilShown(page, '.amount', '12.5 ether');
    expect(BigInt(await scene.call<string>('eth_getBalance', [first, 'latest']))).toBe(125n * 10n ** 17n);
    expect(await scene.call('eth_blockNumber')).toBe('0x0');
    expect(faults).toEqual([]);
  });

  it('show their private keys when they are asked for alone, under a warning', async () => {
    const scene = await openScene();
    const [first = '0x'] = scene.accounts;
    const { page, faults } = await openPage(opened.browser, `${scene.url}/_/accounts`);
    await untilShown(page, 'main', 'funds sent to these accounts on a live network will be stolen');
    const button = `button[aria-label="Show key of ${first}"]`;
    await page.waitForSelector(button);
    expect(await page.$('.key')).toBeNull();
    await page.click(button);
    await page.waitForSelector('.key code');
    const key = (await page.$eval('.key code', (element) => element.textContent)) as Hex;
    expect(privateKeyToAddress(key).toLowerCase()).toBe(first);
    await click(page, '.key button', 'Hide');
    await untilTrue(page, "document.querySelector('.key') === null");
    expect(faults).toEqual([]);
  });

  it('are impersonated, and listed until that ends', async () => {
    const scene = await openScene();
    const { page, faults } = await openPage(opened.browser, `${scene.url}/_/accounts`);
    const section = 'section[aria-label="Impersonated accounts"]';
    await untilShown(page, section, 'No impersonated accounts');
    await page.type(`${section} input[type=text]`, '0x5a');
    await page.keyboard.press('Enter');
    await untilShown(page, `${section} .failure`, 'Address: expected 0x and 40 hex digits');
    await page.type(`${section} input[type=text]`, STRANGER.slice(4));
    await page.keyboard.press('Enter');
    await untilShown(page, `${section} li`, STRANGER);
    await scene.call('eth_sendTransaction', [{ from: STRANGER, to: STRANGER }]);
    await click(page, `${section} li button`, 'Stop');
    await untilShown(page, section, 'No impersonated accounts');
    await expect(scene.call('eth_sendTransaction', [{ from: STRANGER, to: STRANGER }])).rejects.toThrow();
    expect(faults).toEqual([]);
  });

  it('are within the width of a phone, and have no serious fault for those who cannot see it', async () => {
    const scene = await openScene();
    await deployToken(scene, 'GOLD');
    await scene.call('anvil_impersonateAccount', [STRANGER]);
    expect(await phoneFaults(opened.browser, `${scene.url}/_/accounts`, 'section li')).toEqual([]);
    expect(
      await phoneFaults(opened.browser, `${scene.url}/_/address/${scene.accounts[0]}`, '.token'),
    ).toEqual([]);
  });
});
