import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { Dice } from '../fuzz/engines/dice.ts';
import { equivalentChange } from './equivalent.ts';
import { Imports } from './imports.ts';
import { applyMutant, type Mutant, mutantsOf } from './mutants.ts';
import { ProjectCopy } from './project-copy.ts';
import { type Candidate, ReachMap } from './reach-map.ts';

const USAGE = `Usage: npm run test:mutation -- [--count <number>] [--seed <number>] [--path <part of a path>] [--minimum <percent>]
                                [--seconds <number>] [--skip <number>] [--nearest <number>]

Changes one place of src at a time, in a copy of the project, and runs the test files that run this place, those with the
fewest imports in between first, until a test fails. A change that no test notices is reported as survived, with the number
of files that were tried. The seed decides which places are changed; --path limits them to files whose path contains it;
--seconds leaves out the test files farthest away, of those that together take longer (as long as you like by default);
--skip leaves out the first changes of the seed, to go on with a run that was ended; --nearest takes that many test files by
their imports alone, so that nothing needs to be recorded, and those that start the built program notice nothing. Exits
with 1 when fewer than --minimum percent (default 0) were noticed. Needs a build.

Numbers become the next one; constants that bound something (MAX_…) become twice as large, since nobody relies on
one more (nor is "<" of these made "<="); those that set the pace of work (…_WORK, …_AT_ONCE) stay, as do numbers that
only types ask for, as in "list[index] ?? 0". Changes of which test/mutation/equivalent.ts says why nothing can notice them
are left out, and named.

At first all tests run once, with probes in the sources, to record what each test file runs. The record is kept in
node_modules/.cache until src changes, and goes on where it was ended; a test file that changes is recorded anew alone.
Test files that fail without a change are named and left out, those of test/scale, and of Hardhat and prool in test/clients, always: they need programs
and packages of their own. What a module computes once, at the first need, is recorded only for the first test file of a
thread.`;

/** The nearest test files run first: groups that take about so many seconds together, the last size for all further. */
const GROUP_SECONDS = [8, 60, 300];
/** Tests hang, which counts as noticed, when a group takes longer than this: so many seconds, and so many times as long. */
const PATIENCE = { seconds: 120, times: 6 };
/** Tests that need nginx, or install projects with hundreds of packages. */
const TESTS_LEFT_OUT = /^test\/(scale\/|clients\/(hardhat|prool))/;
/** Generated sources, and the interpreter's own, which are compiled by a build of their own. */
const LEFT_ALONE = /\/(generated|assembly)\/|predeploy-state\.ts$/;

const VITEST_OPTIONS = ['--config', 'test/config/vitest.config.ts', '--bail=1', '--testTimeout=60000'];

/** Returns the paths of the project's own TypeScript files, without those of packages that tests have installed. */
function typeScriptIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.split(sep).includes('node_modules'))
    .map((path) => join(folder, path))
    .sort();
}

function secondsOf(tests: readonly Candidate[]): number {
  return tests.reduce((total, { seconds }) => total + seconds, 0);
}

/** Splits test files into groups, of which each takes about as long as its size says, and has one file at least. */
function groupsOf(tests: readonly Candidate[]): Candidate[][] {
  const groups: Candidate[][] = [];
  for (const test of tests) {
    const group = groups.at(-1);
    const size = GROUP_SECONDS[Math.min(groups.length, GROUP_SECONDS.length) - 1] ?? 0;
    if (group === undefined || secondsOf(group) + test.seconds > size) groups.push([test]);
    else group.push(test);
  }
  return groups;
}

/** Resolves to the words for how the tests notice the change that the copy has, or to `undefined` when they do not. */
async function noticedBy(copy: ProjectCopy, tests: readonly Candidate[]): Promise<string | undefined> {
  let isBuilt = false;
  for (const group of groupsOf(tests)) {
    if (!isBuilt && group.some(({ needsBuild }) => needsBuild)) {
      if (!(await copy.build())) return 'the build';
      isBuilt = true;
    }
    const files = group.map(({ path }) => path);
    const patience = PATIENCE.seconds + PATIENCE.times * secondsOf(group);
    const results = await copy.runTests(files, VITEST_OPTIONS, patience);
    if (results === undefined) return `${files.join(' ')}: hangs`;
    const failed = results.find(({ failure }) => failure !== undefined);
    if (failed !== undefined) return `${failed.path}: ${failed.failure}`;
  }
  return undefined;
}

