import { expect, it } from 'vitest';
import { start } from './support/started-node.ts';

const OTHER = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const PUBLIC = 'test test test test test test test test test test test junk';

/** The facts of the banner of a node that was started with the options. */
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
  'the banner of %j names the mnemonic of the accounts where they have one, and whether everybody knows it',
  async (options, mnemonic, areKeysPublic) => {
    const banner = await bannerOf(...options);
    expect(banner).toMatchObject({
      wallet: mnemonic === null ? null : { mnemonic, derivationPath: "m/44'/60'/0'/0/" },
      areKeysPublic,
    });
  },
);
