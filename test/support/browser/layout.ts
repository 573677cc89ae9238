import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'puppeteer-core';
import { openPage } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const PHONE = { width: 390, height: 844 };

/** The size of targets is not among the usual rules of axe-core, as WCAG asks for it since 2.2 only. */
const RUN_AXE = "axe.run({ rules: { 'target-size': { enabled: true } } })";

/** The report of axe-core on a page. */
interface Report {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Resolves to what axe-core finds wrong with a page; empty for nothing. */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate(RUN_AXE)) as Report;
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  );
}

/**
 * Opens a URL as on a phone, light and dark, waits for an element, and resolves to what is wrong: with the width, for those who
 * cannot see the page, and in its scripts. Empty for nothing.
 */
export async function phoneFaults(browser: Browser, url: string, selector: string): Promise<string[]> {
  const found: string[] = [];
  for (const scheme of ['light', 'dark']) {
    const { page, faults } = await openPage(browser, url, PHONE);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.waitForSelector(selector);
    // Forms are looked at as they are when somebody uses them.
    await page.evaluate("for (const form of document.querySelectorAll('details.function')) form.open = true");
    const width = await page.evaluate('document.documentElement.scrollWidth');
    if (Number(width) > PHONE.width) found.push(`the page is ${width} pixels wide`);
    found.push(...(await axeFaults(page)).map((fault) => `${scheme}: ${fault}`), ...faults);
  }
  return found;
}
