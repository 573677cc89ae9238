import { readFileSync } from 'node:fs';
import { encodeFunctionData } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { phoneFaults } from '../support/browser/layout.ts';

const project = new URL('../../fixtures/projects/hardhat-2/', import.meta.url);
const checks = JSON.parse(
  readFileSync(new URL('artifacts/contracts/Checks.sol/Checks.json', project), 'utf8'),
);

interface Scene {
  readonly url: string;
  readonly contract: string;
  call<Result>(method: string, params?: readonly unknown[]): Promise<Result>;
  /** Calls `notZero`, which fails for 0. */
  check(value: bigint): Promise<void>;
}

/** A chain on which a contract of a Hardhat project is deployed in block 1. */
async function openScene({ gasReport }: { readonly gasReport: boolean }): Promise<Scene> {
  const node = await createNode({ artifacts: [new URL('artifacts', project).pathname], gasReport });
  onTestFinished(() => node.close());
  const { url } = await node.listen();
  const call = <Result>(method: string, params: readonly unknown[] = []): Promise<Result> =>
    node.request({ method, params }) as Promise<Result>;
  const [from] = await call<string[]>('eth_accounts');
  const send = (fields: object): Promise<string> =>
    call('eth_sendTransaction', [{ from, gas: '0x2dc6c0', ...fields }]);
  const hash = await send({ data: checks.bytecode });
  const { contractAddress } = await call<{ contractAddress: string }>('eth_getTransactionReceipt', [hash]);
  return {
    url,
    contract: contractAddress,
    call,
    async check(value) {
      const data = encodeFunctionData({ abi: checks.abi, functionName: 'notZero', args: [value] });
      // A failed transaction is an error, and mined.
      await send({ to: contractAddress, data }).catch(() => null);
    },
  };
}

/** The texts of the cells of the row that begins with a text. */
function row(name: string): string {
  return `[...([...document.querySelectorAll('.report tr')].find(({ textContent }) => textContent.startsWith('${name}'))?.children ?? [])].map(({ textContent }) => textContent)`;
}

describeInBrowser('gas in the page', (opened) => {
  it('is reported by contract and function as the node measured it, and follows the chain', async () => {
    const scene = await openScene({ gasReport: true });
    await scene.check(7n);
    await scene.check(0n);
    const { page, faults } = await openPage(opened.browser, `${scene.url}/_/gas`);
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

  it('is drawn by block and by function, and leads from a bar to its block', async () => {
    const scene = await openScene({ gasReport: false });
    await scene.check(7n);
    await scene.call('hardhat_mine', ['0x64']);
    await scene.check(8n);
    const { page, faults } = await openPage(opened.browser, `${scene.url}/_/gas`);
    await untilShown(page, 'main', '3 blocks with transactions, #1 to #103');
    await untilShown(page, 'main option', 'Checks.notZero (2 calls)');
    // All that was drawn is on canvases, of which one is not empty.
    await untilTrue(
      page,
      `[...document.querySelectorAll('.plot canvas')].filter((canvas) =>
        canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((part) => part !== 0)).length === 2`,
    );
    await page.select('main select', 'Checks.notZero');
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

  it('is reported of the blocks that are shown, with the way to more, where the node measures none', async () => {
    const scene = await openScene({ gasReport: false });
    await scene.check(7n);
    await scene.check(0n);
    const { page, faults } = await openPage(opened.browser, `${scene.url}/_/gas`);
    await untilShown(page, 'main', 'start the node with --gas-report');
    await untilTrue(page, `${row('notZero')}.slice(0, 3).join() === 'notZero,2,1'`);
    await untilTrue(page, `${row('deployment')}[1] === '1'`);
    expect(faults).toEqual([]);
  });

  it('has the creations that failed, which made no contract that could be named', async () => {
    const scene = await openScene({ gasReport: false });
    await scene.check(7n);
    const [from] = await scene.call<string[]>('eth_accounts');
    const failing = { from, gas: '0x186a0', data: '0x60006000fd' };
    await scene.call('eth_sendTransaction', [failing]).catch(() => null);
    const { page, faults } = await openPage(opened.browser, `${scene.url}/_/gas`);
    await untilShown(page, 'main', '3 blocks with transactions, #1 to #3');
    await untilShown(page, 'main option', 'unknown contract.constructor (1 call)');
    await untilTrue(page, `${row('deployment')}[1] === '1'`);
    expect(faults).toEqual([]);
  });

  it('is that of the blocks up to the moment that is shown, and none at the first block', async () => {
    const scene = await openScene({ gasReport: false });
    await scene.check(7n);
    const { page, faults } = await openPage(opened.browser, `${scene.url}/_/gas?at=1`);
    await untilShown(page, 'main', 'Block #1.');
    await click(page, '.banner button', 'Back to latest');
    await untilShown(page, 'main', '2 blocks with transactions, #1 to #2');
    await page.goto(`${scene.url}/_/gas?at=0`);
    await untilShown(page, '.empty', 'No transactions yet');
    expect(faults).toEqual([]);
  });

  it('is within the width of a phone, and has no serious fault for those who cannot see it', async () => {
    const scene = await openScene({ gasReport: true });
    await scene.check(7n);
    expect(await phoneFaults(opened.browser, `${scene.url}/_/gas`, '.report .group')).toEqual([]);
  });
});
