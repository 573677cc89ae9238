import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { Page } from 'puppeteer-core';
import { type Abi, encodeDeployData, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { describeInBrowser, openPage, untilTrue } from '../support/browser/browser.ts';
import { PHONE } from '../support/browser/layout.ts';
import { ALL_FRAGMENTS, hostileString, INVALID_UTF8 } from './hostile-strings.ts';

const read = (name: string): { abi: Abi; bytecode: Hex } =>
  JSON.parse(
    readFileSync(new URL(`../../fixtures/artifacts/shanghai/${name}.json`, import.meta.url), 'utf8'),
  );
const token = read('Token');
const DESKTOP = { width: 1440, height: 900 };
const TEN_MEGABYTES = 10 * 1024 * 1024;
/** More than that nobody reads, and browsers become slow. */
const MOST_CHARACTERS = 300_000;

/** Bytes of a call that are repeated, and those before them, which stand once: the selector, and the head of a string. */
const CHUNK = 65_536;
const HEAD = 68;

/** How contracts end that make a string out of their input: they fail with it, log it on the console, emit it, return it. */
const ENDS = {
  fail: '5ffd',
  console: '5f5f825f6a636f6e736f6c652e6c6f675afa00',
  emit: `7f${'0'.repeat(62)}fe905fa100`,
  answer: '5ff3',
} as const;

/** The code of such a contract: it copies its input into memory, and all behind the head again and again up to a size. */
function codeOf(end: string, size: number): string {
  const limit = (HEAD + size).toString(16).padStart(8, '0');
  return `60445f5f3760445b604436038060448337018063${limit}11600757${end}`;
}

interface Scene {
  readonly url: string;
  readonly from: Hex;
  call<Result>(method: string, params?: readonly unknown[]): Promise<Result>;
  /** Resolves to the hash, also of a transaction that failed. */
  send(fields: { readonly to?: Hex; readonly data: Hex }): Promise<Hex>;
  deploy(data: Hex): Promise<Hex>;
}

async function openScene(): Promise<Scene> {
  const node = await createNode({ artifacts: [], gasLimit: 4_000_000_000 });
  onTestFinished(() => node.close());
  const { url } = await node.listen();
  const call = <Result>(method: string, params: readonly unknown[] = []): Promise<Result> =>
    node.request({ method, params }) as Promise<Result>;
  const [from = '0x'] = await call<Hex[]>('eth_accounts');
  const send: Scene['send'] = async (fields) => {
    await call('eth_sendTransaction', [{ from, gas: '0x77359400', ...fields }]).catch(() => null);
    const { transactions } = await call<{ transactions: Hex[] }>('eth_getBlockByNumber', ['latest', false]);
    return transactions[0] ?? '0x';
  };
  const deploy: Scene['deploy'] = async (data) => {
    const { contractAddress } = await call<{ contractAddress: Hex }>('eth_getTransactionReceipt', [
      await send({ data }),
    ]);
    return contractAddress;
  };
  return { url, from, call, send, deploy };
}

/** The code that creates a contract with that code. */
function creationOf(code: string): Hex {
  const size = (code.length / 2).toString(16).padStart(2, '0');
  return `0x60${size}600a5f3960${size}5ff3${code}`;
}

function bytesOf(text: string): Hex {
  return `0x${Buffer.from(text).toString('hex')}`;
}

/** A call with one string of a size, of raw bytes that such a contract repeats. */
function withString(selector: string, chunk: Hex, size: number): Hex {
  const words = [32, size].map((word) => word.toString(16).padStart(64, '0'));
  return `0x${selector}${words.join('')}${chunk.slice(2)}`;
}

const ERROR = '08c379a0';
const LOG = '41304fac';

/** Characters that move or hide others; scripts of the page know them as the page does, tests see what is left. */
const UNSEEN = '/(?![\\\\t\\\\n\\\\r\\\\u200d])[\\\\p{Cc}\\\\p{Cf}\\\\p{Zl}\\\\p{Zp}]/u'.replaceAll(
  '\\\\',
  '\\',
);

/** The faults of a page that shows hostile strings. */
async function faultsOf(page: Page, width: number): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const found = [];
    if (window.ran !== undefined) found.push('a string was run');
    const made = document.querySelectorAll('main script, main img, main iframe, main svg[onload]');
    if (made.length > 0) found.push('a string became ' + made[0].outerHTML.slice(0, 100));
    const unseen = ${UNSEEN}.exec(document.body.innerText);
    if (unseen !== null) found.push('a character that is not seen: ' + unseen[0].codePointAt(0).toString(16) + ' in ' + JSON.stringify(document.body.innerText.slice(unseen.index - 40, unseen.index + 40)));
    const long = document.body.textContent.length;
    if (long > ${MOST_CHARACTERS}) found.push(long + ' characters are drawn');
    const wide = document.documentElement.scrollWidth;
    if (wide > ${width}) found.push('the page is ' + wide + ' pixels wide');
    return found;
  })()`)) as string[];
}

describeInBrowser('names and strings that want to be more than text', (opened) => {
  /** Opens the views in both sizes; resolves to what is wrong with them. */
  async function look(
    url: string,
    views: readonly (readonly [path: string, selector: string])[],
    prepare = '',
  ): Promise<string[]> {
    const found: string[] = [];
    for (const [path, selector] of views) {
      const { page, faults } = await openPage(opened.browser, `${url}/_/${path}`, PHONE);
      await page.waitForSelector(selector).catch(() => found.push(`${path}: there is no ${selector}`));
      if (prepare !== '') await page.evaluate(prepare);
      for (const size of [PHONE, DESKTOP]) {
        await page.setViewport(size);
        const wrong = await faultsOf(page, size.width);
        found.push(...wrong.map((fault) => `${path} at ${size.width}: ${fault}`));
      }
      found.push(...faults.map((fault) => `${path}: ${fault}`));
      await page.close();
    }
    return found;
  }

  const OPEN_FORMS = "for (const form of document.querySelectorAll('details')) form.open = true";

  /** An ABI in which each name is one of the strings. */
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

  it('of contracts, functions, parameters and files run nothing and move nothing', async () => {
    const scene = await openScene();
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

  it('run nothing and move nothing in what is found', async () => {
    const scene = await openScene();
    const address = await scene.deploy(creationOf(codeOf(ENDS.fail, 0)));
    const names = fc.sample(hostileString, { numRuns: 20 });
    await describeContract(scene, address, ['x'.repeat(1_000_000), ...names, ALL_FRAGMENTS]);
    const { page, faults } = await openPage(opened.browser, scene.url, PHONE);
    const found: string[] = [];
    for (const text of ['<script>', 'x', 'ran=1', '\u202e', '__proto__', '(']) {
      await page.focus('.search input');
      await page.keyboard.sendCharacter(text);
      await page.waitForSelector('.found');
      found.push(...(await faultsOf(page, PHONE.width)).map((fault) => `${text}: ${fault}`));
      await page.keyboard.press('Escape');
      await page.$eval('.search input', (input) => input.select());
      await page.keyboard.press('Backspace');
    }
    expect([...found, ...faults]).toEqual([]);
  });

  it('of entries that no compiler writes are left out, and the rest is shown', async () => {
    const scene = await openScene();
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
    const { page, faults } = await openPage(opened.browser, `${scene.url}/_/address/${address}`, PHONE);
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

  it('that are endless are cut where they are shown', async () => {
    const scene = await openScene();
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

  it('that tokens call themselves, also of bytes that are no text, are shown beside amounts', async () => {
    const scene = await openScene();
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
      // Strings of viem are UTF-8: bytes that are none are put into the place of a text of the same length.
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
    ['of markup', bytesOf(ALL_FRAGMENTS), null],
    ['of bytes that are no text', `0x${INVALID_UTF8.repeat(20)}`, null],
    ['of ten megabytes', bytesOf('<b>\u202e</b>'.repeat(CHUNK / 10)), TEN_MEGABYTES],
  ] as const)(
    '%s in reasons of failures, on the console and in events are text',
    async (_, chunk, repeated) => {
      const scene = await openScene();
      const size = repeated ?? (chunk.length - 2) / 2;
      const hashes: Hex[] = [];
      const made: Hex[] = [];
      const { page, faults } = await openPage(opened.browser, `${scene.url}/_/feed`, PHONE);
      for (const [kind, end] of Object.entries(ENDS)) {
        const to = await scene.deploy(creationOf(codeOf(end, size)));
        const hash = await scene.send({ to, data: withString(kind === 'fail' ? ERROR : LOG, chunk, size) });
        const { status, gasUsed } = await scene.call<{ status: string; gasUsed: string }>(
          'eth_getTransactionReceipt',
          [hash],
        );
        // A transaction that runs out of gas would show nothing.
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
    },
  );
});
