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
