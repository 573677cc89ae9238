/** What is written about a bug of the node: its whole trace, for it is meant for those who mend it. */
export function internalErrorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
}
