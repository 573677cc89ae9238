/**
 * The options and facts of a test run. Processes of a runner share them through environment variables.
 * Processes that start before the node wait at a socket.
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

/** A value of a command-line option. Numbers may be strings, switches are booleans, lists are arrays. */
type OptionValue = string | number | bigint | boolean | readonly (string | number)[] | null | undefined;

/** The options of `node-cli start` in camel case: options of `createNode`, server, state and output. */
export type StartOptions = LocalOptions & {
  readonly [Key in Exclude<keyof NodeOptions, keyof LocalOptions>]?: OptionValue;
};

/** The isolation of tests. */
export type Isolation = 'file' | 'test';

/** The options of a test run. They must be plain data, because the processes of a runner share them. */
export interface RunOptions {
  /** The options of the node, in camel case. */
  readonly node?: StartOptions;
  /**
   * The URL of a running node with `--lanes`. The run then starts no node, and its lanes stay available in
   * the explorer. `NODE_CLI_URL` in the runner's environment has the same effect.
   */
  readonly url?: string;
  /**
   * The path of a module that sets up the base chain once, before the first test. Its default export, or
   * `setup`, receives the base chain ({@link TestLane}). Each lane copies the resulting base chain.
   */
  readonly setup?: string;
  /**
   * `file` gives each test file its own lane. `test` also reverts that lane after each test to its state
   * before the `beforeEach` hooks, and requires sequential tests. Default: `file`.
   */
  readonly isolate?: Isolation;
  /**
   * True to run the node in its own process. Then the explorer and other programs can use the node while a test
   * blocks the process of the runner, for example in a debugger.
   */
  readonly explorer?: boolean;
}

/**
 * Returns the arguments of `node-cli start` for options. Skips `undefined`, `null` and `false`.
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

/** The data of a run that the processes of a runner share. Plain data, so that it can be serialized. */
export interface RunFacts {
  /** The URL of the base chain. */
  readonly url: string;
  readonly isolate: Isolation;
  /** True if the states of failed tests are saved, because the node ends with the run. */
  readonly keepsStates: boolean;
  /** The folder of the project. File names are relative to it. */
  readonly root: string;
}

// These variables do not start with NODE_CLI_, because they are not options of the node.
const OPTIONS_VARIABLE = 'TESTS_ON_NODE_CLI_OPTIONS';
const FACTS_VARIABLE = 'TESTS_ON_NODE_CLI';

function asText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
}

/** Stores the options for the process that starts the node. Runs when the configuration is loaded. */
export function announceOptions(options: RunOptions, environment: NodeJS.ProcessEnv): void {
  environment[OPTIONS_VARIABLE] = asText(options);
}

/** Returns the stored options; empty if there are none. */
export function announcedOptions({ [OPTIONS_VARIABLE]: text = '{}' }: NodeJS.ProcessEnv): RunOptions {
  return JSON.parse(text) as RunOptions;
}

/** Returns the environment variable with the facts of the run. */
export function factVariables(facts: RunFacts): Readonly<Record<string, string>> {
  return { [FACTS_VARIABLE]: asText(facts) };
}

/** True if a run was started. */
export function isRunAnnounced({ [FACTS_VARIABLE]: text }: NodeJS.ProcessEnv): boolean {
  return text !== undefined;
}

/** Returns the facts of the run. Throws a {@link TestRunError} if none was started. */
export function announcedFacts({ [FACTS_VARIABLE]: text = 'null' }: NodeJS.ProcessEnv): RunFacts {
  const facts: unknown = JSON.parse(text);
  if (!isRecord(facts))
    throw new TestRunError(
      'no node was started for the tests: add the result of nodeCli() to the configuration of the test runner',
    );
  return facts as unknown as RunFacts;
}

// The meeting point is a socket for processes that start before the node. It responds after the setup.

/** The path of the meeting point, for processes that wait there. */
export const MEETING_POINT_VARIABLE = 'TESTS_ON_NODE_CLI_AT';

interface MeetingPoint {
  /** The path of a socket, or the name of a Windows pipe. */
  readonly path: string;
  close(): void;
}

function newPath(): string {
  const name = `node-cli-${randomUUID()}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** Opens a socket that sends the facts of the run, or its start error. It does not keep the process alive. */
export function openMeetingPoint(run: Promise<RunFacts>): MeetingPoint {
  const path = newPath();
  const said = run.then(
    (facts) => JSON.stringify({ facts }),
    (error: unknown) => JSON.stringify({ error: error instanceof Error ? error.message : String(error) }),
  );
  const server = createServer(async (socket) => {
    // A client that disconnects early needs no response.
    socket.on('error', () => undefined);
    socket.end(await said);
  });
  server.listen(path);
  server.unref();
  return { path, close: () => void server.close() };
}

/** Resolves to the facts of the run. Rejects with a {@link TestRunError} if the start failed. */
export async function factsFrom(path: string): Promise<RunFacts> {
  const answered = await text(connect(path)).catch((error: unknown) => {
    throw new TestRunError('the process that started the test node has exited', { cause: error });
  });
  const answer: unknown = answered === '' ? null : JSON.parse(answered);
  if (!isRecord(answer) || !isRecord(answer.facts))
    throw new TestRunError(isRecord(answer) ? String(answer.error) : 'the test node was not started');
  return answer.facts as unknown as RunFacts;
}
