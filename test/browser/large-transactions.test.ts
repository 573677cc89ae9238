import type { Page } from 'playwright-core';
import { encodeFunctionData } from 'viem';
import { expect, it } from 'vitest';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { openScene } from '../support/browser/scene.ts';
import { compileSolidity } from '../support/solidity.ts';

const CALLS = 10_000;
const [CALLER, CALLED] = [`0x${'ca'.repeat(20)}`, `0x${'ed'.repeat(20)}`];

/** A transaction of about 200,000 steps. It calls a contract 10,000 times, and each call emits an event. */
async function openLargeScene() {
  const { url, call, send } = await openScene({ hardfork: 'prague', gasLimit: 100_000_000n });
  await call('anvil_setCode', [CALLED, '0x5f5fa000']);
  const loop = `5f5f5f5f5f73${'ed'.repeat(20)}5af150`;
  const code = `0x61${CALLS.toString(16).padStart(4, '0')}5b${loop}6001900380600357`;
  await call('anvil_setCode', [CALLER, `${code}00`]);
  return { url, hash: await send({ to: CALLER, gas: '0x1000000' }) };
}

/** Returns the condition that the first drawn row is in a range, and that all drawn lines are loaded. */
function isDrawnFrom(least: number, most = Number.MAX_SAFE_INTEGER): string {
  const row =
    "parseFloat(document.querySelector('.tree ul').style.transform.slice('translateY('.length)) / 26";
  const isLoaded =
    "document.querySelectorAll('.tree .row').length > 10 && document.querySelector('.tree .line.loading') === null";
  return `${row} >= ${least} && ${row} <= ${most} && ${isLoaded}`;
}

/** Counts the characters that the node sends to the page from now on. */
async function countReceived(page: Page): Promise<() => number> {
  let received = 0;
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  session.on('Network.webSocketFrameReceived', ({ response }) => {
    received += response.payloadData.length;
  });
  return () => received;
}

