/**
 * An error that is reported to the caller under its JSON-RPC code. Each area declares its own subclasses; any other
 * error is a bug of the node and is reported as -32603.
 */
export abstract class CodedError extends Error {
  abstract readonly code: number;
  /** More about the error, fit for JSON; `undefined` for none. */
  readonly data: unknown = undefined;

  override get name(): string {
    return this.constructor.name;
  }
}
