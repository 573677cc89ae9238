import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { Dice } from '../fuzz/engines/dice.ts';
import { type Candidate, nearestTests, unrecorded } from './candidates.ts';
import { equivalentChange } from './equivalent.ts';
import { Imports } from './imports.ts';
import { applyMutant, mutantsOf } from './mutants.ts';
import { ProjectCopy } from './project-copy.ts';
import { ReachMap } from './reach-map.ts';
import { describeMutant, type Selection, summaryText, survivorText } from './report.ts';

const USAGE = `Usage: npm run tool -- test:mutation [option...]

Changes one place of src at a time, in a copy of the project, and runs test files until a test fails. A change that no
test detects is a survivor. Needs a build.

Options:
  --count <number>      Number of changes (default 100)
  --seed <number>       Selects the changes (default 1)
  --path <text>         Change only files with this text in their path
  --skip <number>       Leave out the first changes of the seed, to continue an ended run
  --seconds <number>    Run only the nearest test files, up to this total duration (default no limit)
  --nearest <number>    Run all tests of the changed module, then this number of the nearest other tests
  --whole-suite         Run all test files, with a build of the changed source
  --minimum <percent>   Exit with code 1 if the tests detect fewer changes (default 0)

Test files: by default, the program runs the test files that run the changed place, the nearest first. The first run
records these places: it runs all tests once, with probes in the sources. The record stays in node_modules/.cache until
src changes. An ended recording continues, and a changed test file is recorded again. A value that a module computes
once is recorded only for the first test file of a thread.

--nearest needs no record, because it reads only the imports. Tests that start the built program cannot detect a change
then. Each survivor is printed with the command that runs the whole suite for this change.

Changes: a number becomes the next number. A limit (MAX_…) is doubled, and its "<" does not become "<=",
because no code depends on one more. Slice sizes (…_WORK, …_AT_ONCE) and defaults that only the types require
("list[index] ?? 0") do not change. test/mutation/equivalent.ts lists changes that no test can detect, with the reasons.

Left out: tests that fail without a change, and tests that need other programs or large packages. These are test/scale,
test/container, test/examples, and the tests of Hardhat and prool in test/clients.`;

/** Seconds per group of test files, the nearest first. The last size is for all further groups. */
const GROUP_SECONDS = [8, 60, 300];
/** Time limit of a group: these seconds, and this multiple of its recorded duration. A group over the limit detects the change. */
const PATIENCE = { seconds: 120, times: 6 };
/** Tests that need other programs, or that install projects with hundreds of packages. */
const TESTS_LEFT_OUT = /^test\/((scale|container|examples)\/|clients\/(hardhat|prool))/;
/** Generated sources, and the sources of the interpreter, which has its own compiler. */
const LEFT_ALONE = /\/(generated|assembly)\/|predeploy-state\.ts$/;

const VITEST_OPTIONS = ['--config', 'test/config/vitest.config.ts', '--bail=1', '--testTimeout=60000'];

/** Returns the paths of the TypeScript files in a folder, without packages that tests installed. */
function typeScriptIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.split(sep).includes('node_modules'))
    .map((path) => join(folder, path))
    .sort();
}

function secondsOf(tests: readonly Candidate[]): number {
  return tests.reduce((total, { seconds }) => total + seconds, 0);
}

/** Splits test files into groups of about the seconds in `GROUP_SECONDS`. A group has at least one file. */
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