/** Runs about 200,000 steps in internal functions, and fails at the end. */
const LOOP_SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Loop {
    uint256 public total;

    function run(uint256 count) external {
        uint256 sum = 0;
        for (uint256 index = 0; index < count; index++) {
            sum = add(sum, index);
        }
        total = sum;
        revert("end");
    }

    function add(uint256 left, uint256 right) internal pure returns (uint256) {
        return left + right;
    }
}
`;

describeInBrowser('the explorer', (opened) => {
  it('debugs 200,000 steps, and requests the state of one step at a time', async () => {
    const { url, call, deploy, send } = await openScene({ hardfork: 'cancun', gasLimit: 100_000_000n });
    const { input, output } = compileSolidity({ 'Loop.sol': LOOP_SOURCE });
    await call('inspect_addArtifacts', [input, output]);
    const { abi = [], evm } = output.contracts['Loop.sol']?.Loop ?? {};
    const to = await deploy(`0x${evm?.bytecode.object}`);
    const data = encodeFunctionData({ abi, functionName: 'run', args: [2_170n] });
    const hash = await send({ to, data, gas: '0x2000000' });
    const { page, faults } = await openPage(opened, url);
    const received = await countReceived(page);
    await page.goto(`${url}/_/debug/tx/${hash}`);
    await untilShown(page, '.debug .place', 'Loop.sol:13');
    await untilShown(page, '.variable-list', 'sum');
    await untilShown(page, '.storage-changes', 'Loop.total');
    await page.keyboard.press('Shift+F10');
    await untilShown(page, '.debug .place', 'Loop.sol:12');
    await untilShown(page, '[aria-label="Storage changes"]', 'No changes before this step');
    await page.keyboard.press('Shift+F10');
    await page.keyboard.press('F9');
    await untilShown(page, '.breakpoint-list', 'Loop.sol:9');
    await page.keyboard.press('Shift+F5');
    await untilShown(page, '.variable-list', 'index2168');
    expect(await page.$$eval('.code-view .row', (rows) => rows.length)).toBeLessThan(60);
    // All steps have more than 30,000,000 characters.
    expect(received()).toBeLessThan(1_500_000);
    expect(faults).toEqual([]);
  });

  it('shows any part of 10,000 calls, and requests only visible calls', async () => {
    const { url, hash } = await openLargeScene();
    const { page, faults } = await openPage(opened, url);
    await page.goto(`${url}/_/tx/${hash}`);
    await untilShown(page, '.tree .line', 'call');
    const received = await countReceived(page);
    const toEnd = "document.querySelector('.virtual.tree').scrollTop = 1e9";
    await page.evaluate(toEnd);
    await untilTrue(page, isDrawnFrom(19_000));
    await untilShown(page, '.tree .row:last-child .event', 'emit');
    await page.evaluate("document.querySelector('.virtual.tree').scrollTop = 26 * 9_000");
    await untilTrue(page, isDrawnFrom(8_900, 9_000));
    expect(await page.$$eval('.tree .row', (rows) => rows.length)).toBeLessThan(100);
    // The whole tree has more than 5,000,000 characters.
    expect(received()).toBeGreaterThan(100_000);
    expect(received()).toBeLessThan(500_000);
    await page.evaluate("document.querySelector('.virtual.tree').scrollTop = 0");
    await page.click('.tree .fold[aria-expanded="true"]');
    await untilTrue(page, "document.querySelectorAll('.tree .row').length === 1");
    expect(await page.$eval('.tree .fold', (fold) => fold.getAttribute('title'))).toBe(
      'Show 20,000 nested lines',
    );
    expect(faults).toEqual([]);
  });

  it('shows a transaction with 10,000 logs, and lists it in its block, without requesting the logs', async () => {
    const { url, hash } = await openLargeScene();
    const { page, faults } = await openPage(opened, `${url}/_/lanes`);
    const received = await countReceived(page);
    await page.goto(`${url}/_/tx/${hash}`);
    await untilShown(page, '.tree .line', 'call');
    await untilShown(page, 'h1 .tag', 'succeeded');
    await page.goto(`${url}/_/block/1`);
    await untilShown(page, 'main td', 'succeeded');
    // The receipt has more than 3,000,000 characters.
    expect(received()).toBeGreaterThan(10_000);
    expect(received()).toBeLessThan(300_000);
    expect(faults).toEqual([]);
  });

  it('lists 10,000 logs as events of the contract in pages', async () => {
    const { url } = await openLargeScene();
    const { page, faults } = await openPage(opened, `${url}/_/lanes`);
    const received = await countReceived(page);
    await page.goto(`${url}/_/address/${CALLED}?show=events`);
    await untilTrue(page, "document.querySelectorAll('.events li').length === 50");
    await click(page, 'main button', 'Older');
    await untilTrue(page, "document.querySelectorAll('.events li').length === 100");
    // All of them have more than 3,000,000 characters.
    expect(received()).toBeGreaterThan(10_000);
    expect(received()).toBeLessThan(300_000);
    expect(faults).toEqual([]);
  });

  it('steps through 200,000 steps, and requests them in pages', async () => {
    const { url, hash } = await openLargeScene();
    const { page, faults } = await openPage(opened, url);
    await page.goto(`${url}/_/tx/${hash}?show=source`);
    await untilShown(page, '.machine li.here', 'PUSH2');
    const received = await countReceived(page);
    await page.focus('.steps-bar input[type="range"]');
    await page.keyboard.press('End');
    await untilShown(page, '.steps-bar', 'Step 200,001 of 200,001');
    await untilShown(page, '.machine li.here', 'STOP');
    await page.keyboard.press('ArrowLeft');
    await untilShown(page, '.machine li.here', 'JUMPI');
    await page.keyboard.press('Home');
    await untilShown(page, '.machine li.here', 'PUSH2');
    expect(received()).toBeLessThan(1_000_000);
    expect(faults).toEqual([]);
  });

  it('enlarges the call of a gas bar, and returns, also by the keyboard', async () => {
    const { url, hash } = await openLargeScene();
    const { page, faults } = await openPage(opened, url);
    await page.goto(`${url}/_/tx/${hash}?show=gas`);
    await untilShown(page, '.flame title', '10,000 smaller calls');
    expect(await page.$$eval('.flame .bar', (bars) => bars.length)).toBe(2);
    await page.goto(`${url}/_/tx/${hash}?show=gas&call=3`);
    await untilTrue(page, "document.querySelectorAll('.flame .bar').length === 1");
    await page.focus('main p a');
    await page.keyboard.press('Enter');
    await untilTrue(page, "document.querySelectorAll('.flame .bar').length === 2");
    await page.evaluate("document.querySelector('.flame a').focus()");
    await page.keyboard.press('Enter');
    await untilTrue(page, "location.search === '?show=gas&call=0'");
    await page.goBack();
    await page.goBack();
    await untilTrue(page, "location.search === '?show=gas&call=3'");
    expect(faults).toEqual([]);
  });

  it('shows the call frames and the storage before each step', async () => {
    const { url, call, send } = await openScene({ hardfork: 'prague' });
    // The called contract stores 7 in slot 1. The caller stores 8 in slot 2 before the call, and 9 after it.
    await call('anvil_setCode', [CALLED, '0x600760015500']);
    const inner = `5f5f5f5f5f73${'ed'.repeat(20)}5af150`;
    await call('anvil_setCode', [CALLER, `0x6008600255${inner}600960025500`]);
    const hash = await send({ to: CALLER, gas: '0x100000' });
    const { page, faults } = await openPage(opened, `${url}/_/tx/${hash}?show=source`);
    const part = (label: string): Promise<string[]> =>
      page.$$eval(`.machine section[aria-label="${label}"] li`, (lines) =>
        lines.map(({ textContent }) => textContent?.trim() ?? ''),
      );
    const go = async (step: number, op: string): Promise<void> => {
      await page.focus('.steps-bar input[type="range"]');
      await page.keyboard.press('Home');
      for (let moved = 0; moved < step; moved++) await page.keyboard.press('ArrowRight');
      await untilTrue(
        page,
        `document.querySelector('.machine [aria-label="Opcodes"] .here')?.textContent.includes('${op}') === true`,
      );
    };
    await untilShown(page, '.machine li.here', 'PUSH1');
    expect(await part('Storage')).toEqual([]);
    await go(2, 'SSTORE');
    expect(await part('Storage')).toEqual(['0x2 0x0']);
    await go(3, 'PUSH0');
    expect(await part('Storage')).toEqual(['0x2 0x8']);
    await go(13, 'SSTORE');
    expect(await part('Call frames')).toEqual(['call 0xcaca…caca', 'call 0xeded…eded']);
    expect(await part('Storage')).toEqual(['0x1 0x0']);
    await go(14, 'STOP');
    expect(await part('Storage')).toEqual(['0x1 0x7']);
    await go(18, 'SSTORE');
    expect(await part('Call frames')).toEqual(['call 0xcaca…caca']);
    expect(await part('Storage')).toEqual(['0x2 0x8']);
    await go(19, 'STOP');
    expect(await part('Storage')).toEqual(['0x2 0x9']);
    expect(faults).toEqual([]);
  });

  it('reports that the node stores only 1,000 used slots of a step', async () => {
    const { url, call, send } = await openScene({ hardfork: 'prague', gasLimit: 100_000_000n });
    // Writes 1,100 slots, counting down.
    await call('anvil_setCode', [CALLED, '0x61044c5b808055600190038060035700']);
    const hash = await send({ to: CALLED, gas: '0x2000000' });
    const { page, faults } = await openPage(opened, `${url}/_/tx/${hash}?show=source`);
    const storage = '.machine section[aria-label="Storage"]';
    await untilShown(page, '.machine li.here', 'PUSH2');
    await untilShown(page, storage, 'No storage access so far');
    await page.focus('.steps-bar input[type="range"]');
    await page.keyboard.press('End');
    await untilShown(page, storage, 'for each account, the node keeps the last 1,000 used slots');
    expect(faults).toEqual([]);
  });
});
