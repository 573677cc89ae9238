import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { encodeDeployData, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { readArtifact } from '../support/artifacts.ts';
import { DESKTOP, describeInBrowser, faultsIn, openPage, untilTrue } from '../support/browser/browser.ts';
import { PHONE } from '../support/browser/layout.ts';
import { type Scene, sceneOf } from '../support/browser/scene.ts';
import { ALL_FRAGMENTS, hostileString, INVALID_UTF8 } from './hostile-strings.ts';

const token = readArtifact('shanghai', 'Token');
const TEN_MEGABYTES = 10 * 1024 * 1024;
/** Longer pages are slow, and nobody reads them. */
const MAX_CHARACTERS = 300_000;

/** Sizes in bytes: the repeated part of a call, and the selector and the head of a string before it. */
const CHUNK = 65_536;
const HEAD = 68;

/** Ends of contracts that revert with a long string, log it to the console, emit it, or return it. */
const ENDS = {
  fail: '5ffd',
  console: '5f5f825f6a636f6e736f6c652e6c6f675afa00',
  emit: `7f${'0'.repeat(62)}fe905fa100`,
  answer: '5ff3',
} as const;

/** Returns the code of a contract: it copies its input to memory, and repeats the part after the head up to a size. */
function codeOf(end: string, size: number): string {
  const limit = (HEAD + size).toString(16).padStart(8, '0');
  return `60445f5f3760445b604436038060448337018063${limit}11600757${end}`;
}

const MUCH_GAS = { gas: '0x77359400' };

/** A chain whose blocks have room for strings of ten megabytes. Its requests use no HTTP, which limits names and messages. */
async function openHostileScene(): Promise<Scene> {
  const node = await createNode({ artifacts: [], gasLimit: 4_000_000_000 });
  onTestFinished(() => node.close());
  const { url } = await node.listen();
  const scene = await sceneOf(
    url,
    (method, params = []) => node.request({ method, params }) as Promise<never>,
  );
  return {
    ...scene,
    send: (fields) => scene.send({ ...MUCH_GAS, ...fields }),
    deploy: (data) => scene.deploy(data, MUCH_GAS),
  };
}

/** Returns the code that deploys a contract. */
function creationOf(code: string): Hex {
  const size = (code.length / 2).toString(16).padStart(2, '0');
  return `0x60${size}600a5f3960${size}5ff3${code}`;
}

function bytesOf(text: string): Hex {
  return `0x${Buffer.from(text).toString('hex')}`;
}

/** Returns a call with a string of a size; the contract repeats the chunk. */
function withString(selector: string, chunk: Hex, size: number): Hex {
  const words = [32, size].map((word) => word.toString(16).padStart(64, '0'));
  return `0x${selector}${words.join('')}${chunk.slice(2)}`;
}

const ERROR = '08c379a0';
const LOG = '41304fac';

/** A regular expression, as text for the page, of characters that move or hide other characters. */
const UNSEEN = '/(?![\\\\t\\\\n\\\\r\\\\u200d])[\\\\p{Cc}\\\\p{Cf}\\\\p{Zl}\\\\p{Zp}]/u'.replaceAll(
  '\\\\',
  '\\',
);

/** Resolves to the faults of a page that shows hostile strings. */
async function faultsOf(page: Page, width: number): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const found = [];
    if (window.ran !== undefined) found.push('a string was run');
    const made = document.querySelectorAll('main script, main img, main iframe, main svg[onload]');
    if (made.length > 0) found.push('a string became ' + made[0].outerHTML.slice(0, 100));
    const unseen = ${UNSEEN}.exec(document.body.innerText);
    if (unseen !== null) found.push('a character that is not seen: ' + unseen[0].codePointAt(0).toString(16) + ' in ' + JSON.stringify(document.body.innerText.slice(unseen.index - 40, unseen.index + 40)));
    const long = document.body.textContent.length;
    if (long > ${MAX_CHARACTERS}) found.push(long + ' characters are drawn');
    const wide = document.documentElement.scrollWidth;
    if (wide > ${width}) found.push('the page is ' + wide + ' pixels wide');
    return found;
  })()`)) as string[];
}

describeInBrowser('the explorer', (opened) => {
  /** Opens the views in both sizes; resolves to their faults. */
  async function look(
    url: string,
    views: readonly (readonly [path: string, selector: string])[],
    prepare = '',
  ): Promise<string[]> {
    const found: string[] = [];
    const page = await opened.openTab();
    const faults = faultsIn(page);
    await page.bringToFront();
    let reported = 0;
    for (const [path, selector] of views) {
      await page.setViewportSize(PHONE);
      await page.goto(`${url}/_/${path}`);
      await page.waitForSelector(selector).catch(() => found.push(`${path}: there is no ${selector}`));
      if (prepare !== '') await page.evaluate(prepare);
      for (const size of [PHONE, DESKTOP]) {
        await page.setViewportSize(size);
        const wrong = await faultsOf(page, size.width);
        found.push(...wrong.map((fault) => `${path} at ${size.width}: ${fault}`));
      }
      found.push(...faults.slice(reported).map((fault) => `${path}: ${fault}`));
      reported = faults.length;
    }
    return found;
  }

  const OPEN_FORMS = "for (const form of document.querySelectorAll('details')) form.open = true";

  /** Returns an ABI with these names. */
  function hostileAbi(names: readonly string[]): readonly object[] {
    const at = (index: number): string => names[index % names.length] ?? '';
    const tuple = {
      name: at(1),
      type: 'tuple',
      internalType: `struct ${at(2)}`,
      components: [{ name: at(3), type: 'uint256' }],
    };
    return [
      { type: 'function', name: at(0), inputs: [tuple], outputs: [tuple], stateMutability: 'view' },
      {
        type: 'function',
        name: at(4),
        inputs: [{ name: at(5), type: at(6) }],
        outputs: [],
        stateMutability: 'payable',
      },
      {
        type: 'event',
        name: at(7),
        inputs: [{ name: at(8), type: 'bytes', indexed: false }],
        anonymous: false,
      },
      { type: 'error', name: at(9), inputs: [{ name: at(10), type: 'string' }] },
      { type: at(11), name: at(12) },
      ...parseAbi(['function balanceOf(address) view returns (uint256)', 'event Known(bytes)']),
    ];
  }

  async function describeContract(scene: Scene, address: Hex, names: readonly string[]): Promise<void> {
    const object = (await scene.call<string>('eth_getCode', [address, 'latest'])).slice(2);
    const [name = '', file = ''] = names;
    const described = { abi: hostileAbi(names), evm: { deployedBytecode: { object } } };
    const input = {
      language: 'Solidity',
      sources: { [file]: { content: `// ${names.slice(0, 2).join(' ')}` } },
    };
    await scene.call('inspect_addArtifacts', [input, { contracts: { [file]: { [name]: described } } }]);
  }

  it('shows hostile names of contracts, functions, parameters and files as text', async () => {
    const scene = await openHostileScene();
    const names = fc.sample(hostileString, { numRuns: 40 });
    const addresses: Hex[] = [];
    for (const [index, end] of [ENDS.fail, ENDS.emit].entries()) {
      const address = await scene.deploy(creationOf(codeOf(end, 0)));
      await describeContract(scene, address, [...names.slice(20 * index), ...names]);
      addresses.push(address);
    }
    const hash = await scene.send({
      to: addresses[1] ?? '0x',
      data: withString(LOG, bytesOf(ALL_FRAGMENTS), 100),
    });
    await scene.call('inspect_label', [scene.from, ALL_FRAGMENTS.slice(0, 100)]);
    const views = [
      ['contracts', 'main td'],
      ...addresses.flatMap((address) =>
        ['interface', 'events', 'storage', 'source', 'code'].map(
          (tab) => [`address/${address}?show=${tab}`, 'main .tabs.inner'] as const,
        ),
      ),
      [`tx/${hash}`, 'main .tree'],
      [`tx/${hash}?show=again`, 'main .run'],
      [`address/${addresses[1]}?show=transactions`, 'main .mined'],
      ['block/latest', 'main td.call'],
      ['gas', 'main .report'],
      ['feed', '.filters'],
    ] as const;
    expect(await look(scene.url, views, OPEN_FORMS)).toEqual([]);
  });

  it('shows hostile names in search results as text', async () => {
    const scene = await openHostileScene();
    const address = await scene.deploy(creationOf(codeOf(ENDS.fail, 0)));
    const names = fc.sample(hostileString, { numRuns: 20 });
    await describeContract(scene, address, ['x'.repeat(1_000_000), ...names, ALL_FRAGMENTS]);
    const { page, faults } = await openPage(opened, scene.url, PHONE);
    const found: string[] = [];
    for (const text of ['<script>', 'x', 'ran=1', '\u202e', '__proto__', '(']) {
      await page.focus('.search input');
      await page.keyboard.insertText(text);
      await page.waitForSelector('.found');
      found.push(...(await faultsOf(page, PHONE.width)).map((fault) => `${text}: ${fault}`));
      await page.keyboard.press('Escape');
      await page.$eval('.search input', (input) => input.select());
      await page.keyboard.press('Backspace');
    }
    expect([...found, ...faults]).toEqual([]);
  });

  it('leaves out invalid ABI entries, and shows the others', async () => {
    const scene = await openHostileScene();
    const address = await scene.deploy(creationOf(codeOf(ENDS.answer, 0)));
    const object = (await scene.call<string>('eth_getCode', [address, 'latest'])).slice(2);
    let deep: object = { name: 'end', type: 'uint256' };
    for (let depth = 0; depth < 60; depth++) deep = { name: 'part', type: 'tuple', components: [deep] };
    const abi = [
      ...[null, 7, 'text', [], {}, { type: 'function' }, { type: 'function', name: 'bare' }],
      { type: 'function', name: { toString: 1 }, inputs: [], outputs: [], stateMutability: 'view' },
      { type: 'function', name: 'odd', inputs: 'none', outputs: null, stateMutability: {} },
      { type: 'function', name: 'nulls', inputs: [null, 5], outputs: [null], stateMutability: 'view' },
      {
        type: 'function',
        name: 'types',
        inputs: [{ name: 5, type: {} }],
        outputs: [],
        stateMutability: 'view',
      },
      { type: 'function', name: 'deep', inputs: [deep], outputs: [deep], stateMutability: 'view' },
      { type: 'event', name: 'Odd', inputs: {} },
      { type: 'error', name: null },
      ...parseAbi(['function balanceOf(address) view returns (uint256)']),
    ];
    const described = { abi, evm: { deployedBytecode: { object } } };
    await scene.call('inspect_addArtifacts', [{}, { contracts: { 'Odd.sol': { Odd: described } } }]);
    const hash = await scene.send({ to: address, data: `0x70a08231${'0'.repeat(64)}` });
    const { page, faults } = await openPage(opened, `${scene.url}/_/address/${address}`, PHONE);
    await untilTrue(
      page,
      "[...document.querySelectorAll('details.function b')].some(({ textContent }) => textContent === 'balanceOf')",
    );
    expect([...(await faultsOf(page, PHONE.width)), ...faults]).toEqual([]);
    const views = [
      [`address/${address}?show=events`, 'main .events, main .empty'],
      [`tx/${hash}`, 'main .tree'],
      ['gas', 'main .report'],
      ['contracts', 'main td'],
    ] as const;
    expect(await look(scene.url, views)).toEqual([]);
  });

  it('cuts names of a megabyte', async () => {
    const scene = await openHostileScene();
    const address = await scene.deploy(creationOf(codeOf(ENDS.answer, 0)));
    const endless = ALL_FRAGMENTS.repeat(Math.ceil(TEN_MEGABYTES / 10 / ALL_FRAGMENTS.length));
    await describeContract(scene, address, [endless, 'File.sol', ...Array(10).fill(endless)]);
    const views = [
      ['contracts', 'main td'],
      [`address/${address}`, 'main details.function'],
      [`address/${address}?show=source`, 'main .source'],
    ] as const;
    expect(await look(scene.url, views, OPEN_FORMS)).toEqual([]);
  });

  it('shows hostile token symbols beside amounts, even if they are not UTF-8', async () => {
    const scene = await openHostileScene();
    const symbols = fc.sample(hostileString, { numRuns: 6, seed: 20 }).map(bytesOf);
    let last: Hex = '0x';
    for (const symbol of [
      bytesOf('\u202eDLOG\u0000'),
      ...symbols,
      `0x${INVALID_UTF8}`,
      bytesOf(ALL_FRAGMENTS.repeat(20)),
    ] as const) {
      const args = ['PLACE', 'PLACE', scene.from, 10n ** 30n];
      const data = encodeDeployData({ ...token, args });
      // viem encodes strings as UTF-8. Other bytes replace a text of the same length.
      const text = 'y'.repeat((symbol.length - 2) / 2);
      const longer = encodeDeployData({ ...token, args: [text, text, scene.from, 10n ** 30n] });
      expect(longer.length).toBeGreaterThanOrEqual(data.length);
      last = await scene.deploy(longer.replaceAll(bytesOf(text).slice(2), symbol.slice(2)) as Hex);
    }
    const transfer = encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [last, 5n] });
    const hash = await scene.send({ to: last, data: transfer });
    const views = [
      ['accounts', 'main .token'],
      [`address/${scene.from}`, 'main .token'],
      [`tx/${hash}?show=changes`, 'main table'],
    ] as const;
    expect(await look(scene.url, views)).toEqual([]);
  });

  it.each([
    ['markup', bytesOf(ALL_FRAGMENTS), null],
    ['bytes that are not UTF-8', `0x${INVALID_UTF8.repeat(20)}`, null],
    ['ten megabytes', bytesOf('<b>\u202e</b>'.repeat(CHUNK / 10)), TEN_MEGABYTES],
  ] as const)('shows %s in revert reasons, console lines and events as text', async (_, chunk, repeated) => {
    const scene = await openHostileScene();
    const size = repeated ?? (chunk.length - 2) / 2;
    const hashes: Hex[] = [];
    const made: Hex[] = [];
    const { page, faults } = await openPage(opened, `${scene.url}/_/feed`, PHONE);
    for (const [kind, end] of Object.entries(ENDS)) {
      const to = await scene.deploy(creationOf(codeOf(end, size)));
      const hash = await scene.send({ to, data: withString(kind === 'fail' ? ERROR : LOG, chunk, size) });
      const { status, gasUsed } = await scene.call<{ status: string; gasUsed: string }>(
        'eth_getTransactionReceipt',
        [hash],
      );
      // A transaction without enough gas would show nothing.
      expect([kind, status, BigInt(gasUsed) < 2_000_000_000n]).toEqual([
        kind,
        kind === 'fail' ? '0x0' : '0x1',
        true,
      ]);
      hashes.push(hash);
      made.push(to);
    }
    await page.waitForSelector('.newest-failure .reason');
    await untilTrue(page, "document.querySelectorAll('.item.transaction').length >= 8");
    expect([...(await faultsOf(page, PHONE.width)), ...faults]).toEqual([]);
    const [failed, logged, emitted] = hashes;
    const views = [
      [`tx/${failed}`, 'main .newest-failure'],
      [`tx/${failed}?show=copy`, 'main .code'],
      [`tx/${logged}`, 'main .tree .console'],
      [`tx/${emitted}`, 'main .tree .event'],
      [`tx/${emitted}?show=changes`, 'main .inner'],
      [`tx/${emitted}?show=gas`, 'main .flame'],
    ] as const;
    expect(await look(scene.url, views)).toEqual([]);
  });
});
