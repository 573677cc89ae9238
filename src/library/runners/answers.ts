/** Reads what a node answers, whose version may be another one; the errors of a run of tests. */

/** Thrown when the node of a run of tests cannot be started or used. The message says why, and what to do. */
export class TestRunError extends Error {
  override readonly name = 'TestRunError';
}

/** An error of JSON-RPC that a lane answered with. */
export class LaneAnswerError extends Error {
  override readonly name = 'LaneAnswerError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Reads what a node answers, whose version may be another one. */

/** Returns true for an object of JSON. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the text under a name; `null` where there is none. */
export function textIn(record: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = record[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
