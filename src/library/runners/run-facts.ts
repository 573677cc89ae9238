/**
 * The options and the facts of a run of tests, and how the processes of a runner share them where it hands nothing on: by variables of the
 * environment, and by a socket at which those wait that are started before the node of the run is.
 */

import { randomUUID } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { LocalOptions } from '../../config/local-options.ts';
import { kebabCase } from '../../config/option-definition.ts';
import type { NodeOptions } from '../../config/options.ts';
import { isRecord, TestRunError } from './answers.ts';

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

/** The facts of a run that the processes of a runner share. They are plain data, so that they can be handed on in any way. */
export interface RunFacts {
  /** The URL of the base chain. */
  readonly url: string;
  readonly isolate: Isolation;
  /** The folder of the project, from which files are named. */
  readonly root: string;
}

// Variables that begin with NODE_CLI_ are options of the node, of which these are none.
const OPTIONS_VARIABLE = 'TESTS_ON_NODE_CLI_OPTIONS';
const FACTS_VARIABLE = 'TESTS_ON_NODE_CLI';

function asText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
}

/** Called where the configuration of a runner is read, for the process or the module that starts the node. */
export function announceOptions(options: RunOptions, environment: NodeJS.ProcessEnv): void {
  environment[OPTIONS_VARIABLE] = asText(options);
}

/** Returns the options of the run; none where the configuration gave none. */
export function announcedOptions({ [OPTIONS_VARIABLE]: text = '{}' }: NodeJS.ProcessEnv): RunOptions {
  return JSON.parse(text) as RunOptions;
}

/** Returns the variable by which the processes of a runner know the run. */
export function factVariables(facts: RunFacts): Readonly<Record<string, string>> {
  return { [FACTS_VARIABLE]: asText(facts) };
}

/** Returns true where a run was started. */
export function isRunAnnounced({ [FACTS_VARIABLE]: text }: NodeJS.ProcessEnv): boolean {
  return text !== undefined;
}

/** Returns what is known of the run. Throws a {@link TestRunError} where none was started. */
export function announcedFacts({ [FACTS_VARIABLE]: text = 'null' }: NodeJS.ProcessEnv): RunFacts {
  const facts: unknown = JSON.parse(text);
  if (!isRecord(facts))
    throw new TestRunError(
      'no node was started for the tests: add the result of nodeCli() to the configuration of the test runner',
    );
  return facts as unknown as RunFacts;
}

// The meeting point: a socket that answers when the base chain is set up, for processes that are started before the node is.

/** Set for the processes that wait, to the path of the place. */
export const MEETING_POINT_VARIABLE = 'TESTS_ON_NODE_CLI_AT';

/** The place, and what ends it. */
interface MeetingPoint {
  /** The path of a socket, or the name of a pipe on Windows. */
  readonly path: string;
  close(): void;
}

function newPath(): string {
  const name = `node-cli-${randomUUID()}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** Opens a place where others learn of a run as soon as it is there, or why it could not be started. It keeps no process. */
export function openMeetingPoint(run: Promise<RunFacts>): MeetingPoint {
  const path = newPath();
  const said = run.then(
    (facts) => JSON.stringify({ facts }),
    (error: unknown) => JSON.stringify({ error: error instanceof Error ? error.message : String(error) }),
  );
  const server = createServer(async (socket) => {
    // One that goes away before it was answered needs no answer.
    socket.on('error', () => undefined);
    socket.end(await said);
  });
  server.listen(path);
  server.unref();
  return { path, close: () => void server.close() };
}

/** Resolves to what is known of the run. Rejects with a {@link TestRunError} that says why there is none. */
export async function factsFrom(path: string): Promise<RunFacts> {
  const answered = await text(connect(path)).catch((error: unknown) => {
    throw new TestRunError('the process that started the test node has exited', { cause: error });
  });
  const answer: unknown = answered === '' ? null : JSON.parse(answered);
  if (!isRecord(answer) || !isRecord(answer.facts))
    throw new TestRunError(isRecord(answer) ? String(answer.error) : 'the test node was not started');
  return answer.facts as unknown as RunFacts;
}
