import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Dice } from '../fuzz/engines/dice.ts';
import { applyMutant, type Mutant, mutantsOf } from './mutants.ts';
import { nearestTests } from './nearest-tests.ts';

const USAGE = `Usage: npm run test:mutation -- [--count <number>] [--seed <number>] [--path <part of a path>] [--minimum <percent>]

Changes one place of src at a time, in a copy of the project, and runs the tests until one fails. A change that no test
notices is reported as survived. The seed decides which places are changed; --path limits them to files whose path
contains it. Exits with 1 when fewer than --minimum percent (default 0) were noticed. A change that survives takes as
long as all tests together. Needs a build, and tests that pass.`;

/** The tests nearest to the change run first, in groups of these sizes; the last group has all others. */
const GROUP_SIZES = [6, 24, 80];
/** Minutes after which a group of tests hangs, which counts as noticed. */
const GROUP_MINUTES = 30;
/** Generated sources, and the interpreter's own, which are compiled by a build of their own. */
const LEFT_ALONE = /\/(generated|assembly)\/|predeploy-state\.ts$/;

function typeScriptIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path))
    .sort();
}

/** Makes a copy of the project in the working directory, with the same installed packages. Returns its path. */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'node-cli-mutation-'));
  for (const part of readdirSync('.')) {
    if (part === 'node_modules') symlinkSync(resolve(part), join(copy, part));
    else if (part !== '.git') cpSync(part, join(copy, part), { recursive: true });
  }
  return copy;
}

/** Runs a command in a folder. Resolves to true when it ends well within the minutes. */
function succeeds(
  folder: string,
  command: string,
  args: readonly string[],
  minutes: number,
): Promise<boolean> {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd: folder, stdio: 'ignore', detached: true });
    const kill = (): void => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    };
    const timer = setTimeout(kill, minutes * 60_000);
    // The tests are in a process group of their own, so that a hanging one can be ended with all that it started.
    process.once('exit', kill);
    child.on('close', (code) => {
      clearTimeout(timer);
      process.removeListener('exit', kill);
      done(code === 0);
    });
  });
}

/** Resolves to true when a test of the project in the folder fails. */
async function isNoticed(folder: string, tests: readonly string[]): Promise<boolean> {
  const vitest = ['vitest', 'run', '--config', 'test/config/vitest.config.ts', '--bail=1'];
  let start = 0;
  for (const size of [...GROUP_SIZES, tests.length]) {
    const group = tests.slice(start, start + size);
    start += size;
    if (group.length === 0) return false;
    // The tests that are far away run the built program.
    const isLast = start >= tests.length;
    if (isLast && !(await succeeds(folder, 'node', ['src/build/bundle.mjs'], GROUP_MINUTES))) return true;
    if (!(await succeeds(folder, 'npx', [...vitest, ...group], GROUP_MINUTES))) return true;
  }
  return false;
}

function describeMutant(path: string, { line, original, replacement }: Mutant): string {
  const short = (text: string): string =>
    (text.length > 60 ? `${text.slice(0, 60)}…` : text).replace(/\s+/g, ' ');
  return `${path}:${line}: ${short(original)} -> ${short(replacement)}`;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      path: { type: 'string', default: '' },
      minimum: { type: 'string', default: '0' },
      help: { type: 'boolean', default: false },
    },
  });
  const [count, seed, minimum] = [values.count, values.seed, values.minimum].map(Number);
  if (values.help || ![count, seed, minimum].every(Number.isSafeInteger)) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const sources = typeScriptIn('src').filter((path) => !LEFT_ALONE.test(path));
  const testFiles = typeScriptIn('test');
  const tests = testFiles.filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/scale'));
  const places = sources
    .filter((path) => path.includes(values.path))
    .flatMap((path) => mutantsOf(readFileSync(path, 'utf8')).map((mutant) => ({ path, mutant })));
  const dice = new Dice(seed ?? 1);
  const folder = copyProject();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  let noticed = 0;
  const survived: string[] = [];
  while (noticed + survived.length < (count ?? 0) && places.length > 0) {
    const [place] = places.splice(dice.below(places.length), 1);
    if (place === undefined) break;
    const { path, mutant } = place;
    const source = readFileSync(path, 'utf8');
    writeFileSync(join(folder, path), applyMutant(source, mutant));
    const isKilled = await isNoticed(folder, nearestTests(path, [...sources, ...testFiles], tests));
    writeFileSync(join(folder, path), source);
    const words = describeMutant(path, mutant);
    if (isKilled) noticed += 1;
    else survived.push(words);
    process.stdout.write(`${isKilled ? 'noticed ' : 'SURVIVED'} ${words}\n`);
  }
  const total = noticed + survived.length;
  const percent = total === 0 ? 100 : (100 * noticed) / total;
  process.stdout.write(`seed ${seed}: ${noticed} of ${total} noticed (${percent.toFixed(1)} %)\n`);
  return percent < (minimum ?? 0) ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

process.exitCode = await main();
