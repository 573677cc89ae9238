/** The root hooks of Mocha that give each test file its own chain. */

import { urlVariables } from '../../config/url-variables.ts';
import { FileLane, fileNameOf, laneKeyOf } from './file-lane.ts';
import type { RunFacts } from './run-facts.ts';
import { laneAt, type TestLane } from './test-lane.ts';

/** The lane of a process. Its test files run on it one after another. */
export class WorkLane {
  readonly #facts: RunFacts;
  readonly #key: string;
  readonly #base: TestLane;
  readonly #lane: TestLane;
  /** Number of lanes by file name. */
  readonly #named = new Map<string, number>();
  #current: { readonly path: string; readonly file: FileLane; readonly key: string } | null = null;

  /** `name` is unique in the run. */
  constructor(facts: RunFacts, name: string) {
    this.#facts = facts;
    this.#key = name;
    this.#base = laneAt(facts.url, null);
    this.#lane = laneAt(facts.url, name);
  }

  /** The environment variables with the URL of the lane. */
  get variables(): Readonly<Record<string, string>> {
    return urlVariables(this.#lane.url);
  }

  /** The current test file; `null` before the first and after the last one. */
  get current(): { readonly path: string; readonly file: FileLane } | null {
    return this.#current;
  }

  get #start(): TestLane {
    return laneAt(this.#facts.url, `${this.#key}~start`);
  }

  /**
   * Runs before the first hook of a file. Resets the lane to its state before the first file, which includes
   * the work of the root hooks. Does nothing if the file has not changed.
   */
  async begin(path: string): Promise<FileLane> {
    if (this.#current?.path === path) return this.#current.file;
    if (this.#current === null) await this.#keepStart();
    else {
      await this.#finish();
      await this.#start.fork(this.#key);
    }
    const name = fileNameOf(path, this.#facts.root);
    const count = (this.#named.get(name) ?? 0) + 1;
    this.#named.set(name, count);
    const key = laneKeyOf(count === 1 ? name : `${name}~${count}`);
    const file = await FileLane.on(this.#facts, name, this.#lane, key);
    this.#current = { path, file, key };
    return file;
  }

  async #keepStart(): Promise<void> {
    // The first call creates the lane.
    await this.#lane.request({ method: 'eth_chainId' });
    await this.#start.drop();
    await this.#lane.fork(`${this.#key}~start`);
  }

  async #finish(): Promise<void> {
    if (this.#current === null) return;
    const { file, key } = this.#current;
    await file.close();
    await laneAt(this.#facts.url, key).drop();
    await this.#base.request({ method: 'lane_rename', params: [this.#key, key] });
    this.#current = null;
  }

  /** Runs after all files. */
  async end(): Promise<void> {
    if (this.#current === null) return;
    await this.#finish();
    await this.#start.drop();
  }
}

/** The used part of a Mocha test or hook. */
interface MochaRunnable {
  readonly title: string;
  readonly file?: string | undefined;
  /** Undefined for a test that did not run because a hook failed. */
  readonly state?: string | undefined;
  readonly pending?: boolean;
  readonly parent?: MochaSuite | undefined;
  titlePath(): string[];
}

/** The used part of a Mocha suite. */
interface MochaSuite {
  readonly file?: string | undefined;
  readonly suites: readonly MochaSuite[];
  titlePath(): string[];
  beforeAll(title: string, action: () => Promise<unknown>): unknown;
  getHooks(name: string): MochaRunnable[];
}

/** The context of root hooks. */
interface MochaContext {
  readonly test?: MochaRunnable | undefined;
  readonly currentTest?: MochaRunnable | undefined;
}

export interface MochaHooks {
  beforeAll(this: MochaContext): void;
  beforeEach(this: MochaContext): Promise<void>;
  afterEach(this: MochaContext): Promise<void>;
  afterAll(this: MochaContext): Promise<void>;
}

/** Inserts an action before the suite's own hooks. */
function beforeAllOthers(suite: MochaSuite, action: () => Promise<unknown>): void {
  const hooks = suite.getHooks('beforeAll');
  suite.beforeAll('node-cli lane', action);
  const added = hooks.pop();
  if (added !== undefined) hooks.unshift(added);
}

/** The failed `before` hooks of a file in a suite and its inner suites, with the names of their suites. */
function failedHooks(suite: MochaSuite, path: string): string[] {
  const hooks = suite.file === path ? suite.getHooks('beforeAll') : [];
  const own = hooks.filter(({ state }) => state === 'failed');
  return [
    ...own.map(({ title }) => [...suite.titlePath(), title].join(' > ')),
    ...suite.suites.flatMap((each) => failedHooks(each, path)),
  ];
}

async function tell(file: FileLane, test: string): Promise<void> {
  process.stderr.write(`${await file.failed(test)}\n`);
}

/**
 * Returns the hooks for a process of a Mocha run. Sets the URL of its lane in the environment first, because
 * modules read it on import.
 */
export function mochaHooksOf(facts: RunFacts, environment: NodeJS.ProcessEnv): MochaHooks {
  const work = new WorkLane(facts, `mocha-${process.pid}`);
  Object.assign(environment, work.variables);
  let root: MochaSuite | null = null;
  /** Reports failed `before` hooks after a file, because they have no test that would report them. */
  const tellOfHooks = async (): Promise<void> => {
    if (root === null || work.current === null) return;
    for (const name of failedHooks(root, work.current.path)) await tell(work.current.file, name);
  };
  const enter = async (path: string): Promise<FileLane> => {
    if (work.current?.path !== path) await tellOfHooks();
    return work.begin(path);
  };
  return {
    beforeAll() {
      root = this.test?.parent ?? null;
      for (const suite of root?.suites ?? []) {
        const { file } = suite;
        if (file !== undefined) beforeAllOthers(suite, () => enter(file));
      }
    },
    async beforeEach() {
      const path = this.currentTest?.file;
      if (path !== undefined) await (await enter(path)).beforeTest();
    },
    async afterEach() {
      const { currentTest: test } = this;
      const file = work.current?.file;
      if (test === undefined || file === undefined) return;
      const isKeptFromRunning = test.state === undefined && test.pending !== true;
      const name = test.titlePath().join(' > ');
      if (test.state === 'failed' || isKeptFromRunning) await tell(file, name);
      const text = await file.afterTest(name);
      if (text !== null) process.stderr.write(`${text}\n`);
    },
    async afterAll() {
      await tellOfHooks();
      await work.end();
    },
  };
}
