/** The variables of the environment by which the processes of a runner share a run, where the runner hands nothing on for them. */

import { isRecord, TestRunError } from './answers.ts';
import type { Isolation, RunOptions } from './run-options.ts';

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
      'no node was started for the tests: the configuration of the runner must take what nodeCli() gives',
    );
  return facts as unknown as RunFacts;
}
