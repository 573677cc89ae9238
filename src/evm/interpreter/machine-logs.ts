// Logs in the memory of a machine.

import type { Steps } from '../../primitives/steps.ts';
import type { Log } from '../../protocol/receipt.ts';
import type { LinearMemory } from './linear-memory.ts';
import type { Machine } from './machine.ts';
import { LOG } from './protocol.ts';

/** Bytes of logs to read between two time checks. */
const BYTES_AT_ONCE = 2 ** 12;

/** Returns the log at the pointer. It shares equal arrays with the previous log at `other`. */
export function readLog(memory: LinearMemory, pointer: number, before?: Log, other = 0): Log {
  const topics: Uint8Array[] = [];
  const end = LOG.topics + 32 * memory.number(pointer + LOG.topicCount);
  for (let place: number = LOG.topics; place < end; place += 32) {
    const known = before?.topics[topics.length];
    topics.push(memory.sharedWordBytes(pointer + place, 32, known, other + place));
  }
  return {
    address: memory.sharedWordBytes(pointer + LOG.address, 20, before?.address, other + LOG.address),
    topics,
    data: memory.copy(pointer + LOG.data, memory.number(pointer + LOG.length)),
  };
}

/** Reads logs from `start` up to the first log at or after `stop`. Returns the pointer to that log. */
function readLogs(logs: Log[], memory: LinearMemory, start: number, stop: number): number {
  memory.refresh();
  let [pointer, last, before] = [start, start, undefined as Log | undefined];
  while (pointer < stop) {
    before = readLog(memory, pointer, before, last);
    logs.push(before);
    last = pointer;
    pointer += (LOG.data + memory.number(pointer + LOG.length) + 15) & ~15;
  }
  return pointer;
}

/** Returns the logs of an ended message that were not reverted. */
export function* logsOf({ memory, exports }: Machine): Steps<readonly Log[]> {
  const logs: Log[] = [];
  const start = exports.logsStart();
  const end = start + exports.logMark();
  for (let pointer = start; pointer < end; ) {
    const next = readLogs(logs, memory, pointer, Math.min(end, pointer + BYTES_AT_ONCE));
    if (next < end) yield next - pointer;
    pointer = next;
  }
  return logs;
}
