import { expect, it, onTestFinished } from 'vitest';
import {
  click,
  describeInBrowser,
  openPage,
  type TestBrowser,
  untilShown,
} from '../support/browser/browser.ts';
import { PHONE } from '../support/browser/layout.ts';
import { startNode } from '../support/node-process.ts';

/** A name of this machine, like the name of a page that attacks a local node by DNS rebinding. */
const REBOUND = 'rebound.example';

async function startWith(...options: readonly string[]): Promise<URL> {
  const node = await startNode(...options);
  onTestFinished(() => node.stop());
  return new URL(node.url);
}

/** Opens a rejected URL; resolves to the status and the visible text. */
async function openRejected(opened: TestBrowser, url: string): Promise<{ status?: number; text: unknown }> {
  const page = await opened.openTab();
  const response = await page.goto(url);
  return {
    ...(response === null ? {} : { status: response.status() }),
    text: await page.evaluate('document.body.innerText'),
  };
}

const SWITCHES = [`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`];

function refusedTests(opened: TestBrowser): void {
  it('opens at the path of its API key, and names --api-key without one', async () => {
    const { origin } = await startWith('--api-key', 'my-key');
    for (const path of ['/', '/_/accounts', '/wrong', '/wrong/_/block/0']) {
      const { status, text } = await openRejected(opened, origin + path);
      expect(status).toBe(401);
      expect(text).toContain('--api-key');
      expect(text).not.toContain('my-key');
    }
    const { page, faults } = await openPage(opened, `${origin}/my-key`);
    await click(page, '.acts button', 'Mine');
    await untilShown(page, '.chain-facts', 'block 1');
    await page.goto(`${origin}/my-key/_/block/1`);
    await untilShown(page, 'h1', 'Block #1');
    await click(page, '.tabs a', 'Accounts');
    await untilShown(page, 'h1', 'Accounts');
    expect(new URL(page.url()).pathname).toBe('/my-key/_/accounts');
    expect(faults).toEqual([]);
  });

  it('explains the rejection in a page that is readable on a phone', async () => {
    const { origin } = await startWith('--api-key', 'my-key');
    const page = await opened.openTab();
    onTestFinished(() => page.close());
    const session = await page.context().newCDPSession(page);
    const phone = { ...PHONE, deviceScaleFactor: 1, mobile: true };
    await session.send('Emulation.setDeviceMetricsOverride', phone);
    await page.goto(`${origin}/wrong`);
    // A browser shrinks a page that has no width or is too wide.
    expect(await page.evaluate('[innerWidth, document.documentElement.scrollWidth]')).toEqual([390, 390]);
    expect(
      await page.evaluate("parseFloat(getComputedStyle(document.querySelector('main p')).fontSize)"),
    ).toBe(16);
  });

  it('rejects an unknown host name, and opens under a name of --allow-host', async () => {
    const refusing = await startWith();
    const { status, text } = await openRejected(opened, `http://${REBOUND}:${refusing.port}/`);
    expect(status).toBe(403);
    expect(text).toContain('--allow-host');
    const allowing = await startWith('--allow-host', REBOUND);
    const { page, faults } = await openPage(opened, `http://${REBOUND}:${allowing.port}/`);
    await untilShown(page, '.chain-facts', 'block 0');
    // Chromium reports that it ignores this header over HTTP under other names than localhost.
    expect(faults.filter((fault) => !fault.includes('Cross-Origin-Opener-Policy'))).toEqual([]);
  });
}

describeInBrowser('the explorer', refusedTests, SWITCHES);
