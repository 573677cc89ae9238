/** Thrown for a command line or an environment that cannot be obeyed. The message is one line for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Thrown when a well-formed command cannot be carried out (a port is taken, …). The message is one line for the user. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
