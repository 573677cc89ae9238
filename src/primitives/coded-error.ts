/**
 * An error that is the answer to a caller: it carries the JSON-RPC code under which it leaves the node. Each area
 * declares its own subclasses; whatever else is thrown is a bug of the node and leaves as -32603.
 */
export abstract class CodedError extends Error {
  abstract readonly code: number;
  /** More about the error, fit for JSON; `undefined` for none. */
  readonly data: unknown = undefined;

  override get name(): string {
    return this.constructor.name;
  }
}
