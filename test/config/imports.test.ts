import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/repository.ts';

/** A valid project: the command needs each file, except for the build scripts. */
const SOUND_HOUSE: Readonly<Record<string, string>> = {
  'cli/main.ts': "import { serveNode } from '../node/serve-node.ts';\nserveNode();",
  'node/serve-node.ts': "import { serve } from '../server/server.ts';\nexport const serveNode = serve;",
  'server/server.ts': "import { chain } from '../chain/chain.ts';\nexport const serve = () => chain;",
  'chain/chain.ts':
    "import { mine } from './mining/mine.ts';\nimport { hash } from '../primitives/hash.ts';\nexport const chain = [mine, hash];",
  'chain/mining/mine.ts': "import { core } from '../chain-core.ts';\nexport const mine = core;",
  'chain/chain-core.ts': "import { clock } from './settings/clock.ts';\nexport const core = clock;",
  'chain/settings/clock.ts': 'export const clock = 1;',
  'reference/vm.ts': "import { vm } from '@ethereumjs/vm';\nexport const engine = vm;",
  'primitives/hash.ts': 'export const hash = () => 1;',
  'index.ts': "import { engine } from './reference/vm.ts';\nexport const node = engine;",
  'build/bundle.mjs': "import { build } from 'esbuild';\nawait build({});",
  'build/bundle-types.mjs': "import { copyFile } from 'node:fs/promises';\nawait copyFile('a', 'b');",
};

/** Files with faults, in addition to the valid repository. */
const FAULTS: Readonly<Record<string, string>> = {
  'cli/main.ts':
    "import '../server/server.ts';\nimport '../attic/box.ts';\nimport '../index.ts';\nimport './nothing.ts';",
  'attic/box.ts': 'export const box = 1;',
  'server/server.ts':
    "import '../cli/main.ts';\nexport { vm } from '@ethereumjs/vm';\nexport type Serve = number;",
  'primitives/hash.ts':
    "import type { Serve } from '../server/server.ts';\nexport const hash = (_?: Serve) => 1;",
  'chain/settings/clock.ts':
    "import type { Core } from '../chain-core.ts';\nimport '../attic.ts';\nexport const clock = (_?: Core) => 1;",
  'chain/chain-core.ts': "import '../chain/mining/mine.ts';\nexport type Core = number;",
  'chain/attic.ts': 'export const box = 1;',
  'rpc/codecs/hex-values.ts': "import '../method.ts';\nexport const data = 1;",
  'rpc/method.ts': 'export const method = 1;',
  'rpc/attic.ts': "import './codecs/hex-values.ts';",
  'evm/engine.ts':
    "import type { Engine } from './interpreter/interpreter-engine.ts';\nexport type AnyEngine = Engine;",
  'evm/interpreter/interpreter-engine.ts': 'export type Engine = number;',
  'config/errors.ts': "import './options.ts';\nimport '../rpc/attic.ts';",
  'config/options.ts': 'export const options = 1;',
  'primitives/forgotten.ts': 'export const forgotten = 1;',
  'index.ts': "import './cli/main.ts';",
};

describe('the check of imports', () => {
  let folder = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'node-cli-imports-'));
    cpSync(join(REPOSITORY, 'tsconfig.json'), join(folder, 'tsconfig.json'));
    writeFile('node_modules/@ethereumjs/vm/package.json', '{"name":"@ethereumjs/vm","main":"index.js"}');
    writeFile('node_modules/@ethereumjs/vm/index.js', 'exports.vm = 1;');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function writeFile(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  /** Checks a repository with these files in `src`. */
  function check(house: Readonly<Record<string, string>>): { status: number | null; stdout: string } {
    for (const [path, text] of Object.entries(house)) writeFile(`src/${path}`, text);
    const command = join(REPOSITORY, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const options = ['--config', join(REPOSITORY, 'test/config/dependency-cruiser.cjs'), 'src'];
    return spawnSync(process.execPath, [command, ...options], { cwd: folder, encoding: 'utf8' });
  }

  it('passes a valid project', () => {
    expect(check(SOUND_HOUSE)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('no dependency violations found'),
    });
  });

  it('fails and names each forbidden import', () => {
    const { status, stdout } = check({ ...SOUND_HOUSE, ...FAULTS });
    expect(status).not.toBe(0);
    for (const fault of [
      'no-upward-import-from-primitives: src/primitives/hash.ts → src/server/server.ts',
      'no-upward-import-from-server: src/server/server.ts → src/cli/main.ts',
      'no-upward-import-from-chain-settings: src/chain/settings/clock.ts → src/chain/chain-core.ts',
      'no-upward-import-from-chain-core: src/chain/chain-core.ts → src/chain/mining/mine.ts',
      'known-chain-layers-only: src/chain/settings/clock.ts → src/chain/attic.ts',
      'no-upward-import-from-rpc-codecs: src/rpc/codecs/hex-values.ts → src/rpc/method.ts',
      'known-rpc-layers-only: src/config/errors.ts → src/rpc/attic.ts',
      'no-upward-import-from-evm-engine: src/evm/engine.ts → src/evm/interpreter/interpreter-engine.ts',
      'no-upward-import-from-config-leaves: src/config/errors.ts → src/config/options.ts',
      'known-modules-only: src/cli/main.ts → src/attic/box.ts',
      'nothing-imports-the-index: src/cli/main.ts → src/index.ts',
      'library-without-the-command: src/index.ts → src/cli/main.ts',
      'command-opens-nodes-through-node: src/cli/main.ts → src/server/server.ts',
      'ethereumjs-in-the-reference-engine-only: src/server/server.ts → node_modules/@ethereumjs/vm/index.js',
      'no-unresolved-import: src/cli/main.ts → ./nothing.ts',
      'no-dead-files: src/primitives/forgotten.ts',
      'no-cycles: ',
    ]) {
      expect(stdout).toContain(fault);
    }
  });
});
