import { codedError, exitError } from '../primitives/error-class.ts';

/** An invalid command line, environment or object of options. The message is one line for the user. */
export class UsageError extends exitError({
  name: 'InvalidOptions',
  exit: 2,
  message: '{message}',
  page: 'cli',
}) {
  constructor(message: string, options?: ErrorOptions) {
    super({ message }, options);
  }
}

/** A valid command that fails, for example because a port is in use. The message is one line. */
export class StartError extends exitError({
  name: 'StartFailed',
  exit: 1,
  message: '{message}',
  page: 'cli',
}) {
  constructor(message: string, options?: ErrorOptions) {
    super({ message }, options);
  }
}

/** The chain cannot be saved. The message is one line for the user. */
export class SaveError extends exitError({
  name: 'SaveFailed',
  exit: 1,
  message: '{message}',
  page: 'cli',
}) {
  constructor(message: string, options?: ErrorOptions) {
    super({ message }, options);
  }
}

/** A request to a node in this process that is closed (EIP-1193, 4900 Disconnected). */
export class NodeClosedError extends codedError({
  name: 'NodeClosed',
  code: 4900,
  message: 'the node is closed',
  page: 'library',
}) {}

const LONGEST = 500;

/**
 * Escapes control characters, including line breaks and terminal sequences, and truncates the text. Text of
 * clients and contracts must pass through here before it is printed.
 */
export function printable(text: string, longest: number = LONGEST): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
