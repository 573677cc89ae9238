/** The meeting point at which the processes of a run, which are started before its node is, wait for it: a socket that answers when the base is set up. */

import { randomUUID } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { RunFacts } from './announced.ts';
import { isRecord, TestRunError } from './answers.ts';

/** Set for the processes that wait, to the path of the place. */
export const MEETING_POINT_VARIABLE = 'TESTS_ON_NODE_CLI_AT';

/** The place, and what ends it. */
export interface MeetingPoint {
  /** The path of a socket, or the name of a pipe on Windows. */
  readonly path: string;
  close(): void;
}

function newPath(): string {
  const name = `node-cli-${randomUUID()}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** Opens a place where others learn of a run as soon as it is there, or why it could not be started. It keeps no process. */
export function openMeetingPoint(run: Promise<RunFacts>): MeetingPoint {
  const path = newPath();
  const said = run.then(
    (facts) => JSON.stringify({ facts }),
    (error: unknown) => JSON.stringify({ error: error instanceof Error ? error.message : String(error) }),
  );
  const server = createServer(async (socket) => {
    // One that goes away before it was answered needs no answer.
    socket.on('error', () => undefined);
    socket.end(await said);
  });
  server.listen(path);
  server.unref();
  return { path, close: () => void server.close() };
}

/** Resolves to what is known of the run. Rejects with a {@link TestRunError} that says why there is none. */
export async function factsFrom(path: string): Promise<RunFacts> {
  const answered = await text(connect(path)).catch((error: unknown) => {
    throw new TestRunError('the process that starts the node of the tests is gone', { cause: error });
  });
  const answer: unknown = answered === '' ? null : JSON.parse(answered);
  if (!isRecord(answer) || !isRecord(answer.facts))
    throw new TestRunError(isRecord(answer) ? String(answer.error) : 'the node of the tests was not started');
  return answer.facts as unknown as RunFacts;
}
