// The logs in the memory of a machine.

import type { Task } from '../../primitives/task.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import type { Log } from '../../protocol/receipt.ts';
import type { LinearMemory } from './linear-memory.ts';
import type { Machine } from './machine.ts';
import { LOG } from './protocol.ts';

/** Bytes of logs that are read in one go. */
const BYTES_AT_ONCE = 2 ** 12;

/** Returns the log at the pointer. */
export function readLog(memory: LinearMemory, pointer: number): Log {
  const topicsEnd = pointer + LOG.topics + 32 * memory.number(pointer + LOG.topicCount);
  const topics: Uint8Array[] = [];
  for (let topic = pointer + LOG.topics; topic < topicsEnd; topic += 32)
    topics.push(memory.wordBytes(topic, 32));
  return {
    address: memory.wordBytes(pointer + LOG.address, 20),
    topics,
    data: memory.copy(pointer + LOG.data, memory.number(pointer + LOG.length)),
  };
}

/** Adds the logs from a pointer on, up to the first that does not begin before `stop`. Returns the pointer to that. */
function readLogs(logs: Log[], memory: LinearMemory, start: number, stop: number): number {
  memory.refresh();
  let pointer = start;
  while (pointer < stop) {
    logs.push(readLog(memory, pointer));
    pointer += (LOG.data + memory.number(pointer + LOG.length) + 15) & ~15;
  }
  return pointer;
}

/** Returns the logs of the machine's message that were not reverted. The message must have ended. */
export function logsOf({ memory, exports }: Machine): readonly Log[] {
  const logs: Log[] = [];
  const start = exports.logsStart();
  readLogs(logs, memory, start, start + exports.logMark());
  return logs;
}

/** As {@link logsOf}, in pieces. */
export function* logsInPieces({ memory, exports }: Machine, pieces: WorkPieces): Task<readonly Log[]> {
  const logs: Log[] = [];
  const start = exports.logsStart();
  const end = start + exports.logMark();
  for (let pointer = start; pointer < end; ) {
    const next = readLogs(logs, memory, pointer, Math.min(end, pointer + BYTES_AT_ONCE));
    const turn = pieces.spend(next - pointer);
    if (turn !== undefined) yield turn;
    pointer = next;
  }
  return logs;
}
