import { expect, it } from 'vitest';
import { changesChain, valueOfText } from '../../src/explorer/console/methods.ts';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { viewFaults } from '../support/browser/layout.ts';
import { openScene } from '../support/browser/scene.ts';

describeInBrowser('the console of the explorer', (opened) => {
  it('finds a method, calls it by a form, and shows the answer as a tree', async () => {
    const scene = await openScene();
    const { page, faults } = await openPage(opened, `${scene.url}/_/console`);
    await untilShown(page, '.method-list a', 'eth_getBalance');
    await page.type('.methods input', 'getbalance');
    await page.keyboard.press('Enter');
    await untilShown(page, 'h1', 'eth_getBalance');
    expect(page.url()).toBe(`${scene.url}/_/console/eth_getBalance`);
    const fields = await page.$$('.method input');
    await fields[0]?.type(scene.from);
    await fields[1]?.type('0');
    await page.keyboard.press('Control+Enter');
    await untilShown(page, '.answer', '10,000,000,000,000,000,000,000');
    await untilShown(page, '.history .past', `eth_getBalance "${scene.from}","0x0"`);
    await page.goto(`${scene.url}/_/console/eth_getBlockByNumber`);
    await click(page, '.method button', 'Fill in example');
    await untilTrue(page, "document.querySelector('.method input').value.startsWith('0x')");
    await page.$eval('.method input', (input) => input.select());
    await page.keyboard.type('latest');
    await click(page, '.method button', 'Run');
    await untilShown(page, '.answer .leaf', 'parentHash: ');
    // The history survives a reload.
    await click(page, '.past', 'eth_getBalance');
    await untilTrue(page, `document.querySelector('.method input')?.value === '${scene.from}'`);
    await click(page, '.history button', 'Clear');
    expect(faults).toEqual([]);
  });

  it('calls a method with an object, as fields or as JSON, and shows the error of an invalid call', async () => {
    const scene = await openScene();
    const { page, faults } = await openPage(opened, `${scene.url}/_/console/eth_call`);
    await untilShown(page, 'legend', 'call');
    await page.type('.arguments .field:has(label b) input', '0x12');
    await click(page, '.method button', 'Run');
    await untilShown(page, '.answer .failure', '-32602');
    await click(page, 'legend button', 'Edit as JSON');
    await untilTrue(page, `document.querySelector('.method textarea, .method input').value.includes('0x12')`);
    expect(faults).toEqual([]);
  });

  it('marks the methods that change the chain, and calls them so that the node logs them', async () => {
    const scene = await openScene();
    const { page, faults } = await openPage(opened, `${scene.url}/_/console/evm_mine`);
    await untilShown(page, 'h1 .tag', 'changes');
    await click(page, '.method button', 'Run');
    await untilShown(page, '.chain-facts', 'block 1');
    await page.goto(`${scene.url}/_/console/eth_chainId`);
    await untilShown(page, 'h1', 'eth_chainId');
    expect(await page.$('h1 .tag')).toBeNull();
    expect(faults).toEqual([]);
  });

  it('copies a request as code for several clients', async () => {
    const scene = await openScene();
    const { page, faults } = await openPage(opened, `${scene.url}/_/console/web3_sha3`);
    await page.evaluate('navigator.clipboard.writeText = async (text) => { window.copied = text; }');
    await untilShown(page, 'h1', 'web3_sha3');
    await page.type('.method input', '0x01');
    for (const [client, code] of [
      ['curl', `"method":"web3_sha3","params":["0x01"]}' ${scene.url}`],
      ['viem', 'client.request({ method: "web3_sha3", params: ["0x01"] })'],
      ['ethers', 'provider.send("web3_sha3", ["0x01"])'],
      ['cast', `cast rpc --rpc-url ${scene.url}/ --raw web3_sha3 '["0x01"]'`],
    ] as const) {
      await page.click(`button[aria-label="Copy as ${client}"]`);
      await untilTrue(page, `window.copied?.includes(${JSON.stringify(code)})`);
    }
    expect(faults).toEqual([]);
  });

  it.each(['console', 'console/eth_call', 'console/nothing'])(
    'fits a phone and a desktop, without accessibility faults: %s',
    async (view) => {
      const scene = await openScene();
      expect(await viewFaults(opened, `${scene.url}/_/${view}`, '.method-list a')).toEqual([]);
    },
  );
});

it('classifies methods by their names', () => {
  const names = [
    'eth_sendRawTransaction',
    'anvil_mine',
    'hardhat_intervalMine',
    'evm_revert',
    'inspect_label',
  ];
  expect(names.filter((name) => !changesChain(name))).toEqual([]);
  const reads = ['eth_call', 'eth_createAccessList', 'eth_syncing', 'inspect_steps', 'sco_bannedAddresses'];
  expect(reads.filter(changesChain)).toEqual([]);
});

it('converts texts to the values that a schema expects', () => {
  const quantity = {
    oneOf: [
      { pattern: '^0x(0|[1-9a-f][0-9a-f]*)$', type: 'string' },
      { enum: ['latest'], type: 'string' },
    ],
  };
  expect(valueOfText(quantity, ' 26 ', 'block')).toBe('0x1a');
  expect(valueOfText(quantity, 'latest', 'block')).toBe('latest');
  expect(valueOfText({ type: 'boolean' }, 'true', 'full')).toBe(true);
  expect(valueOfText({ type: 'array' }, '[1]', 'list')).toEqual([1]);
  expect(valueOfText({ type: 'string' }, '', 'text')).toBeUndefined();
  expect(() => valueOfText({ type: 'object' }, '{', 'call')).toThrow('call: expected JSON, got “{”');
});
