// The highest limit of a request body.

/**
 * Maximum of `--body-limit` in bytes. Decoding a longer text could block the event loop for more than half a
 * second.
 */
export const LARGEST_BODY = 2 ** 26;

/** Returns the remedy for a message above the limit. */
export function bodyRemedy(limit: number): string {
  return limit < LARGEST_BODY
    ? 'raise it with --body-limit'
    : 'send less, because this is the highest --body-limit';
}