function describeMutant(path: string, { line, original, replacement }: Mutant): string {
  const short = (text: string): string =>
    (text.length > 60 ? `${text.slice(0, 60)}…` : text).replace(/\s+/g, ' ');
  return `${path}:${line}: ${short(original)} -> ${short(replacement)}`;
}

/** Returns the nearest test files that take no longer than the seconds. */
function within(tests: readonly Candidate[], seconds: number): readonly Candidate[] {
  let left = seconds;
  return tests.filter((test) => {
    left -= test.seconds;
    return left >= 0;
  });
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      path: { type: 'string', default: '' },
      minimum: { type: 'string', default: '0' },
      skip: { type: 'string', default: '0' },
      seconds: { type: 'string', default: String(Number.MAX_SAFE_INTEGER) },
      nearest: { type: 'string', default: '0' },
      help: { type: 'boolean', default: false },
    },
  });
  const numbers = [
    values.count,
    values.seed,
    values.minimum,
    values.seconds,
    values.skip,
    values.nearest,
  ].map(Number);
  const [count = 0, seed = 0, minimum = 0, seconds = 0, skip = 0, nearest = 0] = numbers;
  if (values.help || !numbers.every(Number.isSafeInteger)) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const sources = typeScriptIn('src').filter((path) => !LEFT_ALONE.test(path));
  const testFiles = typeScriptIn('test');
  const tests = testFiles.filter((path) => path.endsWith('.test.ts') && !TESTS_LEFT_OUT.test(path));
  const places = sources
    .filter((path) => path.includes(values.path))
    .flatMap((path) => mutantsOf(readFileSync(path, 'utf8')).map((mutant) => ({ path, mutant })));
  const dice = new Dice(seed);
  const copy = new ProjectCopy();
  process.once('exit', () => copy.remove());
  const reach = new ReachMap(sources, new Imports([...sources, ...testFiles]));
  if (nearest === 0) {
    const recorded = await reach.record(tests, copy);
    process.stdout.write(`recorded ${recorded} of ${tests.length} test files\n`);
  }
  for (const test of reach.failing) process.stdout.write(`LEFT OUT ${test}: it fails without a change\n`);
  for (let skipped = 0; skipped < skip; skipped += 1) places.splice(dice.below(places.length), 1);
  const survived: string[] = [];
  let total = 0;
  while (total < count) {
    const [place] = places.splice(dice.below(places.length), 1);
    if (place === undefined) break;
    const { path, mutant } = place;
    const source = readFileSync(path, 'utf8');
    const words = describeMutant(path, mutant);
    const equivalent = equivalentChange(path, source, mutant);
    if (equivalent !== undefined) {
      process.stdout.write(`LEFT OUT ${words}: ${equivalent.reason}\n`);
      continue;
    }
    total += 1;
    copy.write(path, applyMutant(source, mutant));
    const candidates =
      nearest === 0 ? reach.candidatesFor(path, mutant.start) : reach.nearest(path, tests, nearest);
    const tried = within(candidates, seconds);
    const noticed = await noticedBy(copy, tried);
    copy.restore([path]);
    if (noticed === undefined) survived.push(words);
    const outcome =
      noticed === undefined
        ? `SURVIVED ${words} (${tried.length} of ${candidates.length} test files that run it)`
        : `noticed  ${words} (${noticed.split('\n', 1)[0]})`;
    process.stdout.write(`${outcome}\n`);
  }
  const percent = total === 0 ? 100 : (100 * (total - survived.length)) / total;
  process.stdout.write(
    `seed ${seed}: ${total - survived.length} of ${total} noticed (${percent.toFixed(1)} %)\n`,
  );
  return percent < minimum ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

process.exitCode = await main();
