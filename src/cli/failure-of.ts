/** Why something of the system failed, in the system's words. */
export function failureOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
