import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { PREDEPLOYS } from '../../src/chain/genesis/predeploy-addresses.ts';
import { REPOSITORY } from '../support/repository.ts';

const notices = readFileSync(join(REPOSITORY, 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8');

/** The files of a bundle of the entry with all packages except native ones. */
async function bundled(entry: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [join(REPOSITORY, entry)],
    absWorkingDir: REPOSITORY,
    outfile: 'nowhere.js',
    bundle: true,
    write: false,
    metafile: true,
    minifySyntax: true,
    format: 'cjs',
    supported: { 'dynamic-import': false },
    platform: 'node',
    mainFields: ['module', 'main'],
    external: ['secp256k1', 'classic-level'],
    logLevel: 'error',
  });
  return metafile;
}

function packagesIn({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
      const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
      return folder === undefined || bytesInOutput === 0 ? [] : [folder];
    }),
  );
}

describe('licence notices of the package', () => {
  const folders = new Set(['node_modules/assemblyscript']);

  beforeAll(async () => {
    for (const entry of ['src/cli/main.ts', 'src/index.ts'])
      for (const folder of packagesIn(await bundled(entry))) folders.add(folder);
  });

  it('the notices contain version, licence and full text of every bundled package', () => {
    expect(folders.size).toBeGreaterThan(10);
    for (const folder of folders) {
      const path = join(REPOSITORY, folder);
      const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
      expect(notices).toContain(`\n${name} ${version}\nLicence: ${license}\nSource: https://`);
      for (const file of readdirSync(path).filter((one) => /^(licen[cs]e|copying|notice)/i.test(one)))
        expect(notices).toContain(readFileSync(join(path, file), 'utf8').trim());
    }
  });

  it('the notices contain the predeployed contracts', () => {
    for (const { name } of Object.values(PREDEPLOYS)) expect(notices).toContain(`\n  ${name}: `);
  });

  it('the notices contain the licences of packages that ship without them', () => {
    expect(notices).toMatch(
      /\nmcl-wasm [\d.]+\nLicence: BSD-3-Clause\n[\s\S]*?Redistributions in binary form/,
    );
    expect(notices).toMatch(/\n@ethereumjs\/mpt [\d.]+\nLicence: MPL-2.0\n[\s\S]*?Mozilla Public License/);
    expect(notices).toContain('Pieter Wuille');
  });
});

it('the viem chain definition bundles no package', async () => {
  expect(packagesIn(await bundled('src/viem.ts'))).toEqual([]);
});
