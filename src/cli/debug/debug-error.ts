/** Thrown if a request cannot be completed. The editor shows the message. */
export class DebugError extends Error {
  override readonly name = 'DebugError';
}

/** Thrown for an invalid argument of a request. */
export class InvalidArgumentError extends DebugError {
  constructor(parameter: string, expected: string, received: unknown) {
    const text = JSON.stringify(received) ?? 'nothing';
    super(`${parameter}: expected ${expected}, got ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`);
  }
}
