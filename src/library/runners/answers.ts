/** Type checks for responses of a node, which may have another version, and the errors of a test run. */

/** Thrown if the node of a test run cannot be started or used. The message contains a remedy. */
export class TestRunError extends Error {
  override readonly name = 'TestRunError';
}

/** A JSON-RPC error of a lane. */
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

/** True for a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a non-empty string member; `null` if absent. */
export function textIn(record: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = record[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
