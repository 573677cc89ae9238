import { expect, it } from 'vitest';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { viewFaults } from '../support/browser/layout.ts';
import { openChecksScene } from '../support/browser/scene.ts';

/** Returns an expression for the cells of the row that begins with a name. */
function row(name: string): string {
  return `[...([...document.querySelectorAll('.report tr')].find(({ textContent }) => textContent.startsWith('${name}'))?.children ?? [])].map(({ textContent }) => textContent)`;
}

describeInBrowser('the gas view of the explorer', (opened) => {
  it('shows the gas report of the node by contract and function, and follows the chain', async () => {
    const scene = await openChecksScene({ gasReport: true });
    await scene.check(7n);
    await scene.check(0n);
    const { page, faults } = await openPage(opened, `${scene.url}/_/gas`);
    await untilShown(page, '.report .group', 'Checks');
    await untilShown(page, '.report .group', 'of the limit');
    const report = await scene.call<{
      contracts: { functions: { name: string; transactions: Record<string, number> }[] }[];
    }>('inspect_gasReport');
    const { transactions: figures } = report.contracts[0]?.functions[0] ?? {};
    const cells = ((await page.evaluate(row('notZero'))) as string[]).map((text) => text.replaceAll(',', ''));
    expect(cells).toEqual(
      ['notZero', 2, 1, figures?.min, figures?.average, figures?.median, figures?.max].map(String),
    );
    await scene.check(8n);
    await untilTrue(page, `${row('notZero')}[1] === '3'`);
    expect(faults).toEqual([]);
  });

  it('plots gas by block and by function, and opens the block of a clicked bar', async () => {
    const scene = await openChecksScene();
    await scene.check(7n);
    await scene.call('hardhat_mine', ['0x64']);
    await scene.check(8n);
    const { page, faults } = await openPage(opened, `${scene.url}/_/gas`);
    await untilShown(page, 'main', '3 blocks with transactions, #1 to #103');
    await untilShown(page, 'main option', 'Checks.notZero (2 calls)');
    // Both plots have pixels.
    await untilTrue(
      page,
      `[...document.querySelectorAll('.plot canvas')].filter((canvas) =>
        canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((part) => part !== 0)).length === 2`,
    );
    await page.selectOption('main select', 'Checks.notZero');
    await page.waitForSelector('.plot[aria-label^="Gas of Checks.notZero by block"]');
    const over = await page.$('.plot .u-over');
    const box = await over?.boundingBox();
    if (box == null) throw new Error('nothing is drawn');
    await page.mouse.move(box.x + 0.85 * box.width, box.y + box.height / 2);
    await untilShown(page, '.plot .u-legend', '#103');
    await page.mouse.click(box.x + 0.85 * box.width, box.y + box.height / 2);
    await untilShown(page, 'h1', 'Block #103');
    expect(faults).toEqual([]);
  });

  it('reports the shown blocks and names --gas-report if the node measures no gas', async () => {
    const scene = await openChecksScene();
    await scene.check(7n);
    await scene.check(0n);
    const { page, faults } = await openPage(opened, `${scene.url}/_/gas`);
    await untilShown(page, 'main', 'start the node with --gas-report');
    await untilTrue(page, `${row('notZero')}.slice(0, 3).join() === 'notZero,2,1'`);
    await untilTrue(page, `${row('deployment')}[1] === '1'`);
    expect(faults).toEqual([]);
  });

  it('includes failed deployments as an unknown contract', async () => {
    const scene = await openChecksScene();
    await scene.check(7n);
    await scene.send({ data: '0x60006000fd' });
    const { page, faults } = await openPage(opened, `${scene.url}/_/gas`);
    await untilShown(page, 'main', '3 blocks with transactions, #1 to #3');
    await untilShown(page, 'main option', 'unknown contract.constructor (1 call)');
    await untilTrue(page, `${row('deployment')}[1] === '1'`);
    expect(faults).toEqual([]);
  });

  it('ends at the shown block, and is empty at the genesis block', async () => {
    const scene = await openChecksScene();
    await scene.check(7n);
    const { page, faults } = await openPage(opened, `${scene.url}/_/gas?at=1`);
    await untilShown(page, 'main', 'Block #1.');
    await click(page, '.banner button', 'Back to latest');
    await untilShown(page, 'main', '2 blocks with transactions, #1 to #2');
    await page.goto(`${scene.url}/_/gas?at=0`);
    await untilShown(page, '.empty', 'No transactions yet');
    expect(faults).toEqual([]);
  });

  it('fits a phone and a desktop, without accessibility faults', async () => {
    const scene = await openChecksScene({ gasReport: true });
    await scene.check(7n);
    expect(await viewFaults(opened, `${scene.url}/_/gas`, '.report .group')).toEqual([]);
  });
});
