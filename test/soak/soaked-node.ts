import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The memory of a node after a full collection, in bytes. */
export interface Memory {
  /** Objects and the bytes of array buffers. */
  readonly live: number;
  /** Bytes of bytecode and machine code of V8 among them. */
  readonly code: number;
  /** Resident memory of the process. */
  readonly resident: number;
}

/** A node in its own process with measurable memory. */
export interface SoakedNode {
  readonly url: string;
  measure(): Promise<Memory>;
  /** Ends the node. Rejects if it does not end with code 0, or has written to stderr. */
  stop(): Promise<void>;
  /** Ends the node immediately. */
  kill(): void;
}

const LISTENING = /^Listening on (http:\/\/\S+)\n/m;

function isMemory(value: unknown): value is Memory {
  return (
    typeof value === 'object' && value !== null && ['live', 'code', 'resident'].every((name) => name in value)
  );
}

async function urlOf(child: ChildProcess, printed: () => string): Promise<string> {
  const { stdout } = child;
  if (stdout === null) throw new Error('the node has no output');
  for (;;) {
    const url = LISTENING.exec(printed())?.[1];
    if (url !== undefined) return url;
    await Promise.race([
      once(stdout, 'data'),
      once(child, 'close').then(() => Promise.reject(new Error(`the node did not start: ${printed()}`))),
    ]);
  }
}

/** The scripts of a node that is measured. */
export interface SoakScripts {
  /** Starts the node. */
  readonly executable: string;
  /** Measures the node from within: memory-probe.mjs. */
  readonly probe: string;
}

/** Starts the built node with these options on a free port and waits until it listens. */
export async function startSoakedNode(
  { executable, probe }: SoakScripts,
  options: readonly string[],
): Promise<SoakedNode> {
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--import', probe, executable, 'start', '--port', '0', ...options],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  );
  let output = '';
  let complaints = '';
  child.stdout?.on('data', (chunk) => {
    // The log of the whole run would be memory of this process.
    if (!LISTENING.test(output)) output += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    complaints += String(chunk);
  });
  const closed = once(child, 'close');
  const url = await urlOf(child, () => output + complaints);
  return {
    url,
    async measure() {
      const answered = once(child, 'message');
      child.send('measure');
      const [memory] = await answered;
      if (!isMemory(memory)) throw new TypeError('the node did not tell its memory');
      return memory;
    },
    async stop() {
      child.kill('SIGTERM');
      const [code] = await closed;
      if (code !== 0 || complaints !== '') throw new Error(`the node ended with ${code}: ${complaints}`);
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
