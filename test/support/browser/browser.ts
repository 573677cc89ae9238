/** Opens the explorer in Chromium, and waits for text and conditions in it. */

import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, ConsoleMessage, Page, Request, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, it, onTestFinished } from 'vitest';

/** Usual paths of Chromium and Chrome. */
const USUAL_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The path of the browser, from the variable CHROMIUM or a usual path; `undefined` without a browser. */
export const CHROMIUM = process.env.CHROMIUM ?? USUAL_PATHS.find((path) => existsSync(path));

export const CHROMIUM_ADVICE = 'install Chromium (apt-get install chromium), or set CHROMIUM=<path>';

/**
 * Command-line switches of all tests. Containers have no sandbox for the browser, little shared memory and no GPU; to emulate one
 * takes more time than to draw without it.
 */
const SWITCHES = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
];

/** The browser of a block of tests. */
export interface TestBrowser {
  /**
   * Opens a tab. Later tests use it again, because a new tab costs as much as two page loads. Until its first navigation,
   * it shows the page of an earlier test. A test closes its tab if it leaves scripts or listeners in it.
   */
  openTab(): Promise<Page>;
}

/** Milliseconds until a wait in a page fails. It is below the limit of a test, so that the error names the wait. */
const MAX_WAIT = 90_000;

/** Closes the explorer's connection to the node, and resets the mouse and the colour scheme. */
async function releaseTab(page: Page): Promise<void> {
  // The explorer closes its connection before each navigation. An empty document would cost a new process.
  await page.evaluate("dispatchEvent(new Event('pagehide'))");
  await page.mouse.move(0, 0);
  await page.emulateMedia({ colorScheme: null });
}

/** Describes tests in a browser that runs during these tests. Without a browser, it skips them and reports how to install one. */
export function describeInBrowser(
  title: string,
  tests: (opened: TestBrowser) => void,
  switches: readonly string[] = [],
): void {
  if (CHROMIUM === undefined) it.skip(`${title}: no browser found; ${CHROMIUM_ADVICE}`, () => undefined);
  describe.skipIf(CHROMIUM === undefined)(title, () => {
    let browser: Browser | undefined;
    let context: BrowserContext | undefined;
    const tabs: Page[] = [];
    beforeAll(async () => {
      const { chromium } = await import('playwright-core');
      browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: [...SWITCHES, ...switches] });
      context = await browser.newContext({ colorScheme: null });
    });
    afterAll(() => browser?.close());
    tests({
      async openTab() {
        if (context === undefined) throw new Error('the browser starts before the first test');
        const page = tabs.pop() ?? (await context.newPage());
        page.setDefaultTimeout(MAX_WAIT);
        onTestFinished(async () => {
          if (page.isClosed()) return;
          await releaseTab(page);
          tabs.push(page);
        });
        return page;
      },
    });
  });
}

/** A tab, and the faults in it. */
export interface OpenPage {
  readonly page: Page;
  /** Script errors, console lines, violations of the content policy, and files that were not found. */
  readonly faults: readonly string[];
}

/** Collects the faults of a tab from its next navigation to the end of the test. */
export function faultsIn(page: Page): readonly string[] {
  const faults: string[] = [];
  const onConsole = (message: ConsoleMessage) => void faults.push(`${message.type()}: ${message.text()}`);
  const onError = (error: unknown) => void faults.push(String(error));
  const onFailure = (request: Request) => {
    // The page or a navigation has cancelled the request. Other faults have other texts.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') faults.push(`${request.url()} failed`);
  };
  const onResponse = (response: Response) => {
    if (response.status() >= 400) faults.push(`${response.url()}: ${response.status()}`);
  };
  // The page of an earlier test can still report faults.
  page.once('framenavigated', () => faults.splice(0));
  page.on('console', onConsole).on('pageerror', onError);
  page.on('requestfailed', onFailure).on('response', onResponse);
  onTestFinished(() => {
    page.off('console', onConsole).off('pageerror', onError);
    page.off('requestfailed', onFailure).off('response', onResponse);
  });
  return faults;
}

export const DESKTOP = { width: 1440, height: 900 };

/** Opens a URL in a tab; resolves after the explorer shows the chain. */
export async function openPage(opened: TestBrowser, url: string, size = DESKTOP): Promise<OpenPage> {
  const page = await opened.openTab();
  const faults = faultsIn(page);
  await page.setViewportSize(size);
  await page.bringToFront();
  await page.goto(url);
  await page.waitForSelector('.chain-facts');
  return { page, faults };
}

/** Runs a script before the scripts of each later document. The tab is closed after the test. */
export async function runBeforeScripts(page: Page, script: string): Promise<void> {
  await page.addInitScript(script);
  onTestFinished(() => page.close());
}

/** Returns the code of an expression for the first element of a selector that contains the text. */
function found(selector: string, text: string): string {
  const [wanted, part] = [JSON.stringify(selector), JSON.stringify(text)];
  return `[...document.querySelectorAll(${wanted})].find(({ textContent }) => textContent.includes(${part}))`;
}

/** Milliseconds between two checks of a condition. */
const POLLING = 20;

/** The error of an evaluation if the page leaves the document. */
const LEFT_DOCUMENT = /Execution context was destroyed/;

/**
 * Resolves when an expression is true in the page, also after navigations. The checks come from outside: the
 * explorer's content policy forbids `page.waitForFunction`, and a test may replace the timers of its page.
 */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  for (const end = performance.now() + MAX_WAIT; ; ) {
    const isTrue = await page.evaluate(`!!(${expression})`).catch((error: unknown) => {
      if (error instanceof Error && LEFT_DOCUMENT.test(error.message)) return false;
      throw error;
    });
    if (isTrue) return;
    if (performance.now() > end) throw new Error(`not true in time: ${expression}`);
    await setTimeout(POLLING);
  }
}

/** Resolves when an element of the selector contains the text. */
export async function untilShown(page: Page, selector: string, text: string): Promise<void> {
  await untilTrue(page, `${found(selector, text)} !== undefined`);
}

/** Clicks the first element of the selector that contains the text. */
export async function click(page: Page, selector: string, text: string): Promise<void> {
  await untilShown(page, selector, text);
  await page.evaluate(`${found(selector, text)}.click()`);
}
