import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Candidate } from './candidates.ts';
import type { Imports } from './imports.ts';
import type { ProjectCopy } from './project-copy.ts';
import { regionAt, regionsOf, withProbes } from './regions.ts';

const CACHE = 'node_modules/.cache/node-cli/mutation-reach.json';
const OPTIONS = ['--config', 'test/config/vitest.config.ts', '--testTimeout=120000'];
/** Time limit for one run of tests with probes, in seconds. */
const PATIENCE = 3 * 3600;
/** Test files per run. The record is written after each run. */
const TESTS_AT_ONCE = 40;

/**
 * Sources that run without a record, with their tests. They run in a page of the browser, or in a thread without environment
 * variables.
 */
const UNRECORDED = [
  { sources: /^src\/explorer\//, tests: /^test\/browser\// },
  { sources: /^src\/evm\/javascript-tracer\//, tests: /javascript-tracer/ },
] as const;

/** The facts of one test file. */
interface TestReach {
  /** The hash of the test file and of the files in `test` that it imports. */
  readonly digest: string;
  readonly seconds: number;
  /** Whether the file fails without a change of `src`. */
  readonly fails: boolean;
  /** The regions that its thread runs. */
  readonly inThread: readonly number[];
  /** The regions that its child processes run. */
  readonly inProgram: readonly number[];
}

interface Cache {
  /** The hash of all sources. */
  readonly digest: string;
  readonly tests: Readonly<Record<string, TestReach>>;
}

function digestOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths.toSorted()) hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}

/** The regions of the sources that each test file runs, recorded once for each version of the sources. */
export class ReachMap {
  readonly #sources: readonly string[];
  readonly #imports: Imports;
  /** The index of the first region of each source, counted over all sources. */
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

  /** Runs the test files without a current record. Resolves to their number. */
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

  /** The test files that fail without a change. */
  get failing(): readonly string[] {
    return Object.keys(this.#tests).filter((test) => this.#tests[test]?.fails === true);
  }

  /**
   * Returns the test files that run a place of a source. Test files with a recorded region of the source come first. Test
   * files with fewer imports up to the source come before others, then shorter test files. All files that import the source
   * run the code outside its regions. Test files without a record come last.
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

  #regionsIn(source: string): number[] {
    const first = this.#first.get(source) ?? 0;
    return regionsOf(readFileSync(source, 'utf8')).map((_, index) => first + index);
  }

  /**
   * Runs test files in parts, with probes in the sources. Yields the record of each part, so that an ended recording can
   * continue. Runs failed files again without probes.
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
    // Test files that run no source write nothing.
    writeFileSync(reachedFile, '');
    const results = await copy.runTests(tests, [...OPTIONS, '--mode=reach'], PATIENCE, {
      NODE_OPTIONS: `--import=${resolve('test/mutation/record-reached.mjs')}`,
      REACHED_FILE: reachedFile,
      REACHED_COUNT: String(this.#count),
    });
    if (results === undefined) throw new Error('the tests with probes did not end');
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
