import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Imports } from './imports.ts';
import type { ProjectCopy } from './project-copy.ts';
import { regionAt, regionsOf, withProbes } from './regions.ts';

const CACHE = 'node_modules/.cache/node-cli/mutation-reach.json';
const OPTIONS = ['--config', 'test/config/vitest.config.ts', '--testTimeout=120000'];
/** How long tests that are run together may take with probes, in seconds. */
const PATIENCE = 3 * 3600;
/** How long a test file is thought to take of which nothing is recorded. */
const ASSUMED_SECONDS = 4;
/** Test files that are run together, of which the record is written before the next ones. */
const TESTS_AT_ONCE = 40;

/**
 * Sources that run where nothing is recorded, and the tests that run them there: in the page that a browser shows, and in a thread
 * that has no environment.
 */
const UNRECORDED = [
  { sources: /^src\/explorer\//, tests: /^test\/browser\// },
  { sources: /^src\/evm\/javascript-tracer\//, tests: /javascript-tracer/ },
] as const;

/** The facts of one test file. */
interface TestReach {
  /** Of the test file and the files of `test` that it imports. */
  readonly digest: string;
  readonly seconds: number;
  /** Whether the file fails without any change of `src`. */
  readonly fails: boolean;
  /** The regions that its thread runs. */
  readonly inThread: readonly number[];
  /** The regions that programs run which it starts. */
  readonly inProgram: readonly number[];
}

interface Cache {
  /** Of all sources. */
  readonly digest: string;
  readonly tests: Readonly<Record<string, TestReach>>;
}

/** A test file that may notice a change. */
export interface Candidate {
  readonly path: string;
  readonly seconds: number;
  readonly needsBuild: boolean;
}

function digestOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths.toSorted()) hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}

/** Which test files run which regions of the sources, recorded once and kept until the sources change. */
export class ReachMap {
  readonly #sources: readonly string[];
  readonly #imports: Imports;
  /** The index of the first region of each source, among the regions of all. */
  readonly #first = new Map<string, number>();
  readonly #count: number;
  #tests: Readonly<Record<string, TestReach>> = {};

  constructor(sources: readonly string[], imports: Imports) {
    this.#sources = sources;
    this.#imports = imports;
    let count = 0;
    for (const path of sources) {
      this.#first.set(path, count);
      count += regionsOf(readFileSync(path, 'utf8')).length;
    }
    this.#count = count;
  }

