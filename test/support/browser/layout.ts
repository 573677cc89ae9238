/** Checks the layout and the accessibility of the explorer. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { DESKTOP, openPage, type TestBrowser } from './browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const PHONE = { width: 390, height: 844 };

/** The size of targets is not among the default rules of axe-core, because WCAG requires it only since 2.2. */
const RUN_AXE = "axe.run({ rules: { 'target-size': { enabled: true } }, resultTypes: ['violations'] })";

/** The report of axe-core on a page. */
interface Report {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Resolves to the violations that axe-core finds in a page. */
export async function axeFaults(page: Page): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  const { violations } = (await page.evaluate(RUN_AXE)) as Report;
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  );
}

/**
 * Opens a URL as on a desktop and as on a phone, and waits for an element. Resolves to the faults of the layout, of
 * accessibility in both colour schemes, and of scripts.
 */
export async function viewFaults(opened: TestBrowser, url: string, selector: string): Promise<string[]> {
  const found: string[] = [];
  for (const size of [DESKTOP, PHONE])
    for (const fault of await faultsAt(opened, url, selector, size)) found.push(`${size.width}: ${fault}`);
  return found;
}

async function faultsAt(
  opened: TestBrowser,
  url: string,
  selector: string,
  size: typeof PHONE,
): Promise<string[]> {
  const { page, faults } = await openPage(opened, url, size);
  await page.waitForSelector(selector);
  // The forms are checked as people use them.
  await page.evaluate("for (const form of document.querySelectorAll('details.function')) form.open = true");
  const found: string[] = [];
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
    if (width > size.width) found.push(`${scheme}: the page is ${width} pixels wide`);
    found.push(...(await axeFaults(page)).map((fault) => `${scheme}: ${fault}`));
  }
  return [...found, ...faults];
}
