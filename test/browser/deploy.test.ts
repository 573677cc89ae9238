import { readFileSync } from 'node:fs';
import { getAddress } from 'viem';
import { expect, it } from 'vitest';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { viewFaults } from '../support/browser/layout.ts';
import { openScene, type Scene } from '../support/browser/scene.ts';
import { readOpenZeppelin } from '../support/openzeppelin.ts';

const run = new URL('../../fixtures/projects/solc/0.8.28/', import.meta.url);
const [input, output] = ['input.json', 'output.json'].map((name) =>
  JSON.parse(readFileSync(new URL(name, run), 'utf8')),
);

async function openArtifactScene(): Promise<Scene> {
  const scene = await openScene();
  await scene.call('inspect_addArtifacts', [input, output]);
  return scene;
}

describeInBrowser('the deployment form of the explorer', (opened) => {
  it('deploys a contract with a library and constructor arguments, and opens it', async () => {
    const scene = await openArtifactScene();
    const library = await scene.deploy(`0x${output.contracts['Checks.sol'].Checks.evm.bytecode.object}`);
    const { page, faults } = await openPage(opened, `${scene.url}/_/contracts?search=Linked`);
    await click(page, 'a[aria-label="Deploy Linked"]', 'Deploy');
    await untilShown(page, 'h1', 'Deploy Linked');
    await untilTrue(page, `document.querySelector('form.deploy input')?.value === '${getAddress(library)}'`);
    await page.waitForSelector('form.deploy button.primary:not([disabled])');
    await click(page, 'form.deploy button', 'Deploy');
    await untilShown(page, '.failure', 'limit_: expected a whole number, got nothing');
    await page.type('form.deploy .field:nth-of-type(2) input', '3');
    await click(page, 'form.deploy button', 'Simulate');
    await untilShown(page, '.outcome', 'Would succeed');
    await click(page, 'form.deploy button', 'Deploy');
    await untilShown(page, 'h1', 'Linked');
    await untilShown(page, '.facts', 'exact match');
    await untilShown(page, '.facts', 'Account 0 in 0x');
    expect(faults).toEqual([]);
  });

  it('shows the decoded error of a failed deployment, with a link to the failure', async () => {
    const scene = await openScene();
    const tokens = readOpenZeppelin();
    await scene.call('inspect_addArtifacts', [tokens.input, tokens.output]);
    const source = encodeURIComponent('contracts/Tokens.sol');
    const { page, faults } = await openPage(opened, `${scene.url}/_/deploy?source=${source}&contract=Deeds`);
    await untilShown(page, 'label', 'owner');
    await page.type('form.deploy .field:nth-of-type(1) input', `0x${'0'.repeat(40)}`);
    await page.waitForSelector('form.deploy button.primary:not([disabled])');
    await click(page, 'form.deploy button', 'Simulate');
    await untilShown(page, '.newest-failure .reason', 'OwnableInvalidOwner');
    await click(page, 'form.deploy button', 'Deploy');
    await untilShown(page, '.newest-failure', 'Deployment failed');
    await click(page, '.newest-failure a', 'View transaction');
    await untilShown(page, 'h1', 'Transaction failed');
    await untilShown(page, '.newest-failure .reason', 'OwnableInvalidOwner');
    expect(faults).toEqual([]);
  });

  it('explains why an interface or an unknown contract cannot be deployed', async () => {
    const scene = await openScene();
    const { input: more, output: made } = readOpenZeppelin();
    await scene.call('inspect_addArtifacts', [more, made]);
    const source = encodeURIComponent('@openzeppelin/contracts/token/ERC20/IERC20.sol');
    const { page, faults } = await openPage(opened, `${scene.url}/_/deploy?source=${source}&contract=IERC20`);
    await untilShown(page, '.empty', 'has no code to deploy');
    await page.goto(`${scene.url}/_/deploy`);
    await untilShown(page, '.empty', 'No artifact has this contract');
    expect(faults).toEqual([]);
  });

  it('fits a phone and a desktop, without accessibility faults', async () => {
    const scene = await openArtifactScene();
    const url = `${scene.url}/_/deploy?source=Linked.sol&contract=Linked`;
    expect(await viewFaults(opened, url, 'form.deploy input')).toEqual([]);
  });
});
