import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/repository.ts';

const recipes = readFileSync(join(REPOSITORY, 'test/clients/README.md'), 'utf8');

/** Replaces Jest: the globals that the recipe uses, in Jest's order of hooks. */
const JEST_STAND_IN = `
const assert = require('node:assert/strict');
const tests = [];
const endings = [];
globalThis.test = (name, body) => tests.push([name, body]);
globalThis.afterAll = (body) => endings.push(body);
globalThis.expect = (actual) => ({ toBe: (expected) => assert.equal(actual, expected) });
(async () => {
  const { globalSetup, globalTeardown } = require('./jest.config.cjs');
  await require(globalSetup)();
  for (const file of ['./transfer.test.cjs', './other.test.cjs']) {
    require(file);
    for (const [name, body] of tests.splice(0)) await body().then(() => console.log('passed: ' + name));
    for (const body of endings.splice(0)) await body();
  }
  await require(globalTeardown)();
})();
`;

describe('the recipes for test suites', () => {
  let folder = '';

  beforeEach(() => {
    // Inside the repository, so that the recipes find their imports, including this package.
    mkdirSync(join(REPOSITORY, '.cache'), { recursive: true });
    folder = mkdtempSync(join(REPOSITORY, '.cache', 'suite-recipes-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  /** Writes the files of a recipe: the code blocks of its section, which start with the file name. */
  function writeFiles(title: string): void {
    const [, section = ''] = recipes.split(`\n**${title}**`);
    const [own = ''] = section.split('\n**');
    for (const [, code = '', name = ''] of own.matchAll(/```js\n(\/\/ (\S+)\n[\s\S]*?)```/g)) {
      writeFileSync(join(folder, name), code);
    }
  }

  async function run(...options: readonly string[]): Promise<string> {
    const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
    const child = spawn(process.execPath, options, { cwd: folder, env: Object.fromEntries(environment) });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed += chunk;
      });
    }
    const [status] = await once(child, 'close');
    return `${printed}ended with ${status}`;
  }

  it('Vitest gives each file its own lane of one deployment', async () => {
    writeFiles('Vitest');
    writeFileSync(join(folder, 'other.test.js'), readFileSync(join(folder, 'transfer.test.js')));
    const vitest = join(REPOSITORY, 'node_modules', 'vitest', 'vitest.mjs');
    const printed = await run(vitest, 'run', '--root', folder, '--config', 'vitest.config.js');
    expect(printed).toMatch(/Tests .*2 passed[\s\S]*ended with 0$/);
  });

  it('Jest gives each file its own lane of one deployment', async () => {
    writeFiles('Jest');
    writeFileSync(join(folder, 'other.test.cjs'), readFileSync(join(folder, 'transfer.test.cjs')));
    writeFileSync(join(folder, 'stand-in.cjs'), JEST_STAND_IN);
    const printed = await run('stand-in.cjs');
    expect(printed.match(/passed: starts from the state of the setup/g)).toHaveLength(2);
    expect(printed).toMatch(/ended with 0$/);
  });
});
