import { type Abi, encodeDeployData, encodeFunctionData, type Hex, parseEther } from 'viem';
import { expect, it } from 'vitest';
import { readArtifact } from '../support/artifacts.ts';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { viewFaults } from '../support/browser/layout.ts';
import { openScene, type Scene } from '../support/browser/scene.ts';
import { readOpenZeppelin } from '../support/openzeppelin.ts';
import { answering, minted20, minted721, REVERTING, text, withHolders } from './token-codes.ts';

const coin = readArtifact('shanghai', 'Token');
const tokens = readOpenZeppelin();
const deeds = tokens.token('Deeds');
const items = tokens.token('Items');

const IMAGE = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="teal"/></svg>')}`;
const JSON_URI = `data:application/json;base64,${Buffer.from(
  JSON.stringify({
    name: 'Piece <b>7</b>',
    description: 'A picture in the chain',
    image: IMAGE,
    attributes: [{ trait_type: 'Colour', value: 'teal' }],
  }),
).toString('base64')}`;

function deployCoin(scene: Scene, symbol = 'GOLD'): Promise<Hex> {
  const args = ['Gold coin', symbol, scene.from, parseEther('1000')];
  return scene.deploy(encodeDeployData({ ...coin, args }));
}

function write(
  scene: Scene,
  { abi }: { readonly abi: Abi },
  to: Hex,
  functionName: string,
  args: readonly unknown[],
): Promise<Hex> {
  return scene.send({ to, data: encodeFunctionData({ abi, functionName, args }) });
}

