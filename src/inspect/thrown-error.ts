/**
 * Finds the statement that threw an error. The optimizer shares the ends of statements, so that the place of what ran last may be
 * that of another `revert` of the same function; which error it was, the data of the failure say.
 */

/** A part of a text, in bytes of UTF-8. */
export interface TextRange {
  readonly start: number;
  readonly length: number;
}

/** Matches comments and strings, which throw nothing, and names before a bracket, with `revert` where it stands before them. */
const CALLED =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n]){0,100000}"?|'(?:\\[\s\S]|[^'\\\n]){0,100000}'?|(?<revert>\brevert\s+)?(?<name>[A-Za-z_$][\w$.]*)\s*\(/g;
/** The longest function, in characters, that is searched. */
const LONGEST_FUNCTION = 100_000;

/**
 * Returns where the function, of which `text` is the source, has its only `revert` with the error of this name; `null` where it names the
 * error nowhere, more than once, or otherwise than in a `revert`.
 */
function throwingStatement(text: string, error: string): TextRange | null {
  if (text.length > LONGEST_FUNCTION) return null;
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(CALLED)) {
    const { name } = match.groups ?? {};
    if (name !== undefined && name.slice(name.lastIndexOf('.') + 1) === error) found.push(match);
  }
  const [only] = found;
  if (only === undefined || found.length > 1 || only.groups?.revert === undefined) return null;
  return { start: Buffer.byteLength(text.slice(0, only.index)), length: Buffer.byteLength(only[0]) };
}

/** A place in a `revert`: before the word, or behind it, at the error. */
const REVERT = /\brevert\s+(?:[\w$]+\.)*([\w$]+)\s*\(/g;

/** Returns the name of the error of the `revert` in which a place of a function is, in bytes from its start; `null` when it is in none. */
function thrownAround(text: string, place: number): string | null {
  if (text.length > LONGEST_FUNCTION) return null;
  for (const match of text.matchAll(REVERT)) {
    const start = Buffer.byteLength(text.slice(0, match.index));
    if (place >= start && place < start + Buffer.byteLength(match[0])) return match[1] ?? null;
  }
  return null;
}

/**
 * Returns where a function, of which `text` is the source, threw the error, in bytes from its start: the only `revert` with it.
 * `place` is where the function ended as far as its map tells, `null` for somewhere in it. `null` is returned where the place is
 * no `revert` with another error, which the optimizer put together with the one that ran, or where it cannot be told.
 */
export function otherThrow(text: string, place: number | null, error: string): TextRange | null {
  const found = place === null ? null : thrownAround(text, place);
  if (place !== null && (found === null || found === error)) return null;
  return throwingStatement(text, error);
}
