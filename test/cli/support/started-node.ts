import { expect, onTestFinished } from 'vitest';
import { runCommand } from '../../../src/cli/main.ts';
import { answerAt } from '../../support/json-rpc.ts';
import { type FakeHost, type FakeHostOptions, fakeHost } from './fake-host.ts';

/** A node in this process, on a free port. */
export interface StartedNode {
  readonly host: FakeHost;
  /** The URL in its output; empty if it did not start. */
  readonly url: string;
  /** Calls a method. Returns the result, or the whole response if it is an error or the result is `null`. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** Stops it like Ctrl-C. Returns the exit code. */
  end(): Promise<number>;
}

/** The parts of the fake process that a test can replace, except for its command line. */
export type ProcessOptions = Omit<FakeHostOptions, 'commandLine'>;

/** Starts a node with these command-line options. It stops at the end of the test at the latest. */
export async function start(
  commandLine: readonly string[] = [],
  options: ProcessOptions = {},
): Promise<StartedNode> {
  const host = fakeHost({ ...options, commandLine: ['--port', '0', ...commandLine] });
  onTestFinished(async () => {
    if (host.exitCodes.length > 0) return;
    host.sendSignal('SIGTERM');
    await host.exited();
  });
  await runCommand(host);
  const url =
    /(?:Listening on |"kind":"listening","url":")(http:\/\/[^\s"]+)/.exec(host.written.output)?.[1] ?? '';
  return {
    host,
    url,
    async call(method, ...params) {
      const answer = await answerAt(url, method, params);
      return answer.result ?? answer;
    },
    end() {
      host.sendSignal('SIGINT');
      return host.exited();
    },
  };
}

/** Starts a node with invalid options. Returns the one line of the error. */
export async function refusal(commandLine: readonly string[]): Promise<string> {
  const { host } = await start(commandLine);
  expect(host.exitCodes).toEqual([1]);
  expect(host.written.errors).toMatch(/^node-cli: [^\n]+\n$/);
  return host.written.errors;
}
