import { existsSync } from 'node:fs';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, it, onTestFinished } from 'vitest';

/** Where distributions put Chromium, or Chrome, which does as well. */
const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser of this machine; `null` when there is none. `CHROMIUM` names another one. */
export const CHROMIUM: string | null =
  process.env.CHROMIUM ?? USUAL_PLACES.find((path) => existsSync(path)) ?? null;

/** The advice where there is none. */
export const HOW_TO_GET_ONE = 'install Chromium (apt-get install chromium), or name one by CHROMIUM=<path>';

/** Starts the browser, with switches of its command line. It is closed by the caller. */
export async function launchBrowser(switches: readonly string[] = []): Promise<Browser> {
  if (CHROMIUM === null) throw new Error(`there is no browser: ${HOW_TO_GET_ONE}`);
  const { launch } = await import('puppeteer-core');
  // Within containers there is no sandbox for the browser, and little shared memory.
  // A page that is not in front, as while another one closes, draws no pictures, which waits would wait for.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-backgrounding-occluded-windows'];
  return launch({
    executablePath: CHROMIUM,
    args: [...args, '--disable-renderer-backgrounding', ...switches],
  });
}

/** A browser of the tests of a block, which is there while they run. */
export interface TestBrowser {
  readonly browser: Browser;
}

/** Describes tests in a browser, which is opened for them; where the machine has none, they are skipped and say what to install. */
export function describeInBrowser(
  title: string,
  tests: (opened: TestBrowser) => void,
  switches: readonly string[] = [],
): void {
  if (CHROMIUM === null) it.skip(`${title}: there is no browser here; ${HOW_TO_GET_ONE}`, () => undefined);
  describe.skipIf(CHROMIUM === null)(title, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await launchBrowser(switches);
    });
    afterAll(() => browser?.close());
    tests({
      get browser() {
        if (browser === undefined) throw new Error('the browser is opened before the first test');
        return browser;
      },
    });
  });
}

/** A page of the browser, and what went wrong in it. */
export interface OpenPage {
  readonly page: Page;
  /** Errors of scripts, lines on the console, violations of the content policy, files that were not found. */
  readonly faults: readonly string[];
}

/** Milliseconds after which a wait in a page fails: less than a test may take, so that the error names the wait. */
const LONGEST_WAIT = 90_000;

const DESKTOP = { width: 1440, height: 900 };

/** Opens a URL in a new page, which is closed when the test has finished; resolves when the page shows the chain. */
export async function openPage(browser: Browser, url: string, size = DESKTOP): Promise<OpenPage> {
  const page = await browser.newPage();
  onTestFinished(async () => {
    if (!page.isClosed()) await page.close();
  });
  page.setDefaultTimeout(LONGEST_WAIT);
  const faults: string[] = [];
  page.on('console', (message) => void faults.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => void faults.push(String(error)));
  page.on('requestfailed', (request) => void faults.push(`${request.url()} failed`));
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.url()}: ${response.status()}`);
  });
  await page.setViewport(size);
  await page.bringToFront();
  await page.goto(url);
  await page.waitForSelector('.chain-facts');
  return { page, faults };
}

/** Returns the code of an expression for the first element of that kind with the text: scripts of the page know its types, tests do not. */
function found(selector: string, text: string): string {
  const [wanted, part] = [JSON.stringify(selector), JSON.stringify(text)];
  return `[...document.querySelectorAll(${wanted})].find(({ textContent }) => textContent.includes(${part}))`;
}

/** How often, in milliseconds, a page is looked at: by the clock, as hidden pages draw no pictures. */
const POLLING = 50;

/** Resolves when an expression is true in the page. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await page.waitForFunction(expression, { polling: POLLING });
}

/** Resolves when an element has the text. */
export async function untilShown(page: Page, selector: string, text: string): Promise<void> {
  await untilTrue(page, `${found(selector, text)} !== undefined`);
}

/** Clicks the first element of that kind with the text. */
export async function click(page: Page, selector: string, text: string): Promise<void> {
  await untilShown(page, selector, text);
  await page.evaluate(`${found(selector, text)}.click()`);
}
