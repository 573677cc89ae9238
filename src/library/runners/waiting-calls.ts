/** Keeps synchronous calls of programs away from the node of their process: it cannot respond to them. */

import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { TestRunError } from './answers.ts';
import { localNodes } from './local-nodes.ts';

/** Marks Node's module once its functions have the check, also for another copy of this module. */
const GUARDED = Symbol.for('node-cli.guardedWaitingCalls');

type WaitingCall = 'execSync' | 'execFileSync' | 'spawnSync';

/** Replaces the node's URL in the environment of the program. Its client fails immediately, with this name in the error. */
const UNREACHABLE = 'http://node-is-blocked.set-explorer-true.invalid';

/** Returns true if a word contains the host and port of a URL, or `localhost` and the port. */
function hasAddress(url: string, words: readonly unknown[]): boolean {
  const { host, port } = new URL(url);
  const addresses = [host, `localhost:${port}`];
  return words.some((word) => addresses.some((address) => String(word).includes(address)));
}

/** Throws a {@link TestRunError} if a word contains the address of a node in this process. */
function checkWords(name: WaitingCall, words: readonly unknown[]): void {
  const urls = Array.from(localNodes().keys());
  const url = urls.find((each) => hasAddress(each, words));
  if (url === undefined) return;
  throw new TestRunError(
    `the node at ${url} runs in this process and cannot respond during ${name}; use the asynchronous function, or set explorer: true in the options of nodeCli()`,
  );
}

/** Returns the variables that contain the URL of a node in this process, with {@link UNREACHABLE} in its place. */
function replacedVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const urls = Array.from(localNodes().keys());
  const replaced: NodeJS.ProcessEnv = {};
  // Node also passes inherited members on.
  for (const name in env) {
    const text = env[name];
    if (typeof text !== 'string' || !urls.some((url) => text.includes(url))) continue;
    replaced[name] = urls.reduce((left, url) => left.replaceAll(url, UNREACHABLE), text);
  }
  return replaced;
}

function isOptions(value: unknown): value is childProcess.CommonOptions {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the arguments of a call, with an environment without URLs of nodes in this process. */
function withoutNodes(given: readonly unknown[]): readonly unknown[] {
  const options = given.find(isOptions);
  const env = options?.env ?? process.env;
  const replaced = replacedVariables(env);
  if (Object.keys(replaced).length === 0) return given;
  const others = given.filter((value) => value !== undefined && !isOptions(value));
  return [...others, { ...options, env: Object.assign(Object.create(env), replaced) }];
}

/** Adds the check to a function of Node. */
function guard(name: WaitingCall): void {
  const call = childProcess[name];
  Object.assign(childProcess, {
    [name](this: unknown, ...given: unknown[]): unknown {
      const [program, words] = given;
      checkWords(name, [program, ...(Array.isArray(words) ? words : [])]);
      return Reflect.apply(call, this, withoutNodes(given));
    },
  });
}

/** Checks the synchronous calls of this process from now on. */
export function guardWaitingCalls(): void {
  if (GUARDED in childProcess) return;
  Object.assign(childProcess, { [GUARDED]: true });
  for (const name of ['execSync', 'execFileSync', 'spawnSync'] as const) guard(name);
  syncBuiltinESMExports();
}
