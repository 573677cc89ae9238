import type { Steps } from '../../primitives/steps.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';

/**
 * A result that can write itself as JSON, in less time than it would take to make the value and have that written. For
 * large lists whose callers mostly are at the other end of a wire.
 */
export abstract class WrittenJson {
  /**
   * Gives what `JSON.stringify` gives of {@link toJSON}, in UTF-8, with the two texts around it; in pieces where it is long.
   * Throws a `ResultTooLongError`, before it takes memory for it, when it has more than `limit` bytes without them.
   */
  abstract toBytes(before: string, after: string, limit: number, pieces: WorkPieces): Steps<Buffer>;
  /** The value, anew each time. */
  abstract toJSON(): unknown;
}

/** The result of a method as a value. */
export function plainResult(result: unknown): unknown {
  return result instanceof WrittenJson ? result.toJSON() : result;
}
