import { encodeDeployData, encodeFunctionData, getAddress, type Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { expect, it } from 'vitest';
import { readArtifact } from '../support/artifacts.ts';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { viewFaults } from '../support/browser/layout.ts';
import { openScene, type Scene } from '../support/browser/scene.ts';
import { readOpenZeppelin } from '../support/openzeppelin.ts';

const token = readArtifact('shanghai', 'Token');
const deeds = readOpenZeppelin().token('Deeds');
const STRANGER = `0x${'5a'.repeat(20)}`;

/** Deploys a token with 18 decimals. The first account has 1,000 of it. */
function deployToken(scene: Scene, symbol: string): Promise<Hex> {
  const args = ['A token', symbol, scene.accounts[0], 1000n * 10n ** 18n];
  return scene.deploy(encodeDeployData({ ...token, args }));
}

/** The text of the row of an account. */
function rowOf(account: string): string {
  return `([...document.querySelectorAll('main tr')].find((row) => row.querySelector('a[title="${getAddress(account)}"]'))?.textContent.replaceAll(',', '') ?? '')`;
}

describeInBrowser('the accounts of the explorer', (opened) => {
  it('show balances in ether, nonces, and the tokens that events report', async () => {
    const scene = await openScene();
    const [first = '0x', second = '0x'] = scene.accounts;
    const address = await deployToken(scene, 'GOLD');
    const { page, faults } = await openPage(opened, `${scene.url}/_/accounts`);
    await untilTrue(page, `${rowOf(first)}.includes('1000 GOLD')`);
    await untilTrue(page, `${rowOf(first)}.includes(' ether11000 GOLD')`);
    const data = encodeFunctionData({
      abi: token.abi,
      functionName: 'transfer',
      args: [second, 25n * 10n ** 17n],
    });
    await scene.send({ to: address, data });
    await untilTrue(page, `${rowOf(second)}.includes('2.5 GOLD')`);
    await untilTrue(page, `${rowOf(first)}.includes('997.5 GOLD')`);
    await page.goto(`${scene.url}/_/accounts?at=1`);
    await untilTrue(page, `${rowOf(first)}.includes('1000 GOLD')`);
    expect(await page.evaluate(rowOf(second))).not.toContain('GOLD');
    await page.goto(`${scene.url}/_/address/${second}`);
    await untilShown(page, 'dd', '2.5 GOLD');
    expect(faults).toEqual([]);
  });

  it('show the tokens of a collection, without transferred tokens', async () => {
    const scene = await openScene();
    const [first = '0x', second = '0x'] = scene.accounts;
    const to = await scene.deploy(encodeDeployData({ ...deeds, args: [first] }));
    const send = (functionName: string, args: readonly unknown[]): Promise<unknown> => {
      const data = encodeFunctionData({ abi: deeds.abi, functionName, args });
      return scene.send({ to, data });
    };
    for (const id of [1n, 2n, 3n]) await send('mint', [first, id]);
    const { page, faults } = await openPage(opened, `${scene.url}/_/accounts`);
    await untilTrue(page, `${rowOf(first)}.includes('3 DEED')`);
    for (const id of [1n, 2n, 3n]) await send('transferFrom', [first, second, id]);
    await untilTrue(page, `${rowOf(second)}.includes('3 DEED')`);
    await untilTrue(page, `!${rowOf(first)}.includes('DEED')`);
    expect(faults).toEqual([]);
  });

  it('lose their tokens after a revert', async () => {
    const scene = await openScene();
    const [first = '0x'] = scene.accounts;
    const snapshot = await scene.call('evm_snapshot');
    await deployToken(scene, 'GOLD');
    const { page, faults } = await openPage(opened, `${scene.url}/_/accounts`);
    await untilTrue(page, `${rowOf(first)}.includes('GOLD')`);
    await scene.call('evm_revert', [snapshot]);
    await deployToken(scene, 'LEAD');
    await untilTrue(page, `${rowOf(first)}.includes('1000 LEAD')`);
    expect(await page.evaluate(rowOf(first))).not.toContain('GOLD');
    expect(faults).toEqual([]);
  });

  it('get the typed balance, or an error if it is not an amount', async () => {
    const scene = await openScene();
    const [first = '0x'] = scene.accounts;
    const { page, faults } = await openPage(opened, `${scene.url}/_/address/${first}`);
    await click(page, 'details.act summary', 'Set balance');
    const type = async (text: string): Promise<void> => {
      await page.evaluate("document.querySelector('form[aria-label^=Balance] input').select()");
      await page.type('form[aria-label^=Balance] input', text);
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

  it('show a private key only on request, under a warning', async () => {
    const scene = await openScene();
    const [first = '0x'] = scene.accounts;
    const { page, faults } = await openPage(opened, `${scene.url}/_/accounts`);
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

  it('are numbered, and show the name that a user gives them in every list', async () => {
    const scene = await openScene();
    const [first = '0x', second = '0x'] = scene.accounts;
    await scene.send({ to: second, value: '0x1' });
    const { page, faults } = await openPage(opened, `${scene.url}/_/accounts`);
    await untilTrue(page, `${rowOf(second)}.includes('Account 1')`);
    await page.goto(`${scene.url}/_/address/${second}`);
    await untilShown(page, 'h1', 'Account 1');
    await untilShown(page, 'code', getAddress(second));
    await click(page, 'details.act summary', 'Name');
    await page.type('form[aria-label^=Name] input', 'treasury');
    await page.keyboard.press('Enter');
    await untilShown(page, 'h1', 'treasury');
    await page.goto(`${scene.url}/_/block/1`);
    await untilShown(page, 'td', 'treasury');
    await untilShown(page, 'td', 'Account 0');
    await scene.call('inspect_label', [first, 'Treasury']);
    await page.goto(`${scene.url}/_/block/1`);
    await untilShown(page, 'td', `Treasury ${getAddress(first).slice(0, 6)}`);
    await untilShown(page, 'td', `treasury ${getAddress(second).slice(0, 6)}`);
    expect(faults).toEqual([]);
  });

  it('are listed while they are impersonated', async () => {
    const scene = await openScene();
    const { page, faults } = await openPage(opened, `${scene.url}/_/accounts`);
    const section = 'section[aria-label="Impersonated accounts"]';
    await untilShown(page, section, 'No impersonated accounts');
    await page.type(`${section} input[type=text]`, '0x5a');
    await page.keyboard.press('Enter');
    await untilShown(page, `${section} .failure`, 'Address: expected 0x and 40 hex digits');
    await page.type(`${section} input[type=text]`, STRANGER.slice(4));
    await page.keyboard.press('Enter');
    await untilShown(page, `${section} li`, getAddress(STRANGER));
    await scene.call('eth_sendTransaction', [{ from: STRANGER, to: STRANGER }]);
    await click(page, `${section} li button`, 'Stop');
    await untilShown(page, section, 'No impersonated accounts');
    await expect(scene.call('eth_sendTransaction', [{ from: STRANGER, to: STRANGER }])).rejects.toThrow();
    expect(faults).toEqual([]);
  });

  it('fit a phone and a desktop, without accessibility faults', async () => {
    const scene = await openScene();
    await deployToken(scene, 'GOLD');
    await scene.call('anvil_impersonateAccount', [STRANGER]);
    expect(await viewFaults(opened, `${scene.url}/_/accounts`, 'section li')).toEqual([]);
    expect(await viewFaults(opened, `${scene.url}/_/address/${scene.accounts[0]}`, '.token')).toEqual([]);
  });
});
