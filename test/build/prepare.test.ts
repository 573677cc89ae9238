import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../src/build/prepare.mjs', import.meta.url));

/** A build that writes the file that the script checks, and counts its runs. */
const BUILD = `const fs = require('node:fs');
fs.mkdirSync('dist/cli', { recursive: true });
fs.appendFileSync('builds.txt', 'built ');
fs.writeFileSync('dist/cli/main.js', '#!/usr/bin/env node\\nconsole.log("the program");\\n', { mode: 0o755 });`;

describe('the prepare script of a clone', () => {
  let clone = '';
  let environment: Record<string, string | undefined> = {};

  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'node-cli-clone-'));
    const own = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD)/i.test(name));
    environment = { ...Object.fromEntries(own), npm_config_cache: join(clone, 'npm-cache') };
    mkdirSync(join(clone, 'src', 'build'), { recursive: true });
    cpSync(script, join(clone, 'src', 'build', 'prepare.mjs'));
    writeFileSync(join(clone, 'build.cjs'), BUILD);
    const scripts = { prepare: 'node src/build/prepare.mjs', build: 'node build.cjs' };
    const bin = { 'some-program': 'dist/cli/main.js' };
    writeFileSync(
      join(clone, 'package.json'),
      JSON.stringify({ name: 'some-package', version: '1.0.0', bin, scripts }),
    );
  });

  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  function run(command: string): { status: number | null; stdout: string } {
    return spawnSync(command, { cwd: clone, env: environment, encoding: 'utf8', shell: true });
  }

  function builds(): string {
    const file = join(clone, 'builds.txt');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  it('builds on installation, and not again for npx', () => {
    expect(run('npm install --offline --no-audit').status).toBe(0);
    expect(builds()).toBe('built ');
    expect(run('npx --offline some-program')).toMatchObject({ status: 0, stdout: 'the program\n' });
    expect(builds()).toBe('built ');
  });

  it('builds for npx if no build exists', () => {
    expect(run('npx --offline some-program')).toMatchObject({ status: 0, stdout: 'the program\n' });
    expect(builds()).toBe('built ');
  });

  it('fails if the build fails', () => {
    writeFileSync(join(clone, 'build.cjs'), 'process.exit(3);');
    expect(run('node src/build/prepare.mjs').status).toBe(3);
  });
});
