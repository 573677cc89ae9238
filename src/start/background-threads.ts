import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { isEnabled } from './tunings.ts';

/** Steps between the priorities of the main thread and the others. More steps would delay compiled code. */
const STEPS = 6;
const LOWEST_PRIORITY = 19;

interface ThreadHost {
  readonly platform: NodeJS.Platform;
  /** The number of the process and of its main thread. */
  readonly pid: number;
  readonly listThreads: () => readonly string[];
  readonly getPriority: (thread: number) => number;
  readonly setPriority: (thread: number, priority: number) => void;
}

const SYSTEM: ThreadHost = {
  platform: process.platform,
  pid: process.pid,
  listThreads: () => readdirSync('/proc/self/task'),
  getPriority,
  setPriority,
};

/**
 * Lowers the priority of the threads that compile, collect garbage and read files. If they have more work than
 * there are processors, they interrupt responses of the main thread otherwise.
 */
export function lowerBackgroundThreads(host: Partial<ThreadHost> = {}): void {
  const { platform, pid, ...system } = { ...SYSTEM, ...host };
  // Only Linux has a priority for each thread.
  if (platform !== 'linux' || !isEnabled('background-threads')) return;
  let threads: number[];
  try {
    threads = system.listThreads().map(Number);
  } catch {
    // A container may hide the threads.
    return;
  }
  // The threads of another process namespace have numbers that belong to other processes here.
  if (!threads.includes(pid)) return;
  const priority = Math.min(LOWEST_PRIORITY, system.getPriority(pid) + STEPS);
  for (const thread of threads) if (thread !== pid) setPriorityOf(thread, priority, system);
}

function setPriorityOf(thread: number, priority: number, host: Pick<ThreadHost, 'setPriority'>): void {
  try {
    host.setPriority(thread, priority);
  } catch {
    // The thread has ended.
  }
}
