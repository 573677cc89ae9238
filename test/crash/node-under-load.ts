import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { answerAt } from '../support/json-rpc.ts';

/** A node in a process of its own that keeps its chain in a directory, made to be killed. */
export interface MortalNode {
  /** The result of a method. Rejects with the error that the node answers, or when it is gone. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** Ends the process as `kill -9` does, in the middle of whatever it does. */
  kill(): Promise<void>;
}

/** The node answered with an error. */
export class AnsweredError extends Error {
  override readonly name = 'AnsweredError';
}

const LISTENING = /^Listening on (http:\/\/\S+)\n/m;

/** Starts the node and waits until it listens. Rejects with what it printed when it ends before. */
export async function startMortalNode(executable: string, directory: string): Promise<MortalNode> {
  const options = ['start', '--port', '0', '--quiet', '--data-dir', directory];
  const child = spawn(process.execPath, [executable, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const url = await listeningUrl(child);
  return {
    async call(method, ...params) {
      const { result, error } = await answerAt(url, method, params);
      if (error !== undefined) throw new AnsweredError(`${method}: ${JSON.stringify(error)}`);
      return result;
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

function listeningUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const take = (chunk: unknown): void => {
      printed += String(chunk);
      const url = LISTENING.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('close', () => reject(new Error(`the node did not start: ${printed}`)));
  });
}
