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

/** The `before` hooks that failed, in a suite and those within it, by the names of their suites. */
function failedHooks(suite: MochaSuite): string[] {
  const own = suite.getHooks('beforeAll').filter(({ state }) => state === 'failed');
  return [
    ...own.map(({ title }) => [...suite.titlePath(), title].join(' > ')),
    ...suite.suites.flatMap(failedHooks),
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
  return {
    beforeAll() {
      for (const suite of this.test?.parent?.suites ?? []) {
        const { file } = suite;
        if (file === undefined) continue;
        beforeAllOthers(suite, () => work.begin(file));
      }
    },
    async beforeEach() {
      const { file } = this.currentTest ?? {};
      if (file !== undefined) await (await work.begin(file)).beforeTest();
    },
    async afterEach() {
      const { currentTest: test } = this;
      const { file } = work;
      if (test === undefined || file === null) return;
      const isKeptFromRunning = test.state === undefined && test.pending !== true;
      if (test.state === 'failed' || isKeptFromRunning) await tell(file, test.titlePath().join(' > '));
      await file.afterTest();
    },
    async afterAll() {
      const root = this.test?.parent;
      const { file } = work;
      if (root !== undefined && file !== null)
        for (const name of root.suites.flatMap(failedHooks)) await tell(file, name);
      await work.end();
    },
  };
}
