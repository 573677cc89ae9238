/** The options of a node for a run of tests, and how the command line is given them. */

import type { LocalOptions } from '../../config/local-options.ts';
import { kebabCase } from '../../config/option-definition.ts';
import type { NodeOptions } from '../../config/options.ts';

/** A value of an option of the command line: numbers also as text, switches as booleans, lists as arrays. */
type OptionValue = string | number | bigint | boolean | readonly string[] | null | undefined;

/** The options of `node-cli start`, by their camel-case names: those of `createNode`, and those of the server, state and output. */
export type StartOptions = LocalOptions & {
  readonly [Key in Exclude<keyof NodeOptions, keyof LocalOptions>]?: OptionValue;
};

/** The way in which tests are kept from each other. */
export type Isolation = 'file' | 'test';

/** The options of a run of tests. All of them are data, since the processes of a runner hand them on. */
export interface RunOptions {
  /** The options of the node that is started for the run, by the names of the command line's in camel case. */
  readonly node?: StartOptions;
  /**
   * The URL of a node that runs already, with `--lanes`; then none is started, and its lanes stay after the run, to be looked
   * at in the page. The variable `NODE_CLI_URL` of the runner's environment does the same.
   */
  readonly url?: string;
  /**
   * The path of a module that sets the base chain up once, before the first test: its default export, or `setup`, is called with
   * the base chain ({@link TestLane}). Each lane begins as it leaves the base chain.
   */
  readonly setup?: string;
  /**
   * `file` gives each test file a lane of its own. `test` puts that lane back after each test to what it was before
   * the `beforeEach` hooks ran; it is for tests of a file that run one after the other. `file` by default.
   */
  readonly isolate?: Isolation;
}

/**
 * Returns the arguments of `node-cli start` for the options of a node. Those that are `undefined`, `null` or `false` are left
 * out.
 *
 * @example
 * startArguments({ chainId: 10, artifacts: ['out'], noMining: true });
 * // ['--chain-id', '10', '--artifacts', 'out', '--no-mining']
 */
export function startArguments(options: StartOptions): string[] {
  return Object.entries(options).flatMap(([key, value]: [string, OptionValue]) => {
    const flag = `--${kebabCase(key)}`;
    if (value === undefined || value === null || value === false) return [];
    if (value === true) return [flag];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.map((each) => `${flag}=${String(each)}`);
  });
}
