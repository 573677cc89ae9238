import { expect, it, onTestFinished, vi } from 'vitest';
import { createNode } from '../../src/index.ts';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { PHONE } from '../support/browser/layout.ts';

const MINER = `0x${'5a'.repeat(20)}`;

interface MinedHeader {
  readonly timestamp: string;
  readonly gasLimit: string;
  readonly miner: string;
  readonly baseFeePerGas?: string;
}

interface Scene {
  readonly url: string;
  call<Result>(method: string, params?: readonly unknown[]): Promise<Result>;
  mine(): Promise<MinedHeader>;
}

async function openScene(options: Parameters<typeof createNode>[0] = {}): Promise<Scene> {
  const node = await createNode({ artifacts: [], ...options });
  onTestFinished(() => node.close());
  const { url } = await node.listen({ lanes: true });
  const call = <Result>(method: string, params: readonly unknown[] = []): Promise<Result> =>
    node.request({ method, params }) as Promise<Result>;
  return {
    url,
    call,
    async mine() {
      await call('evm_mine');
      return call('eth_getBlockByNumber', ['latest', false]);
    },
  };
}

/** How long is waited for what the page does, on a machine that does much else. */
const PATIENCE = { timeout: 20_000, interval: 50 };

describeInBrowser('the next block in the page', (opened) => {
  /** Opens the page and the panel; resolves to the page and to what fills a field and sets it. */
  const openPanel = async (url: string, size?: { readonly width: number; readonly height: number }) => {
    const { page, faults } = await openPage(opened.browser, url, size);
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

  it('sets time, gas limit, base fee and coinbase of the block that is made next', async () => {
    const { url, mine } = await openScene({ hardfork: 'prague' });
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

  it('has no base fee under rules without one, and says in words what the node refuses', async () => {
    const { url, mine } = await openScene();
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
    'switches instant mining and the timer in the dialect %s',
    async (compat) => {
      const { url, call } = await openScene({ compat });
      const { page, set, faults } = await openPanel(url);
      await page.click('.next-block input[type=checkbox]');
      await untilTrue(page, "!document.querySelector('.next-block input[type=checkbox]').checked");
      // The box changes at once, the node when it has got the call.
      await vi.waitFor(async () => expect(await call('hardhat_getAutomine')).toBe(false), PATIENCE);
      await set('Interval mining', '3600000', 'one block every 3,600,000 ms');
      expect(await call('anvil_getIntervalMining')).toBe(3600);
      await page.waitForSelector('.next-block input[placeholder="3,600,000"]');
      await set('Interval mining', '0', 'Interval mining off');
      expect(await call('anvil_getIntervalMining')).toBeNull();
      // Settings that programs change are shown when the panel is opened again.
      await page.keyboard.press('Escape');
      await call('evm_setAutomine', [true]);
      await click(page, '.acts button', 'Next block');
      await untilTrue(page, "document.querySelector('.next-block input[type=checkbox]')?.checked");
      expect(faults).toEqual([]);
    },
  );

  it('stays in one row of buttons on a desk, and within the width of a phone', async () => {
    const { url } = await openScene();
    const desk = await openPage(opened.browser, url);
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

  it('leads from a block to those before and after it, and nowhere beyond the newest', async () => {
    const { url, mine } = await openScene();
    await mine();
    const { page, faults } = await openPage(opened.browser, `${url}/_/block/1`);
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
