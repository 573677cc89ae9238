import { expect, it, vi } from 'vitest';
import type { LocalNodeOptions } from '../../src/index.ts';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { PHONE } from '../support/browser/layout.ts';
import { openScene } from '../support/browser/scene.ts';

const MINER = `0x${'5a'.repeat(20)}`;

interface MinedHeader {
  readonly timestamp: string;
  readonly gasLimit: string;
  readonly miner: string;
  readonly baseFeePerGas?: string;
}

async function openMineableScene(options: LocalNodeOptions = {}) {
  const { url, call } = await openScene({ lanes: true, ...options });
  const mine = async (): Promise<MinedHeader> => {
    await call('evm_mine');
    return call('eth_getBlockByNumber', ['latest', false]);
  };
  return { url, call, mine };
}

/** The wait for the effect of an action, on a busy machine. */
const PATIENCE = { timeout: 20_000, interval: 50 };

describeInBrowser('the explorer', (opened) => {
  /** Opens the page and the panel. `set` fills a field, submits it, and waits for the outcome. */
  const openPanel = async (url: string, size?: { readonly width: number; readonly height: number }) => {
    const { page, faults } = await openPage(opened, url, size);
    await click(page, '.acts button', 'Next block');
    await page.waitForSelector('.next-block .setting');
    const set = async (label: string, text: string, outcome: string): Promise<void> => {
      const form = `.next-block form[aria-label^="${label}"]`;
      await page.$eval(`${form} input`, (input) => input.focus());
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await untilShown(page, `${form} p`, outcome);
    };
    return { page, faults, set };
  };

  it('sets the time, gas limit, base fee and coinbase of the next block', async () => {
    const { url, mine } = await openMineableScene({ hardfork: 'prague' });
    const { set, faults } = await openPanel(url);
    await set('Timestamp', '1999999999', '2033-05-18 03:33:19 UTC');
    await set('Block gas limit', '12,000,000', 'Block gas limit: 12,000,000 gas');
    await set('Base fee', '119', '119 wei (0.000000119 gwei)');
    await set('Coinbase', MINER, MINER);
    expect(await mine()).toMatchObject({
      timestamp: '0x773593ff',
      gasLimit: '0xb71b00',
      baseFeePerGas: '0x77',
      miner: MINER,
    });
    expect(faults).toEqual([]);
  });

  it('shows the reason for an invalid setting of the next block, and no base fee under rules without one', async () => {
    const { url, mine } = await openMineableScene();
    const { page, set, faults } = await openPanel(url);
    expect(await page.$$eval('.next-block form', (forms) => forms.length)).toBe(4);
    expect(await page.$('.next-block form[aria-label^="Base fee"]')).toBeNull();
    const before = await mine();
    await set('Timestamp', '1', 'the timestamp of the head block');
    await set('Block gas limit', '0', 'expected an amount of gas');
    await set('Coinbase', '0x12', 'expected an address');
    await set('Interval mining', 'soon', 'expected a whole number, got “soon”');
    const { gasLimit, miner } = await mine();
    expect({ gasLimit, miner }).toEqual({ gasLimit: before.gasLimit, miner: before.miner });
    expect(faults).toEqual([]);
  });

  it.each(['service', 'hardhat', 'anvil'] as const)(
    'switches automine and interval mining with compat %s',
    async (compat) => {
      const { url, call } = await openMineableScene({ compat });
      const { page, set, faults } = await openPanel(url);
      await page.click('.next-block input[type=checkbox]');
      await untilTrue(page, "!document.querySelector('.next-block input[type=checkbox]').checked");
      // The box changes before the node receives the call.
      await vi.waitFor(async () => expect(await call('hardhat_getAutomine')).toBe(false), PATIENCE);
      await set('Interval mining', '3600000', 'one block every 3,600,000 ms');
      expect(await call('anvil_getIntervalMining')).toBe(3600);
      await page.waitForSelector('.next-block input[placeholder="3,600,000"]');
      await set('Interval mining', '0', 'Interval mining off');
      expect(await call('anvil_getIntervalMining')).toBeNull();
      // The panel shows the changes of other programs when it is opened again.
      await page.keyboard.press('Escape');
      await call('evm_setAutomine', [true]);
      await click(page, '.acts button', 'Next block');
      await untilTrue(page, "document.querySelector('.next-block input[type=checkbox]')?.checked");
      expect(faults).toEqual([]);
    },
  );

  it('keeps the buttons of the chain in one row on a desktop, and fits the next-block panel on a phone', async () => {
    const { url } = await openMineableScene();
    const desk = await openPage(opened, url);
    await untilShown(desk.page, '.acts button', 'Fork lane here');
    const tops = await desk.page.$$eval('.acts > button, .acts > select', (buttons) =>
      buttons.map((button) => Math.round(button.getBoundingClientRect().top)),
    );
    expect(Math.max(...tops) - Math.min(...tops)).toBeLessThanOrEqual(2);
    const { page } = await openPanel(url, PHONE);
    await untilShown(page, '.acts button', 'Fork lane here');
    const outside = await page.$$eval(
      '.acts > *, .next-block, .next-block *',
      (elements, width) =>
        elements
          .filter((element) => {
            const { left, right } = element.getBoundingClientRect();
            return left < 0 || right > width;
          })
          .map(({ outerHTML }) => outerHTML.slice(0, 80)),
      PHONE.width,
    );
    expect(outside).toEqual([]);
  });

  it('links a block to the blocks before and after it', async () => {
    const { url, mine } = await openMineableScene();
    await mine();
    const { page, faults } = await openPage(opened, `${url}/_/block/1`);
    await untilShown(page, 'h1', 'next ›');
    expect(await page.$$eval('h1 a', (links) => links.map(({ textContent }) => textContent))).toEqual([
      '‹ previous',
    ]);
    await mine();
    await click(page, 'h1 a', 'next ›');
    await untilShown(page, 'h1', 'Block #2');
    expect(faults).toEqual([]);
  });
});
