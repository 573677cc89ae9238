import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { chooseCompat } from '../../src/config/project-compat.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const SERVICE = { choice: { hardhat: 'hardhat', others: 'service' }, evidence: null };

let root: string;

beforeEach(async () => {
  root = await temporaryDirectory();
  // The search for foundry.toml ends at the root of the repository.
  mkdirSync(join(root, '.git'));
});

function write(path: string, content: unknown): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

function chosenIn(folder = '.'): ReturnType<typeof chooseCompat> {
  mkdirSync(join(root, folder), { recursive: true });
  return chooseCompat('auto', join(root, folder));
}

function anvilBecauseOf(evidence: string): ReturnType<typeof chooseCompat> {
  return { choice: { hardhat: 'hardhat', others: 'anvil' }, evidence };
}

describe('--compat auto', () => {
  it.each(['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'])(
    'chooses anvil if viem is among the %s of package.json',
    (kind) => {
      write('package.json', { [kind]: { viem: '^2.0.0' } });
      expect(chosenIn()).toEqual(anvilBecauseOf('viem in package.json'));
    },
  );

  it('chooses anvil if wagmi is a dependency', () => {
    write('package.json', { dependencies: { wagmi: '^2.0.0' } });
    expect(chosenIn()).toEqual(anvilBecauseOf('wagmi in package.json'));
  });

  it('reads only the nearest package.json upward', () => {
    write('package.json', { dependencies: { viem: '^2.0.0' } });
    write('packages/app/package.json', { dependencies: { ethers: '^6.0.0' } });
    expect(chosenIn('packages/other/test')).toEqual(anvilBecauseOf('viem in ../../../package.json'));
    expect(chosenIn('packages/app/test')).toEqual(SERVICE);
  });

  it('chooses anvil in a Foundry project', () => {
    write('foundry.toml', '[profile.default]\n');
    expect(chosenIn()).toEqual(anvilBecauseOf('foundry.toml'));
    expect(chosenIn('src/tokens')).toEqual(anvilBecauseOf('../../foundry.toml'));
  });

  it('ignores a foundry.toml above the repository', () => {
    write('foundry.toml', '');
    mkdirSync(join(root, 'inner', '.git'), { recursive: true });
    expect(chosenIn('inner/test')).toEqual(SERVICE);
  });

  it('chooses service in other projects, also with packages of similar names', () => {
    write('package.json', { dependencies: { 'viem-helpers': '1', ethers: '6', '@wagmi/cli': '2' } });
    expect(chosenIn()).toEqual(SERVICE);
  });

  it('chooses service in the repository of node-cli', () => {
    write('package.json', { name: 'node-cli', devDependencies: { viem: '^2.0.0' } });
    write('foundry.toml', '');
    expect(chosenIn('test')).toEqual(SERVICE);
  });

  it.each(['{', '[]', 'null', '"viem"', '{"dependencies":["viem"]}', '{"dependencies":null}'])(
    'treats a package.json with content %s as one without dependencies',
    (content) => {
      write('package.json', content);
      expect(chosenIn()).toEqual(SERVICE);
    },
  );

  it('reads a package.json with a byte order mark', () => {
    write('package.json', `\uFEFF${JSON.stringify({ dependencies: { viem: '2' } })}`);
    expect(chosenIn()).toEqual(anvilBecauseOf('viem in package.json'));
  });

  it('ignores a directory or a named pipe in the place of package.json', () => {
    mkdirSync(join(root, 'package.json'));
    expect(chosenIn()).toEqual(SERVICE);
    if (process.platform === 'win32') return;
    execFileSync('mkfifo', [join(root, 'foundry.toml')]);
    expect(chosenIn()).toEqual(SERVICE);
  });
});

describe('explicit --compat', () => {
  it('an explicit --compat applies to all clients in any project', () => {
    write('package.json', { dependencies: { viem: '2' } });
    expect(chooseCompat('service', root)).toEqual({ choice: 'service', evidence: null });
  });
});
