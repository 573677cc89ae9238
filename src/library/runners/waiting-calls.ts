/** Rejects synchronous calls of programs that use the node of their process: it cannot respond to them. */

import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { TestRunError } from './answers.ts';
import { localNodes } from './local-nodes.ts';

type WaitingCall = 'execSync' | 'execFileSync' | 'spawnSync';

/** Throws a {@link TestRunError} if a word contains the URL of a node in this process. */
function checkWords(name: WaitingCall, words: readonly unknown[]): void {
  const urls = Array.from(localNodes().keys());
  const url = urls.find((each) => words.some((word) => String(word).includes(each)));
  if (url === undefined) return;
  throw new TestRunError(
    `the node at ${url} runs in this process and cannot respond during ${name}; use the asynchronous function, or set explorer: true in the options of nodeCli()`,
  );
}

/** Adds the check to the functions of Node. Clients that find the URL in their environment are not recognized. */
function guard(name: WaitingCall): void {
  const call = childProcess[name];
  Object.assign(childProcess, {
    [name](this: unknown, ...given: unknown[]): unknown {
      const [program, words] = given;
      checkWords(name, [program, ...(Array.isArray(words) ? words : [])]);
      return Reflect.apply(call, this, given);
    },
  });
}

let isGuarding = false;

/** Checks the synchronous calls of this process from now on. */
export function guardWaitingCalls(): void {
  if (isGuarding) return;
  isGuarding = true;
  for (const name of ['execSync', 'execFileSync', 'spawnSync'] as const) guard(name);
  syncBuiltinESMExports();
}
