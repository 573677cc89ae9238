import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { answerAt } from '../support/json-rpc.ts';
import { packedPackage } from '../support/packed-package.ts';
import { REPOSITORY } from '../support/repository.ts';

/** The environment of a user's shell, without the variables that `npm test` adds. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_CLI|INIT_CWD|NODE_ENV)/i.test(name)),
);

function npm(folder: string, ...options: readonly string[]): string {
  return execFileSync('npm', options, { cwd: folder, env: environment, encoding: 'utf8', stdio: 'pipe' });
}

describe('npm package', () => {
  let folder = '';
  let files: string[] = [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'node-cli-'));
    // The build exists. The scripts would rebuild it while other tests use it.
    const packed = packedPackage(
      npm(REPOSITORY, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder),
    );
    files = packed.files.map(({ path }) => path);
    npm(
      folder,
      'install',
      '--no-audit',
      '--no-fund',
      '--omit=optional',
      '--prefer-offline',
      join(folder, packed.filename),
    );
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('contains only the command, the bundle and its documents', () => {
    const isOfPage = (path: string): boolean => /^dist\/page\/(?:[\w.-]+\.gz|manifest\.json)$/.test(path);
    const others = files.filter(
      (path) => !isOfPage(path) && !/^dist\/.*(\.c?js(\.LEGAL\.txt)?|\.d\.c?ts)$/.test(path),
    );
    expect(others.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin/index.mjs',
      'bin/node-cli.js',
      'bin/package.json',
      'bin/require.cjs',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/kzg/trusted-setup.bin',
      'dist/llms-full.txt',
      'dist/llms.txt',
      'dist/node-cli.vsix',
      'dist/sbom.json',
      'package.json',
    ]);
    expect(files).toContain('dist/cli/main.js');
    for (const name of ['index.html.gz', 'icon.svg.gz', 'manifest.json'])
      expect(files).toContain(`dist/page/${name}`);
    // Each entry has its own declaration file, and there are no others.
    const { exports } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'));
    const entries = JSON.stringify(exports).match(/dist\/[\w/-]+\.d\.c?ts/g) ?? [];
    expect(files.filter((path) => /\.d\.c?ts$/.test(path)).sort()).toEqual([...new Set(entries)].sort());
  });

  const QUESTION = `createNode({ chainId: 44 })
    .then((node) => node.request({ method: 'eth_chainId' }))
    .then(console.log)`;

  it.each([
    ['import', 'ask.mjs', `import { createNode } from 'node-cli';\n${QUESTION}`],
    ['require', 'ask.cjs', `const { createNode } = require('node-cli');\n${QUESTION}`],
  ])('createNode works with %s', (_, name, code) => {
    writeFileSync(join(folder, name), code);
    expect(execFileSync(process.execPath, [name], { cwd: folder, encoding: 'utf8' })).toBe('0x2c\n');
  });

  it('prints at most one line of its code with an uncaught error', () => {
    const code = "import { createNode } from 'node-cli';\nawait createNode({ acounts: 2 });";
    writeFileSync(join(folder, 'mistaken.mjs'), code);
    const { stderr } = spawnSync(process.execPath, ['mistaken.mjs'], { cwd: folder, encoding: 'utf8' });
    expect(stderr).toContain('unknown option acounts');
    const [beforeMessage = ''] = stderr.split('UsageError');
    expect(beforeMessage.length).toBeLessThan(2_000);
  });

  it('throws an error with a remedy in a program that a bundler made', async () => {
    writeFileSync(join(folder, 'bundled.mjs'), `import { createNode } from 'node-cli';\n${QUESTION}`);
    const apart = mkdtempSync(join(tmpdir(), 'node-cli-bundled-'));
    onTestFinished(() => rmSync(apart, { recursive: true, force: true }));
    await build({
      entryPoints: [join(folder, 'bundled.mjs')],
      outfile: join(apart, 'bundled.cjs'),
      bundle: true,
      format: 'cjs',
      platform: 'node',
      logLevel: 'error',
    });
    const { stderr } = spawnSync(process.execPath, ['bundled.cjs'], { cwd: apart, encoding: 'utf8' });
    expect(stderr).toMatch(
      /main\.js is missing; reinstall node-cli, or, if a bundler has moved its code, mark node-cli as external/,
    );
  });

  it('gives one to a program that a bundler made with node-cli as external', async () => {
    writeFileSync(join(folder, 'beside.mjs'), `import { createNode } from 'node-cli';\n${QUESTION}`);
    await build({
      entryPoints: [join(folder, 'beside.mjs')],
      outfile: join(folder, 'beside-bundled.mjs'),
      bundle: true,
      format: 'esm',
      platform: 'node',
      external: ['node-cli'],
      logLevel: 'error',
    });
    const options = { cwd: folder, encoding: 'utf8' } as const;
    expect(execFileSync(process.execPath, ['beside-bundled.mjs'], options)).toBe('0x2c\n');
  });

  it('the package has types for ES modules and CommonJS', () => {
    const names = ['types.mts', 'types.cts'];
    const program = `import { createNode, type LocalNode, type LocalServer, type LocalSnapshot } from 'node-cli';
      export async function use(): Promise<unknown> {
        const node: LocalNode = await createNode({ accounts: 2, coinbase: '0x00', blockTime: 1.5 });
        const snapshot: LocalSnapshot = await (await node.fork({ block: 0n })).snapshot();
        await snapshot.revert();
        const server: LocalServer = await node.listen({ lanes: true });
        node.on('consoleLog', ({ text }) => text.trim());
        // @ts-expect-error there is no such option
        await createNode({ acounts: 2 });
        return server.url;
      }`;
    for (const name of names) writeFileSync(join(folder, name), program);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
    const compiler = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
    const run = spawnSync(process.execPath, [compiler, ...options, ...names], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(run.stdout).toBe('');
    expect(run.status).toBe(0);
  });

  it('the viem chain definition has no imports, so that web pages can use it', () => {
    const question = "import('node-cli/viem').then((module) => console.log(module.localNetwork33.id))";
    const answer = execFileSync(process.execPath, ['-e', question], { cwd: folder, encoding: 'utf8' });
    expect(answer).toBe('33\n');
    const code = readFileSync(join(folder, 'node_modules', 'node-cli', 'dist', 'viem.js'), 'utf8');
    expect(code).not.toMatch(/\bimport\b|\brequire\b/);
  });

  /**
   * Starts a command of the folder in its own process group, waits for its URL, and requests the chain id.
   */
  async function startAndAsk(command: string, ...options: readonly string[]) {
    const child = spawn(command, options, { cwd: folder, env: environment, detached: true });
    let printed = '';
    child.stderr.on('data', (chunk) => {
      printed += chunk;
    });
    const ended = once(child, 'close');
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (chunk) => {
        printed += chunk;
        const found = /Listening on (http:\S+)\n/.exec(printed)?.[1];
        if (found !== undefined) resolve(found);
      });
      ended.then(() => reject(new Error(`it ended: ${printed}`)));
    });
    expect(await answerAt(url, 'eth_chainId')).toEqual({ jsonrpc: '2.0', id: 1, result: '0x21' });
    /** Sends Ctrl-C to every process of the group, like a keyboard. */
    const interrupt = (): boolean => process.kill(-(child.pid ?? 0), 'SIGINT');
    return { url, ended, interrupt };
  }

  it('works from a read-only folder with any name, under another package name', () => {
    // Away from the package under its own name, because Node would resolve that one.
    const away = mkdtempSync(join(tmpdir(), 'Größe & Maß '));
    onTestFinished(() => rmSync(away, { recursive: true, force: true }));
    const other = join(away, 'node_modules', '@owner', 'own-node');
    cpSync(join(folder, 'node_modules', 'node-cli'), other, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(other, 'package.json'), 'utf8'));
    writeFileSync(join(other, 'package.json'), JSON.stringify({ ...manifest, name: '@owner/own-node' }));
    chmodSync(join(other, 'dist'), 0o555);
    // Only root can remove files of a read-only folder.
    onTestFinished(() => chmodSync(join(other, 'dist'), 0o755));
    const code = `
      const { default: setup } = require('./node_modules/@owner/own-node/dist/runners/jest-global-setup.cjs');
      const { default: teardown } = require('./node_modules/@owner/own-node/dist/runners/jest-global-teardown.cjs');
      require('@owner/own-node/jest').nodeCli({ node: { chainId: 77 } });
      setup({}, { rootDir: process.cwd() })
        .then(() => require('@owner/own-node/jest').lane.request({ method: 'eth_chainId' }))
        .then((id) => { console.log(id); return teardown(); });`;
    const options = { cwd: away, env: environment, encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', code], options);
    expect({ stdout, stderr }).toEqual({ stdout: '0x4d\n', stderr: '' });
  });

  it('npx node-cli starts in an empty folder and stops at Ctrl-C', async () => {
    const { url, ended, interrupt } = await startAndAsk('npx', 'node-cli', 'start', '--port', '0');
    interrupt();
    // The exit code of npx is not checked.
    await ended;
    await expect(fetch(url)).rejects.toThrow();
  });

  it('node-cli exits with code 0 at Ctrl-C', async () => {
    const { ended, interrupt } = await startAndAsk(join('node_modules', '.bin', 'node-cli'), '--port', '0');
    interrupt();
    expect((await ended)[0]).toBe(0);
  });
});
