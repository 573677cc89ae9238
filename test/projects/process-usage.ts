import { readdirSync, readFileSync } from 'node:fs';

/** Processor time and memory of a process and its descendants. */
export interface Usage {
  /** Seconds of user and system time. */
  readonly processor: number;
  /** Sum of the largest resident sets, in MiB. */
  readonly memory: number;
}

const TICKS_PER_SECOND = 100;
const KIBIBYTES_PER_MEBIBYTE = 1_024;

/** The file of a process in /proc, or undefined if the process has ended. */
function readProcess(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return undefined;
    throw error;
  }
}

/** Fields of /proc/<pid>/stat after the name of the program; the first one is the state. */
function fieldsOf(pid: number): readonly string[] {
  return readProcess(pid, 'stat')?.split(') ').at(-1)?.split(' ') ?? [];
}

function descendantsOf(root: number): readonly number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), Number(fieldsOf(Number(name))[1])]),
  );
  const found = [root];
  for (const parent of found)
    for (const [pid, parentPid] of parents) if (parentPid === parent) found.push(pid);
  return found;
}

/** Reads the usage of a running process and its descendants. Linux only, since it reads /proc. */
export function usageOf(root: number): Usage {
  let ticks = 0;
  let kibibytes = 0;
  for (const pid of descendantsOf(root)) {
    // utime, stime, and both of the children that have ended.
    ticks += fieldsOf(pid)
      .slice(11, 15)
      .reduce((sum, field) => sum + Number(field), 0);
    kibibytes += Number(/^VmHWM:\s+(\d+)/m.exec(readProcess(pid, 'status') ?? '')?.[1] ?? 0);
  }
  return { processor: ticks / TICKS_PER_SECOND, memory: kibibytes / KIBIBYTES_PER_MEBIBYTE };
}
