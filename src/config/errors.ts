import { CodedError } from '../primitives/coded-error.ts';

/** Thrown for an invalid command line, environment or object of options. The message is one line for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Thrown when a well-formed command cannot be carried out (a port is taken, …). The message is one line for the user. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Thrown when the chain cannot be saved. The message is one line for the user. */
export class SaveError extends Error {
  override readonly name = 'SaveError';
}

/** A request to a node in this process that is closed (EIP-1193, 4900 Disconnected). */
export class NodeClosedError extends CodedError {
  readonly code = 4900;

  constructor() {
    super('the node is closed');
  }
}

const LONGEST = 500;

/**
 * Returns the text with control characters (line ends and escape sequences among them) made visible, cut to a length that a
 * person reads. Texts of callers and contracts pass through here before they reach a terminal.
 */
export function printable(text: string, longest: number = LONGEST): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
