/**
 * Jest tests on lanes of one node. The options of `nodeCli()` start a node for the run. Each test file gets
 * its own lane, whose URL is in `NODE_CLI_URL` and `ETH_RPC_URL` before the file is loaded.
 */

import { fileURLToPath } from 'node:url';
import { FileLane } from './file-lane.ts';
import { localNodes } from './local-nodes.ts';
import { announcedFacts, announceOptions, type RunOptions } from './run-facts.ts';

export { lane } from './environment-lane.ts';
export type { Isolation, RunOptions, StartOptions } from './run-facts.ts';
export type { LaneCall, TestLane } from './test-lane.ts';

/** The part of a Jest configuration that starts the node and creates the lanes. */
export interface NodeCliJestConfig {
  readonly globalSetup: string;
  readonly globalTeardown: string;
  readonly testEnvironment: string;
}

/** A test or a block of tests in jest-circus. */
interface JestBlock {
  readonly name: string;
  readonly parent?: JestBlock | undefined;
}

/** The used part of a jest-circus event. */
export interface JestEvent {
  readonly name: string;
  readonly test?: (JestBlock & { readonly errors: readonly unknown[] }) | undefined;
  readonly describeBlock?: JestBlock | undefined;
  readonly hook?: { readonly type: string };
}

/** The used part of a Jest environment. */
export interface JestEnvironment {
  global: typeof globalThis;
  setup(): Promise<void>;
  handleTestEvent?(event: JestEvent, state: unknown): void | Promise<void>;
}

/** The class of an environment, such as in `jest-environment-node` and `jest-environment-jsdom`. */
export type JestEnvironmentClass = new (
  config: unknown,
  context: { readonly testPath: string },
) => JestEnvironment;

/** Returns the path of a file in this folder of the package. */
function besidePath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/**
 * Returns options to spread in a Jest configuration.
 *
 * @example
 * // jest.config.mjs
 * import { nodeCli } from 'node-cli/jest';
 * export default { ...nodeCli({ node: { artifacts: ['out'] }, setup: './test/deploy.js' }) };
 */
export function nodeCli(options: RunOptions = {}): NodeCliJestConfig {
  announceOptions(options, process.env);
  return {
    globalSetup: besidePath('jest-global-setup.cjs'),
    globalTeardown: besidePath('jest-global-teardown.cjs'),
    testEnvironment: besidePath('jest-environment.cjs'),
  };
}

/** Returns the names of the test and its blocks. The block of the file has no name. */
function nameOf({ name, parent }: JestBlock): string {
  if (parent === undefined) return '';
  const around = nameOf(parent);
  return around === '' ? name : `${around} > ${name}`;
}

/**
 * Returns a Jest environment that also gives each test file its lane, for environments other than Node's.
 *
 * @example
 * // jsdom-with-lane.cjs, the testEnvironment of the configuration
 * const { withLane } = require('node-cli/jest');
 * const { TestEnvironment } = require('jest-environment-jsdom');
 * module.exports = withLane(TestEnvironment);
 */
export function withLane(Environment: JestEnvironmentClass): JestEnvironmentClass {
  return class extends Environment {
    readonly #path: string;
    #file: FileLane | null = null;

    constructor(config: unknown, context: { readonly testPath: string }) {
      super(config, context);
      this.#path = context.testPath;
    }

    override async setup(): Promise<void> {
      await super.setup();
      this.#file = await FileLane.open(announcedFacts(process.env), this.#path);
      Object.assign(this.global.process.env, this.#file.variables);
      // Tests have their own globals. With `--runInBand`, their lane calls the node without HTTP.
      Object.assign(this.global, { nodeCliLocalNodes: localNodes() });
    }

    override async handleTestEvent(event: JestEvent, state: unknown): Promise<void> {
      await super.handleTestEvent?.(event, state);
      const { name, test, describeBlock, hook } = event;
      const file = this.#file;
      if (file === null) return;
      if (name === 'test_start') await file.beforeTest();
      if (name === 'hook_failure' && test === undefined && describeBlock !== undefined)
        await this.#tell(file, [nameOf(describeBlock), hook?.type ?? 'hook'].filter(Boolean).join(' > '));
      if (name === 'test_done' && test !== undefined) {
        if (test.errors.length > 0) await this.#tell(file, nameOf(test));
        const text = await file.afterTest(nameOf(test));
        if (text !== null) process.stderr.write(`${text}\n`);
      }
      if (name === 'teardown') await file.close();
    }

    async #tell(file: FileLane, test: string): Promise<void> {
      process.stderr.write(`${await file.failed(test)}\n`);
    }
  };
}
