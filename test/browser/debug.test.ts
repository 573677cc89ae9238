import type { Page } from 'playwright-core';
import { encodeDeployData, encodeFunctionData } from 'viem';
import { expect, it } from 'vitest';
import {
  click,
  DESKTOP,
  describeInBrowser,
  openPage,
  untilShown,
  untilTrue,
} from '../support/browser/browser.ts';
import { PHONE, viewFaults } from '../support/browser/layout.ts';
import { openScene } from '../support/browser/scene.ts';
import { openVaultScene, VAULT_FILE, vaultLine } from '../support/browser/vault.ts';
import { readOpenZeppelin } from '../support/openzeppelin.ts';

const ETHER = 10n ** 18n;
const PANEL = '[aria-label="Newest failure"]';
const FAILING_LINE = vaultLine('revert InsufficientBalance');

/** Resolves when the debug view shows a line. */
async function untilLine(page: Page, line: number): Promise<void> {
  await untilShown(page, '.debug .place', `${VAULT_FILE}:${line}`);
  await untilTrue(page, `document.querySelector('.code-view .here .gutter')?.textContent === '${line}'`);
}

/** Waits until the URL contains the shown step, so that a reload opens it. */
async function untilStepInUrl(page: Page): Promise<void> {
  const step = "new URL(location.href).searchParams.get('step')";
  const shown = "document.querySelector('.position .faint')?.textContent.replaceAll(',', '')";
  await untilTrue(page, `${shown}.endsWith('step ' + ${step})`);
}

/** Waits for a line of a panel. */
async function untilValue(page: Page, panel: string, name: string, value: string): Promise<void> {
  const rows = `[...document.querySelectorAll('[aria-label="${panel}"] :is(dl > div, li)')]`;
  const [wanted, part] = [JSON.stringify(name), JSON.stringify(value)];
  await untilTrue(
    page,
    `${rows}.some(({ textContent: text }) => text.startsWith(${wanted}) && text.includes(${part}))`,
  );
}

async function watch(page: Page, expression: string): Promise<void> {
  await page.fill('.add-watch input', expression);
  await page.press('.add-watch input', 'Enter');
}

/** Returns the part of an element that is visible without scrolling. */
async function visiblePart(page: Page, selector: string): Promise<number> {
  return page.$eval(selector, (element) => {
    const { top, bottom, height } = element.getBoundingClientRect();
    const { clientHeight } = element.ownerDocument.documentElement;
    return (Math.min(bottom, clientHeight) - Math.max(top, 0)) / height;
  });
}

