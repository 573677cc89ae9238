import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { start } from './support/started-node.ts';

const OTHER = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const PUBLIC = 'test test test test test test test test test test test junk';

/** The banner facts of a node started with the options. */
async function bannerOf(...options: string[]): Promise<Record<string, unknown>> {
  const node = await start(['--json', ...options]);
  await node.end();
  const line = node.host.written.output.split('\n').find((text) => text.includes('"kind":"banner"'));
  return JSON.parse(line ?? '') as Record<string, unknown>;
}

it.each([
  [[], PUBLIC, true],
  [['--mnemonic', PUBLIC], PUBLIC, true],
  [['--mnemonic', OTHER], OTHER, false],
  [['--dev-accounts', 'network'], null, true],
])(
  'the banner of %j contains the mnemonic, if any, and whether the keys are public',
  async (options, mnemonic, areKeysPublic) => {
    const banner = await bannerOf(...options);
    expect(banner).toMatchObject({
      wallet: mnemonic === null ? null : { mnemonic, derivationPath: "m/44'/60'/0'/0/" },
      areKeysPublic,
    });
  },
);

it('the banner contains the last block of a loaded chain', async () => {
  const directory = join(await temporaryDirectory(), 'chain');
  const file = join(await temporaryDirectory(), 'chain.json');
  const first = await start(['--data-dir', directory, '--dump-state', file]);
  await first.call('hardhat_mine', '0x7');
  await first.end();
  expect(first.host.written.output).not.toContain('continues from');
  for (const options of [
    ['--data-dir', directory],
    ['--load-state', file],
  ]) {
    const next = await start(options);
    await next.end();
    expect(next.host.written.output).toMatch(/^State: .* · continues from block 7$/m);
  }
  expect(await bannerOf('--data-dir', directory)).toMatchObject({ continuedAfter: 7 });
});

it('the banner of a node with lanes contains their URL', async () => {
  const open = await start(['--lanes']);
  await open.end();
  const line = `\nLanes:      ${open.url}/<name> is an isolated copy of this chain, created on first use\n`;
  expect(open.host.written.output).toContain(line);
  const keyed = await start(['--lanes', '--api-key', 'one', '--api-key', 'two']);
  await keyed.end();
  expect(keyed.host.written.output).toContain('/<API_KEY>; each API key has its own chain\n');
});