/** Resolves to the failure that detects the change in the copy, or to `undefined`. */
async function detectedBy(copy: ProjectCopy, tests: readonly Candidate[]): Promise<string | undefined> {
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

/** Returns the first test files that together take at most the seconds. */
function within(tests: readonly Candidate[], seconds: number): readonly Candidate[] {
  let left = seconds;
  return tests.filter((test) => {
    left -= test.seconds;
    return left >= 0;
  });
}

/** The parts of the project that a run reads, and its copy. */
interface Project {
  readonly sources: readonly string[];
  readonly tests: readonly string[];
  readonly imports: Imports;
  readonly copy: ProjectCopy;
}

/** Returns a function that returns the test files for a change. Records first if the selection needs a record. */
async function candidateFinder(
  { kind }: Selection,
  nearest: number,
  { sources, tests, imports, copy }: Project,
): Promise<(path: string, position: number) => readonly Candidate[]> {
  if (kind === 'recorded') {
    const reach = new ReachMap(sources, imports);
    const recorded = await reach.record(tests, copy);
    process.stdout.write(`recorded ${recorded} of ${tests.length} test files\n`);
    for (const test of reach.failing) process.stdout.write(`LEFT OUT ${test}: it fails without a change\n`);
    return (path, position) => reach.candidatesFor(path, position);
  }
  return (path) => {
    const { own, others } = nearestTests(path, tests, imports.importersOf(path));
    if (kind === 'nearest') return unrecorded([...own, ...others.slice(0, nearest)], false);
    return unrecorded([...new Set([...own, ...others, ...tests])], true);
  };
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
      'whole-suite': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { help, path: pathPart, 'whole-suite': isWholeSuite } = values;
  const texts = [values.count, values.seed, values.minimum, values.seconds, values.skip, values.nearest];
  const numbers = texts.map(Number);
  const [count = 0, seed = 0, minimum = 0, seconds = 0, skip = 0, nearest = 0] = numbers;
  if (help || !numbers.every(Number.isSafeInteger)) {
    process.stdout.write(`${USAGE}\n`);
    return help ? 0 : 2;
  }
  const selection: Selection = { kind: isWholeSuite ? 'whole-suite' : nearest > 0 ? 'nearest' : 'recorded' };
  const sources = typeScriptIn('src').filter((path) => !LEFT_ALONE.test(path));
  const testFiles = typeScriptIn('test');
  const tests = testFiles.filter((path) => path.endsWith('.test.ts') && !TESTS_LEFT_OUT.test(path));
  const places = sources
    .filter((path) => path.includes(pathPart))
    .flatMap((path) => mutantsOf(readFileSync(path, 'utf8')).map((mutant) => ({ path, mutant })));
  const dice = new Dice(seed);
  const copy = new ProjectCopy();
  process.once('exit', () => copy.remove());
  const imports = new Imports([...sources, ...testFiles]);
  const candidatesFor = await candidateFinder(selection, nearest, { sources, tests, imports, copy });
  for (let skipped = 0; skipped < skip; skipped += 1) places.splice(dice.below(places.length), 1);
  let [total, survived] = [0, 0];
  for (let drawn = skip; total < count; drawn += 1) {
    const [place] = places.splice(dice.below(places.length), 1);
    if (place === undefined) break;
    const { path, mutant } = place;
    const source = readFileSync(path, 'utf8');
    const change = describeMutant(path, mutant);
    const equivalent = equivalentChange(path, source, mutant);
    if (equivalent !== undefined) {
      process.stdout.write(`LEFT OUT ${change}: ${equivalent.reason}\n`);
      continue;
    }
    total += 1;
    copy.write(path, applyMutant(source, mutant));
    const candidates = candidatesFor(path, mutant.start);
    const tried = within(candidates, seconds);
    const failure = await detectedBy(copy, tried);
    copy.restore([path]);
    if (failure === undefined) {
      survived += 1;
      const numbers = { ran: tried.length, selected: candidates.length };
      const choice = { seed, path: pathPart, skip: drawn };
      process.stdout.write(`${survivorText(change, selection, numbers, choice)}\n`);
    } else process.stdout.write(`detected ${change} (${failure.split('\n', 1)[0]})\n`);
  }
  process.stdout.write(`${summaryText(seed, selection, total, survived)}\n`);
  return total > 0 && 100 * (total - survived) < minimum * total ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

process.exitCode = await main();
