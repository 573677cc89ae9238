import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { answerAt } from '../support/json-rpc.ts';

/** A node in its own process with a data directory, for tests that kill it. */
export interface MortalNode {
  /** Result of a method. Rejects with the error of the node, or if the process has ended. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** Ends the process like `kill -9`. */
  kill(): Promise<void>;
}

/** An error reply of the node. */
export class AnsweredError extends Error {
  override readonly name = 'AnsweredError';
}

const LISTENING = /^Listening on (http:\/\/\S+)\n/m;

/** Starts the node and waits until it listens. Rejects with the output of a process that ends early. */
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