describeInBrowser('the debug view', (opened) => {
  it('leads from a failed estimate to its cause, and runs it again with another input', async () => {
    const { url, estimate } = await openVaultScene();
    const { page, faults } = await openPage(opened, `${url}/_/`);
    await untilShown(page, '.mined h2', 'Earlier transactions');
    await expect(estimate(ETHER)).rejects.toThrow();
    // The lines of the failure need no click.
    await untilShown(page, `${PANEL} .excerpt mark`, 'InsufficientBalance(owner, balance, amount)');
    await untilShown(page, `${PANEL} .reason`, 'needed: 1010000000000000000 (1.01 ether)');
    await click(page, `${PANEL} .toggle`, 'Vault._pay');
    await untilShown(page, `${PANEL} .excerpt mark`, 'ledger.debit(owner, total)');
    await click(page, `${PANEL} a.button`, 'Debug');
    await untilLine(page, FAILING_LINE);
    await untilShown(page, '.failing-here', 'balance: 990000000000000000 (0.99 ether)');
    await untilValue(page, 'Variables', 'amount', '1010000000000000000');
    await click(page, '.frames button', 'Vault.withdraw');
    await untilValue(page, 'Variables', 'total', '1010000000000000000');
    expect(await page.$('.variable-list .changed')).toBeNull();

    // Back to the call, and back to the statement that adds the fee.
    await page.keyboard.press('Shift+O');
    await untilLine(page, vaultLine('ledger.debit(owner, total)'));
    await untilValue(page, 'Storage changes', 'Vault.withdrawals', '0 → becomes 1');
    await page.keyboard.press('Shift+O');
    await untilLine(page, vaultLine('_pay(msg.sender, total);'));
    await page.keyboard.press('Shift+I');
    await untilLine(page, vaultLine('uint256 total = _withFee(amount);'));
    await page.keyboard.press('Shift+I');
    await untilShown(page, '.debug .place', 'Vault._withFee');
    await page.keyboard.press('p');
    await page.keyboard.press('p');
    await watch(page, 'amount + fee');
    await untilValue(page, 'Watch', 'amount + fee', '1010000000000000000');
    await watch(page, 'missing');
    await untilValue(page, 'Watch', 'missing', 'unknown name missing');
    await untilStepInUrl(page);
    await page.reload();
    await untilValue(page, 'Watch', 'amount + fee', '1010000000000000000');

    await click(page, '.debug-head a', 'Run again');
    await untilShown(page, '.run h2', 'First run failed');
    const field = '.arguments input';
    expect(await page.inputValue(field)).toBe('1000000000000000000');
    await page.fill(field, '980000000000000000');
    await click(page, '.buttons button', 'Run again');
    await untilShown(page, '.run h2', 'This run succeeded');
    await page.fill(field, '990000000000000000');
    await click(page, '.buttons button', 'Run again');
    await untilShown(page, '.run h2', 'This run failed');
    await untilShown(page, '[aria-label="Failure of this run"] .excerpt mark', 'InsufficientBalance');
    await click(page, '[aria-label="Failure of this run"] a.button', 'Debug');
    await untilLine(page, FAILING_LINE);
    await untilShown(page, 'h1', 'Debug call');
    await untilValue(page, 'Variables', 'amount', '1000000000000000000');
    expect(faults).toEqual([]);
  });

  it('steps over, into and out, runs to breakpoints in both directions, and keeps the step in the URL', async () => {
    const { url, estimate } = await openVaultScene();
    await expect(estimate(ETHER)).rejects.toThrow();
    const { page, faults } = await openPage(opened, `${url}/_/debug/failure/1?step=0`);
    const body = vaultLine('uint256 total = _withFee(amount);');
    await page.waitForSelector('.code-view .here');
    while (!(await page.textContent('.debug .place'))?.endsWith(`:${body}`)) {
      await page.keyboard.press('F11');
      await page.waitForTimeout(0);
    }
    await page.keyboard.press('F10');
    await untilLine(page, vaultLine('_pay(msg.sender, total);'));
    await page.keyboard.press('Shift+F10');
    await untilLine(page, body);
    await page.keyboard.press('i');
    await untilShown(page, '.debug .place', 'Vault._withFee');
    await page.keyboard.press('Shift+F11');
    await untilLine(page, body);

    await click(page, '.code-view .gutter', String(vaultLine('withdrawals += 1')));
    await untilTrue(page, "document.querySelector('.gutter.set') !== null");
    await page.keyboard.press('F5');
    await untilLine(page, vaultLine('withdrawals += 1'));
    await page.keyboard.press('F5');
    await untilLine(page, FAILING_LINE);
    await page.keyboard.press('Shift+F5');
    await untilLine(page, vaultLine('withdrawals += 1'));
    await untilStepInUrl(page);
    const { searchParams } = new URL(page.url());
    await page.reload();
    await untilLine(page, vaultLine('withdrawals += 1'));
    expect(new URL(page.url()).searchParams.get('step')).toBe(searchParams.get('step'));
    await untilShown(page, '.breakpoint-list', `Vault.sol:${vaultLine('withdrawals += 1')}`);
    await page.keyboard.press('F9');
    await untilTrue(page, "document.querySelector('.gutter.set') === null");

    // A breakpoint without code has a reason.
    await page.fill('.add-breakpoint input', '900');
    await page.press('.add-breakpoint input', 'Enter');
    await untilShown(page, '.breakpoint-list .reason', 'the file has');
    await page.press('.add-breakpoint input', 'Escape');
    await page.keyboard.press('f');
    await untilLine(page, FAILING_LINE);
    await click(page, '.frames button', 'Vault.withdraw');
    await untilLine(page, vaultLine('_pay(msg.sender, total);'));
    await untilValue(page, 'Variables', 'total', '1010000000000000000');
    await click(page, '.evm summary', 'Opcodes');
    await untilShown(page, '.machine .opcodes', 'gas left');
    expect(faults).toEqual([]);
  });

  it('opens from the tabs of a successful transaction, at its first statement', async () => {
    const { url, send, vault, withdrawal } = await openVaultScene();
    const hash = await send({ to: vault, data: withdrawal(ETHER / 2n), gas: '0x7a120' });
    const { page, faults } = await openPage(opened, `${url}/_/tx/${hash}`);
    await click(page, '.tabs.inner a', 'Debug');
    await untilLine(page, vaultLine('function withdraw'));
    await page.keyboard.press('c');
    await untilShown(page, '[aria-label="Storage changes"]', 'Ledger.balanceOf');
    expect(await page.$('.debug-head button')).toBeNull();
    expect(faults).toEqual([]);
  });

  it('reports a failure that the node does not keep, and an invalid URL', async () => {
    const { url } = await openVaultScene();
    const { page, faults } = await openPage(opened, `${url}/_/debug/failure/7`);
    await untilShown(page, '.failure', 'failure 7 not found: the number of failures is 0');
    await page.goto(`${url}/_/debug/tx/0x12`);
    await untilShown(page, '.empty', 'expected tx/ and a hash');
    expect(faults).toEqual([]);
  });

  it('opens at the failing line, even if the optimizer merges the code of two errors', async () => {
    const scene = await openScene();
    const { input, output, token } = readOpenZeppelin();
    await scene.call('inspect_addArtifacts', [input, output]);
    const shares = token('Shares');
    const to = await scene.deploy(encodeDeployData({ ...shares, args: [scene.from, 100n] }));
    const data = encodeFunctionData({ ...shares, functionName: 'transfer', args: [to, 5n] });
    await expect(scene.call('eth_estimateGas', [{ from: scene.from, to, data }])).rejects.toThrow();
    const { page, faults } = await openPage(opened, `${scene.url}/_/debug/failure/1`);
    await untilShown(page, '.debug .place', 'ERC20/ERC20.sol:183');
    await untilShown(page, '.code-view .line.failing mark', 'revert');
    await untilShown(page, '.failing-here', 'ERC20InsufficientBalance');
    await page.keyboard.press('F9');
    await untilShown(page, '.breakpoint-list', 'ERC20.sol:183');
    await page.keyboard.press('Shift+F10');
    await untilShown(page, '.debug .place', 'ERC20/ERC20.sol');
    expect(faults).toEqual([]);
  });

  it('steps by opcode through code without sources', async () => {
    const { url, call, send } = await openScene();
    const to = `0x${'ab'.repeat(20)}`;
    await call('anvil_setCode', [to, '0x5f5ffd']);
    const hash = await send({ to, gas: '0x186a0' });
    const { page, faults } = await openPage(opened, `${url}/_/tx/${hash}`);
    await click(page, '.newest-failure a.button', 'Debug');
    await untilShown(page, '.empty', 'opcodes only');
    await untilShown(page, '.machine .here', 'REVERT');
    await click(page, '.steps-bar button', '‹');
    await untilShown(page, '.machine .here', 'PUSH0');
    expect(faults).toEqual([]);
  });

  it('shows the failing lines without scrolling, on a desktop and on a phone', async () => {
    const { url, estimate, send, vault, withdrawal } = await openVaultScene();
    const hash = await send({ to: vault, data: withdrawal(ETHER), gas: '0x7a120' });
    await expect(estimate(ETHER)).rejects.toThrow();
    for (const size of [DESKTOP, PHONE])
      for (const path of ['', `tx/${hash}`, 'failure/2']) {
        const { page, faults } = await openPage(opened, `${url}/_/${path}`, size);
        await page.waitForSelector('.excerpt mark');
        for (const part of ['.newest-failure > .reason', '.excerpt', '.newest-failure .actions'])
          expect([path, part, await visiblePart(page, part)]).toEqual([path, part, 1]);
        // Three lines above and below.
        const lines = await page.$$eval('.excerpt .line', (all) => all.map(({ className }) => className));
        expect(lines).toEqual(['line', 'line', 'line', 'line here', 'line', 'line', 'line']);
        expect(faults).toEqual([]);
      }
  });

  it('has no accessibility faults at both widths and in both themes', async () => {
    const { url, estimate } = await openVaultScene();
    await expect(estimate(ETHER)).rejects.toThrow();
    const found: string[] = [];
    for (const path of ['debug/failure/1', 'failure/1', 'failure/1?show=again', 'failure/1?show=copy', '']) {
      const ready = path.startsWith('debug') ? '.variable-list' : '.excerpt';
      found.push(...(await viewFaults(opened, `${url}/_/${path}`, ready)));
    }
    expect(found).toEqual([]);
  });
});
