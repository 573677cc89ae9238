import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { REPOSITORY } from '../support/repository.ts';

describe('npm run dev', () => {
  let clone = '';

  /** Copies the sources without generated files and without a build. */
  beforeAll(() => {
    clone = mkdtempSync(join(tmpdir(), 'node-cli-dev-'));
    const options = [
      'ls-files',
      '-z',
      '--cached',
      '--others',
      '--exclude-standard',
      'src',
      'tsconfig.json',
      'README.md',
      'package.json',
      'test/clients/README.md',
    ];
    const paths = execFileSync('git', options, { cwd: REPOSITORY, encoding: 'utf8' })
      .split('\0')
      .filter((path) => path !== '' && existsSync(join(REPOSITORY, path)));
    for (const path of paths) {
      mkdirSync(dirname(join(clone, path)), { recursive: true });
      cpSync(join(REPOSITORY, path), join(clone, path));
    }
    symlinkSync(join(REPOSITORY, 'node_modules'), join(clone, 'node_modules'), 'dir');
  });

  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  it('starts a node with an explorer and JavaScript tracers from the sources of a clean clone', async () => {
    const [, ...script] = packageJson.scripts.dev.split(' ');
    const node = spawn(process.execPath, [...script, 'start', '--port', '0'], {
      cwd: clone,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(node, 'exit');
    let url = '';
    for await (const line of createInterface({ input: node.stdout })) {
      url = /^Listening on (\S+)/.exec(line)?.[1] ?? '';
      if (url !== '') break;
    }
    node.stdout.resume();
    const call = async (method: string, ...params: unknown[]): Promise<unknown> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const response = await fetch(url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      return response.json();
    };
    expect(await call('eth_chainId')).toMatchObject({ result: '0x21' });
    const tracer = '{ step() {}, fault() {}, result() { return 6 * 7; } }';
    const traced = await call('debug_traceCall', { to: `0x${'11'.repeat(20)}` }, 'latest', { tracer });
    expect(traced).toMatchObject({ result: 42 });
    const explorer = await fetch(`${url}/`, { headers: { accept: 'text/html' } });
    expect(await explorer.text()).toContain('<!doctype html>');
    node.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect(existsSync(join(clone, 'dist'))).toBe(false);
  });
});
