import type { Browser } from 'puppeteer-core';
import { expect, it, onTestFinished } from 'vitest';
import {
  click,
  describeInBrowser,
  openPage,
  type TestBrowser,
  untilShown,
} from '../support/browser/browser.ts';
import { startNode } from '../support/node-process.ts';

/** A name that leads to this machine, as that of a page does which tries to reach a local node (DNS rebinding). */
const REBOUND = 'rebound.example';

async function startWith(...options: readonly string[]): Promise<URL> {
  const node = await startNode(...options);
  onTestFinished(() => node.stop());
  return new URL(node.url);
}

/** Opens a URL that is refused; resolves to the status, and to the text that a person reads. */
async function openRefused(browser: Browser, url: string): Promise<{ status?: number; text: unknown }> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  const response = await page.goto(url);
  return {
    ...(response === null ? {} : { status: response.status() }),
    text: await page.evaluate('document.body.innerText'),
  };
}

const SWITCHES = [`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`];

function refusedTests(opened: TestBrowser): void {
  it('is shown at the path of its key, with all its places, and says without one what is missing', async () => {
    const { origin } = await startWith('--api-key', 'my-key');
    for (const path of ['/', '/_/accounts', '/wrong', '/wrong/_/block/0']) {
      const { status, text } = await openRefused(opened.browser, origin + path);
      expect(status).toBe(401);
      expect(text).toContain('--api-key');
      expect(text).not.toContain('my-key');
    }
    const { page, faults } = await openPage(opened.browser, `${origin}/my-key`);
    await click(page, '.acts button', 'Mine');
    await untilShown(page, '.chain-facts', 'block 1');
    await page.goto(`${origin}/my-key/_/block/1`);
    await untilShown(page, 'h1', 'Block #1');
    await click(page, '.tabs a', 'Accounts');
    await untilShown(page, 'h1', 'Accounts');
    expect(new URL(page.url()).pathname).toBe('/my-key/_/accounts');
    expect(faults).toEqual([]);
  });

  it('says why it is refused in a page that fits a phone and can be read there', async () => {
    const { origin } = await startWith('--api-key', 'my-key');
    const page = await opened.browser.newPage();
    onTestFinished(() => page.close());
    await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
    await page.goto(`${origin}/wrong`);
    // A page without a width of its own, or one with text that is wider, is drawn smaller than it is written.
    expect(await page.evaluate('[innerWidth, document.documentElement.scrollWidth]')).toEqual([390, 390]);
    expect(
      await page.evaluate("parseFloat(getComputedStyle(document.querySelector('main p')).fontSize)"),
    ).toBe(16);
  });

  it('is not given out under a name that is not served, and is under one that is allowed', async () => {
    const refusing = await startWith();
    const { status, text } = await openRefused(opened.browser, `http://${REBOUND}:${refusing.port}/`);
    expect(status).toBe(403);
    expect(text).toContain('--allow-host');
    const allowing = await startWith('--allow-host', REBOUND);
    const { page, faults } = await openPage(opened.browser, `http://${REBOUND}:${allowing.port}/`);
    await untilShown(page, '.chain-facts', 'block 0');
    // Chromium says of plain HTTP under a name other than localhost that it ignores this header.
    expect(faults.filter((fault) => !fault.includes('Cross-Origin-Opener-Policy'))).toEqual([]);
  });
}

describeInBrowser('the page where it is refused', refusedTests, SWITCHES);
