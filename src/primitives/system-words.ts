/** How Node puts the errors of the system: `ENOENT: no such file or directory, open '/file'`. */
const SYSTEM_MESSAGE = /^[A-Z0-9]+: (.+?), [a-z]+(?: '.*')?$/s;

/**
 * Why something of the system failed, in the system's words alone: what was tried and where, who tells of it says better.
 * The message of any other error as it is.
 */
export function systemWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return ('syscall' in error && SYSTEM_MESSAGE.exec(error.message)?.[1]) || error.message;
}
