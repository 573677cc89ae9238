// Checks the published package: `npm run tool -- check:package`, after a build. Packs and unpacks it. publint and attw
// check its package.json, and TypeScript compiles typical code of users (fixtures/types). dist/sbom.json must
// list all bundled packages. Sizes are compared with test/config/size-budget.json. The first run installs
// publint and attw.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { bundledPackages } from '../../src/build/bill-of-materials.ts';
import { installPackages } from '../support/installed-packages.ts';
import { packedPackage } from '../support/packed-package.ts';
import { overBudget, sizesOf } from './size-budget.ts';

const run = promisify(execFile);
const project = resolve('.');
const binary = (name: string, folder = project): string => join(folder, 'node_modules', '.bin', name);

/** The folder with the packages of this check alone. */
const CHECKERS = join(project, 'test', 'tools', 'package-check');

/** The compiled file, and the options of TypeScript for the module resolution. */
const CONSUMERS = [
  ['consumer.mts', '--module', 'node16', '--moduleResolution', 'node16'],
  ['consumer.cts', '--module', 'node16', '--moduleResolution', 'node16'],
  ['consumer.ts', '--module', 'preserve', '--moduleResolution', 'bundler'],
  // The module resolution of Hardhat 2 projects, which ignores `exports`.
  ['consumer.ts', '--module', 'commonjs', '--moduleResolution', 'node10'],
] as const;

/** Entries that are only ES modules, like their runner. */
const MODULES_ONLY = ['hardhat'];

/** Returns the output of a failed command; empty if it succeeds. */
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

/** Packs the build into a folder and unpacks it like npm. Returns the path of the tarball. */
async function pack(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]);
  const tarball = join(folder, packedPackage(stdout).filename);
  const installed = join(folder, 'node_modules', 'node-cli');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  return tarball;
}

/** Compiles typical code of users with no package besides node-cli, because its types must need none. */
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

/** Checks the bill of materials in the package. */
async function complaintsOfBill(folder: string): Promise<string[]> {
  const installed = join(folder, 'node_modules', 'node-cli', 'dist');
  const bill = JSON.parse(await readFile(join(installed, 'sbom.json'), 'utf8'));
  const listed = new Set(bill.components.map((one: { readonly 'bom-ref': string }) => one['bom-ref']));
  const bundled = bundledPackages(await readFile(join(installed, 'THIRD-PARTY-LICENSES.txt'), 'utf8'));
  return bundled.filter((name) => !listed.has(name)).map((name) => `dist/sbom.json lacks ${name}`);
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
  installPackages(CHECKERS);
  const folder = await mkdtemp(join(tmpdir(), 'node-cli-package-'));
  try {
    const tarball = await pack(folder);
    const checks: readonly (readonly [string, Promise<string[]>])[] = [
      ['publint', complaintsOf(binary('publint', CHECKERS), ['run', tarball, '--strict'], project)],
      [
        'attw',
        complaintsOf(
          binary('attw', CHECKERS),
          [tarball, '--format', 'ascii', '--exclude-entrypoints', ...MODULES_ONLY],
          project,
        ),
      ],
      ['types', complaintsOfTypes(folder)],
      ['bill of materials', complaintsOfBill(folder)],
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
