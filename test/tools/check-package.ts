// Checks the package as it is published: `npm run check:package`, after a build. It is packed and unpacked, and then
// publint and attw look at its description, TypeScript compiles what its users write (fixtures/types), and its parts are
// measured (test/config/size-budget.json).
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { overBudget, sizesOf } from './size-budget.ts';

const run = promisify(execFile);
const project = resolve('.');
const binary = (name: string): string => join(project, 'node_modules', '.bin', name);

/** How TypeScript is told to find the package: the file that is compiled, and the options. */
const CONSUMERS = [
  ['consumer.mts', '--module', 'node16', '--moduleResolution', 'node16'],
  ['consumer.cts', '--module', 'node16', '--moduleResolution', 'node16'],
  ['consumer.ts', '--module', 'preserve', '--moduleResolution', 'bundler'],
  // The module resolution of Hardhat 2's projects: it reads no `exports`.
  ['consumer.ts', '--module', 'commonjs', '--moduleResolution', 'node10'],
] as const;

/** Entries that are ES modules alone, as the runner is that loads them. */
const MODULES_ONLY = ['hardhat'];

/** Returns what a command printed when it failed; nothing when it did not. */
async function complaintsOf(command: string, options: readonly string[], cwd: string): Promise<string[]> {
  try {
    await run(command, [...options], { cwd, env: { ...process.env, FORCE_COLOR: '0' } });
    return [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return [`${stdout}${stderr}`.trim() || error.message];
  }
}

/** Packs what is built into a folder and unpacks it as npm installs it; gives the path of the tarball. */
async function pack(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]);
  const [packed] = JSON.parse(stdout);
  const tarball = join(folder, packed.filename);
  const installed = join(folder, 'node_modules', 'node-cli');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  return tarball;
}

/** Compiles what users write, without any other package beside node-cli, so that its types need none. */
async function complaintsOfTypes(folder: string): Promise<string[]> {
  for (const name of new Set(CONSUMERS.map(([name]) => name)))
    await cp(join(project, 'fixtures', 'types', 'consumer.ts'), join(folder, name));
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
  const complaints: string[] = [];
  for (const [name, ...options] of CONSUMERS) {
    const strict = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022'];
    for (const text of await complaintsOf(binary('tsc'), [...strict, ...options, name], folder))
      complaints.push(`${options.join(' ')} ${name}\n${text}`);
  }
  return complaints;
}

async function complaintsOfSizes(folder: string, tarball: string): Promise<string[]> {
  const sizes = await sizesOf(tarball, join(folder, 'node_modules', 'node-cli'));
  for (const [name, size] of Object.entries(sizes))
    process.stdout.write(`${String(size).padStart(9)} ${name}\n`);
  const lines = overBudget(sizes, JSON.parse(await readFile('test/config/size-budget.json', 'utf8')));
  return lines.map(
    (line) => `${line}; a larger budget in test/config/size-budget.json needs a reason in its commit`,
  );
}

async function main(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'node-cli-package-'));
  try {
    const tarball = await pack(folder);
    const checks: readonly (readonly [string, Promise<string[]>])[] = [
      ['publint', complaintsOf(binary('publint'), ['run', tarball, '--strict'], project)],
      [
        'attw',
        complaintsOf(
          binary('attw'),
          [tarball, '--format', 'ascii', '--exclude-entrypoints', ...MODULES_ONLY],
          project,
        ),
      ],
      ['types', complaintsOfTypes(folder)],
      ['size', complaintsOfSizes(folder, tarball)],
    ];
    let failed = 0;
    for (const [name, check] of checks) {
      const complaints = await check;
      process.stdout.write(`${complaints.length === 0 ? 'ok' : 'failed'}: ${name}\n`);
      for (const complaint of complaints) process.stdout.write(`${complaint}\n`);
      failed += complaints.length;
    }
    return failed === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