  /** Runs the test files of which it is not known what they reach. Resolves to their number. */
  async record(tests: readonly string[], copy: ProjectCopy): Promise<number> {
    const digest = digestOf(this.#sources);
    const cache: Cache | undefined = existsSync(CACHE) ? JSON.parse(readFileSync(CACHE, 'utf8')) : undefined;
    const known = cache?.digest === digest ? cache.tests : {};
    const digests = new Map(
      tests.map((test) => [
        test,
        digestOf(
          this.#imports.closureOf(test).filter((path) => path.startsWith('test/') && existsSync(path)),
        ),
      ]),
    );
    const unknown = tests.filter((test) => known[test]?.digest !== digests.get(test));
    const kept = tests.flatMap((test) => {
      const reach = known[test];
      return reach === undefined || unknown.includes(test) ? [] : [[test, reach] as const];
    });
    this.#tests = Object.fromEntries(kept);
    if (unknown.length > 0) {
      for await (const recorded of this.#run(unknown, copy)) {
        const added = recorded.map(
          ([test, reach]) => [test, { ...reach, digest: digests.get(test) ?? '' }] as const,
        );
        this.#tests = { ...this.#tests, ...Object.fromEntries(added) };
        mkdirSync(dirname(CACHE), { recursive: true });
        writeFileSync(CACHE, JSON.stringify({ digest, tests: this.#tests } satisfies Cache));
      }
    }
    return unknown.length;
  }

  /** The test files that fail without any change. */
  get failing(): readonly string[] {
    return Object.keys(this.#tests).filter((test) => this.#tests[test]?.fails === true);
  }

  /**
   * Returns the test files that run the place of a source, those first from which fewer imports lead to it, then those
   * that take less time. What the import of the source runs is run by all that import it; those that run more of the
   * source come first, and those that may run it where nothing is recorded come last.
   */
  candidatesFor(source: string, position: number): readonly Candidate[] {
    const index = regionAt(regionsOf(readFileSync(source, 'utf8')), position);
    const region = index === undefined ? undefined : (this.#first.get(source) ?? 0) + index;
    const distances = this.#imports.importersOf(source);
    const own = new Set(this.#regionsIn(source));
    const runsUnrecorded = (test: string): boolean =>
      UNRECORDED.some(({ sources, tests }) => sources.test(source) && tests.test(test));
    const distanceOf = (test: string): number => distances.get(test) ?? Number.POSITIVE_INFINITY;
    return Object.entries(this.#tests)
      .filter(([, { fails }]) => !fails)
      .map(([path, { seconds, inThread, inProgram }]) => ({
        path,
        seconds,
        needsBuild:
          runsUnrecorded(path) ||
          (region === undefined ? inProgram.some((each) => own.has(each)) : inProgram.includes(region)),
        isInThread: region === undefined ? distances.has(path) : inThread.includes(region),
        runsSource: inThread.some((each) => own.has(each)),
      }))
      .filter(({ needsBuild, isInThread }) => needsBuild || isInThread)
      .sort((left, right) => {
        if (left.runsSource !== right.runsSource) return left.runsSource ? -1 : 1;
        const [leftDistance, rightDistance] = [distanceOf(left.path), distanceOf(right.path)];
        return leftDistance === rightDistance ? left.seconds - right.seconds : leftDistance - rightDistance;
      });
  }

  /**
   * Returns that many of the tests from which the fewest imports lead to the source, without any record: those of the same room
   * first, where as many lead there from others. Tests that start the built program do not see what is changed.
   */
  nearest(source: string, tests: readonly string[], count: number): readonly Candidate[] {
    const distances = this.#imports.importersOf(source);
    const room = source.split('/')[1] ?? '';
    const orderOf = (test: string): number =>
      2 * (distances.get(test) ?? 0) - (test.startsWith(`test/${room}/`) ? 1 : 0);
    return tests
      .filter((test) => distances.has(test))
      .sort((left, right) => orderOf(left) - orderOf(right))
      .slice(0, count)
      .map((path) => ({ path, seconds: ASSUMED_SECONDS, needsBuild: false }));
  }

  #regionsIn(source: string): number[] {
    const first = this.#first.get(source) ?? 0;
    return regionsOf(readFileSync(source, 'utf8')).map((_, index) => first + index);
  }

  /**
   * Runs test files with probes in the sources, a part of them at a time, and those that fail so once more without. Gives what
   * each part has reached, so that a record that is ended goes on where it was.
   */
  async *#run(
    tests: readonly string[],
    copy: ProjectCopy,
  ): AsyncGenerator<readonly (readonly [test: string, reach: Omit<TestReach, 'digest'>])[]> {
    for (const path of this.#sources)
      copy.write(path, withProbes(readFileSync(path, 'utf8'), this.#first.get(path) ?? 0));
    if (!(await copy.build())) throw new Error('the sources with probes do not build');
    const failed = new Map<string, Omit<TestReach, 'digest'>>();
    for (let start = 0; start < tests.length; start += TESTS_AT_ONCE) {
      const reached = await this.#runPart(tests.slice(start, start + TESTS_AT_ONCE), copy);
      for (const [test, reach] of reached) if (reach.fails) failed.set(test, reach);
      yield reached.filter(([, { fails }]) => !fails);
    }
    copy.restore(this.#sources);
    if (failed.size === 0) return;
    const again = await copy.runTests([...failed.keys()], OPTIONS, PATIENCE);
    const passed = new Set(again?.filter(({ failure }) => failure === undefined).map(({ path }) => path));
    yield Array.from(failed, ([test, reach]) => [test, { ...reach, fails: !passed.has(test) }] as const);
  }

  async #runPart(
    tests: readonly string[],
    copy: ProjectCopy,
  ): Promise<(readonly [test: string, reach: Omit<TestReach, 'digest'>])[]> {
    const reachedFile = join(copy.folder, 'reached.txt');
    // Empty for test files that run no source, which write nothing.
    writeFileSync(reachedFile, '');
    const results = await copy.runTests(tests, [...OPTIONS, '--mode=reach'], PATIENCE, {
      NODE_OPTIONS: `--import=${resolve('test/mutation/record-reached.mjs')}`,
      REACHED_FILE: reachedFile,
      REACHED_COUNT: String(this.#count),
    });
    if (results === undefined) throw new Error('the tests with probes did not come to an end');
    const regions = new Map<string, Set<number>>();
    for (const line of readFileSync(reachedFile, 'utf8').split('\n')) {
      const [where, region, test] = line.split(' ');
      const key = `${where} ${test}`;
      regions.set(key, (regions.get(key) ?? new Set()).add(Number(region)));
    }
    return results.map(({ path, seconds, failure }) => [
      path,
      {
        seconds,
        fails: failure !== undefined,
        inThread: [...(regions.get(`thread ${path}`) ?? [])],
        inProgram: [...(regions.get(`program ${path}`) ?? [])],
      },
    ]);
  }
}