describeInBrowser('the tokens of the explorer', (opened) => {
  it('are listed with their supply, and lead to their holders and transfers', async () => {
    const scene = await openScene();
    const [first = '0x', second = '0x'] = scene.accounts;
    const token = await deployCoin(scene);
    const { page, faults } = await openPage(opened, `${scene.url}/_/tokens`);
    await untilShown(page, 'main tr', 'Gold coin');
    await untilShown(page, 'main tr', '1,000 GOLD');
    await click(page, 'main td a', 'Gold coin');
    await untilShown(page, 'h1', 'Gold coin GOLD ERC-20');
    await untilShown(page, '.token-row', 'Account 0');
    await untilShown(page, '.token-row', '100.00 %');
    await write(scene, coin, token, 'transfer', [second, parseEther('2.5')]);
    await untilShown(page, '.token-row', '2.5 GOLD');
    await untilShown(page, '.token-row', '997.5 GOLD');
    expect(await page.$eval('.token-row .quantity', ({ title }) => title)).toBe(
      '997,500,000,000,000,000,000 in the smallest unit',
    );
    await click(page, '.inner a', 'Transfers (2)');
    await untilShown(page, '.token-row', 'mint');
    await untilShown(page, '.token-row', 'Account 0');
    expect(first).not.toBe(second);
    expect(faults).toEqual([]);
  });

  it('have amounts in their decimals in calls, events, results and the feed', async () => {
    const scene = await openScene({
      artifacts: [new URL('../../fixtures/artifacts/shanghai/', import.meta.url).pathname],
    });
    const token = await deployCoin(scene);
    const { page, faults } = await openPage(opened, `${scene.url}/_/feed`);
    await untilShown(page, '.filters', 'Only failed');
    await scene.call('inspect_label', [scene.accounts[1], 'Alice (cold)']);
    const hash = await write(scene, coin, token, 'transfer', [scene.accounts[1], parseEther('2.5')]);
    await untilShown(page, '.item.transaction .subject', 'Alice (cold), value: 2.5 GOLD)');
    await page.goto(`${scene.url}/_/tx/${hash}`);
    await untilShown(page, '.tree .line .parameters', '2.5 GOLD');
    await untilShown(page, '.tree .event .parameters', '2.5 GOLD');
    await page.goto(`${scene.url}/_/address/${token}?show=events`);
    await untilShown(page, '.events li', '2.5 GOLD');
    const tooMuch = encodeFunctionData({
      abi: coin.abi,
      functionName: 'transfer',
      args: [scene.accounts[1], parseEther('2000')],
    });
    await expect(
      scene.call('eth_estimateGas', [{ from: scene.from, to: token, data: tooMuch }]),
    ).rejects.toThrow();
    await page.goto(`${scene.url}/_/failure/1`);
    await untilShown(page, '.facts dd .parameters', '2,000 GOLD');
    await page.goto(`${scene.url}/_/feed`);
    await untilShown(page, '.newest-failure h2', '2,000 GOLD');
    expect(faults).toEqual([]);
  });

  it('of a fork show holders and transfers since the fork block', async () => {
    const upstream = await openScene();
    const token = await deployCoin(upstream);
    const scene = await openScene({ forkUrl: upstream.url });
    const { page, faults } = await openPage(opened, `${scene.url}/_/token/${token}`);
    await untilShown(page, 'h1', 'Gold coin GOLD ERC-20');
    await untilShown(page, 'main', 'Since block #2');
    await untilShown(page, '.empty', 'No holders');
    await write(scene, coin, token, 'transfer', [scene.accounts[1], parseEther('2.5')]);
    await untilShown(page, '.token-row', '997.5 GOLD');
    await untilShown(page, '.token-row', '2.5 GOLD');
    await page.goto(`${scene.url}/_/address/${token}`);
    await click(page, '.facts button', 'Find creator');
    await untilShown(page, '.facts', 'Account 0 in 0x');
    expect(faults).toEqual([]);
  });

  it('of ERC-721 show the owner of each id', async () => {
    const scene = await openScene();
    const token = await scene.deploy(encodeDeployData({ ...deeds, args: [scene.from] }));
    for (const id of [7n, 8n]) await write(scene, deeds, token, 'mint', [scene.from, id]);
    await write(scene, deeds, token, 'transferFrom', [scene.from, scene.accounts[1], 7n]);
    const { page, faults } = await openPage(opened, `${scene.url}/_/token/${token}`);
    await untilShown(page, 'h1', 'Deeds DEED ERC-721');
    await click(page, '.inner a', 'Items (2)');
    await untilShown(page, '.token-row', '#7Account 1');
    await click(page, '.token-row a', '#7');
    await untilShown(page, '.item-card', 'Account 1');
    expect(faults).toEqual([]);
  });

  it('of ERC-1155 show ids, holders, and the holdings of an account', async () => {
    const scene = await openScene();
    const [first = '0x', second = '0x'] = scene.accounts;
    const token = await scene.deploy(encodeDeployData({ ...items, args: [first] }));
    await write(scene, items, token, 'mintBatch', [first, [1n, 2n], [50n, 60n]]);
    await write(scene, items, token, 'safeTransferFrom', [first, second, 2n, 15n, '0x']);
    const { page, faults } = await openPage(opened, `${scene.url}/_/token/${token}`);
    await untilShown(page, '.tag', 'ERC-1155');
    await untilShown(page, '.token-row', 'Account 0#1');
    await click(page, '.inner a', 'Items (2)');
    await untilShown(page, '.token-row', '2 holders60');
    await click(page, '.token-row a', '#2');
    await untilShown(page, '.item-card', `ipfs://items/${'0'.repeat(63)}2`);
    await page.goto(`${scene.url}/_/address/${second}`);
    await untilShown(page, '.token', '15');
    await untilShown(page, '.token', '#2');
    expect(faults).toEqual([]);
  });

  it('show images of data URIs as images, and their metadata as text', async () => {
    const scene = await openScene();
    const token = await scene.deploy(minted721(scene.from, [7n], answering(text(JSON_URI))));
    const { page, faults } = await openPage(opened, `${scene.url}/_/token/${token}?show=items&id=7`);
    await untilShown(page, '.item-card p b', 'Piece <b>7</b>');
    await untilShown(page, '.item-card .tag', 'Colour teal');
    await untilTrue(page, "document.querySelector('.item-card img')?.naturalWidth === 9");
    const remote = text('data:application/json,{"image":"https://example.com/a.png"}');
    const other = await scene.deploy(minted721(scene.from, [7n], answering(remote)));
    await page.goto(`${scene.url}/_/token/${other}?show=items&id=7`);
    await untilShown(page, '.item-card', 'The explorer loads no remote image: https://example.com/a.png');
    expect(await page.$('.item-card img')).toBeNull();
    expect(faults).toEqual([]);
  });

  it('of 10,000 holders are drawn only as far as they are visible', async () => {
    const scene = await openScene({ gasLimit: 100_000_000 });
    const token = await scene.deploy(withHolders(10_000), { gas: '0x3938700' });
    const { page, faults } = await openPage(opened, `${scene.url}/_/token/${token}`);
    await untilShown(page, '.inner a', 'Holders (10,000)');
    await untilShown(page, '.token-row', '10,000');
    expect(await page.$$eval('.token-row', (rows) => rows.length)).toBeLessThan(80);
    await page.$eval('.token-list', (list) => {
      list.scrollTop = list.scrollHeight;
    });
    await untilShown(page, '.token-row', '0x0000…0001');
    expect(faults).toEqual([]);
  });

  it.each([
    ['reverts', REVERTING],
    ['answers with the largest number', answering(`0x${'ff'.repeat(32)}`)],
    ['answers with a symbol in one word', answering(`0x${'4d4b52'.padEnd(64, '0')}`)],
    ['answers with a huge text', answering(text('\u202e<img src=x onerror=alert(1)>'.repeat(600)))],
    ['answers with half of a text', answering(`0x${'0'.repeat(62)}20${'f'.repeat(64)}`)],
    ['has no code', ''],
  ])('that lie do not break the page: a token that %s', async (_, runtime) => {
    const scene = await openScene();
    const code = minted20(scene.from, 10n ** 60n, runtime);
    const hash = await scene.send({ data: code, gas: '0x1c9c380' });
    const { contractAddress } = await scene.call<{ contractAddress: Hex }>('eth_getTransactionReceipt', [
      hash,
    ]);
    for (const path of [`token/${contractAddress}`, 'tokens', `address/${scene.from}`]) {
      const { page, faults } = await openPage(opened, `${scene.url}/_/${path}`);
      await page.waitForSelector('main h1');
      await untilTrue(page, "document.querySelector('main .loading') === null");
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(await page.$('main img')).toBeNull();
      expect(faults).toEqual([]);
    }
  });

  it('fit a phone and a desktop, without accessibility faults', async () => {
    const scene = await openScene();
    const token = await deployCoin(scene);
    const deed = await scene.deploy(minted721(scene.from, [7n], answering(text(JSON_URI))));
    await write(scene, coin, token, 'transfer', [scene.accounts[1], 1n]);
    expect(await viewFaults(opened, `${scene.url}/_/tokens`, 'main td')).toEqual([]);
    for (const view of [`${token}`, `${token}?show=transfers`, `${deed}?show=items&id=7`])
      expect(await viewFaults(opened, `${scene.url}/_/token/${view}`, '.token-row')).toEqual([]);
  });
});
