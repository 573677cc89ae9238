/** The root hooks of Mocha that give each test file a chain of its own. */

import type { RunFacts } from './announced.ts';
import type { FileLane } from './file-lane.ts';
import { WorkLane } from './work-lane.ts';

/** A test or hook of Mocha, by the members that are read here. */
interface MochaRunnable {
  readonly title: string;
  readonly file?: string | undefined;
  /** Not set for a test that a failed hook kept from running. */
  readonly state?: string | undefined;
  readonly pending?: boolean;
  readonly parent?: MochaSuite | undefined;
  titlePath(): string[];
}

/** A suite of Mocha, by the members that are used here. */
interface MochaSuite {
  readonly file?: string | undefined;
  readonly suites: readonly MochaSuite[];
  titlePath(): string[];
  beforeAll(title: string, action: () => Promise<unknown>): unknown;
  getHooks(name: string): MochaRunnable[];
}

/** The context in which Mocha calls root hooks. */
interface MochaContext {
  readonly test?: MochaRunnable | undefined;
  readonly currentTest?: MochaRunnable | undefined;
}

/** Root hooks of Mocha. */
export interface MochaHooks {
  beforeAll(this: MochaContext): void;
  beforeEach(this: MochaContext): Promise<void>;
  afterEach(this: MochaContext): Promise<void>;
  afterAll(this: MochaContext): Promise<void>;
}

/** Puts an action before the hooks that a suite has of its own. */
function beforeAllOthers(suite: MochaSuite, action: () => Promise<unknown>): void {
  const hooks = suite.getHooks('beforeAll');
  suite.beforeAll('a lane of node-cli', action);
  const added = hooks.pop();
  if (added !== undefined) hooks.unshift(added);
}

/** The `before` hooks of a file that failed, in a suite and those within it, by the names of their suites. */
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
 * Returns the hooks for a process of a run of Mocha, and sets the URL of its lane in the environment, which modules read as they
 * are loaded.
 */
export function mochaHooksOf(facts: RunFacts, environment: NodeJS.ProcessEnv): MochaHooks {
  const work = new WorkLane(facts, `mocha-${process.pid}`);
  Object.assign(environment, work.variables);
  let root: MochaSuite | null = null;
  /** Called when a file is done: a failed `before` hook has no test that would tell of it. */
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
