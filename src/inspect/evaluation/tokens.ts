/** Splits an expression into tokens. */

import { fromHex } from '../../primitives/hex.ts';
import { ExpressionError, type TextRange } from './expression.ts';

export type Token = TextRange &
  (
    | { readonly kind: 'number'; readonly text: string }
    | { readonly kind: 'text'; readonly bytes: Uint8Array; readonly isHex: boolean }
    | { readonly kind: 'name'; readonly text: string }
    | { readonly kind: 'symbol'; readonly text: string }
    | { readonly kind: 'end'; readonly text: '' }
  );

const SPACE = /\s+/y;
const NUMBER = /0[xX][\da-fA-F_]*|(?:\d[\d_]*(?:\.\d[\d_]*)?|\.\d[\d_]*)(?:[eE]-?\d[\d_]*)?/y;
const NAME = /[A-Za-z_$][\w$]*/y;
/** Longer symbols come first. Symbols that write are read to report them. */
const SYMBOL =
  /\*\*|<<=|>>>=|>>=|>>>|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=|=>|[-+*/%&|^~!<>=?:.,()[\]{};]/y;
const HEX_TEXT = /hex(?:"(?<double>[^"]*)"|'(?<single>[^']*)')/y;
const HEX_BYTES = /^(?:[\da-fA-F]{2}(?:_?[\da-fA-F]{2})*)?$/;
const TEXT = /(?:unicode)?(?<quote>["'])(?<body>(?:\\[\s\S]|(?!\k<quote>)[^\\])*)\k<quote>/y;
const TEXT_START = /(?:unicode|hex)?["']/y;
const ESCAPE = /\\(?:x(?<hex>[\da-fA-F]{2})|u(?<unit>[\da-fA-F]{4})|(?<single>[\\'"nrt]))|\\[\s\S]/g;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
/** A letter or digit after a number, as in `0xfg`. */
const AFTER_NUMBER = /[\w$]/y;

/** Returns the match of a sticky pattern at a place; `null` for none. */
function matchAt(pattern: RegExp, text: string, start: number): RegExpExecArray | null {
  pattern.lastIndex = start;
  return pattern.exec(text);
}

/** Returns the bytes of the body of a text. Throws {@link ExpressionError} for an unknown escape. */
function bytesOfText(body: string, start: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let read = 0;
  for (const sequence of body.matchAll(ESCAPE)) {
    const { index } = sequence;
    const { hex, unit, single } = sequence.groups ?? {};
    parts.push(Buffer.from(body.slice(read, index)));
    read = index + sequence[0].length;
    if (hex !== undefined) parts.push(Uint8Array.of(Number.parseInt(hex, 16)));
    else if (unit !== undefined) parts.push(Buffer.from(String.fromCharCode(Number.parseInt(unit, 16))));
    else if (single !== undefined) parts.push(Buffer.from(ESCAPED[single] ?? single));
    else
      throw new ExpressionError(
        { start: start + index, end: start + read },
        `unknown escape sequence ${sequence[0]}`,
      );
  }
  parts.push(Buffer.from(body.slice(read)));
  return Uint8Array.from(Buffer.concat(parts));
}

function textAt(text: string, start: number): Token | null {
  const hex = matchAt(HEX_TEXT, text, start);
  if (hex !== null) {
    const end = start + hex[0].length;
    const digits = hex.groups?.double ?? hex.groups?.single ?? '';
    if (!HEX_BYTES.test(digits))
      throw new ExpressionError({ start, end }, 'expected pairs of hexadecimal digits');
    return { kind: 'text', bytes: fromHex(`0x${digits.replaceAll('_', '')}`), isHex: true, start, end };
  }
  const quoted = matchAt(TEXT, text, start);
  if (quoted !== null) {
    const body = quoted.groups?.body ?? '';
    const bodyStart = start + quoted[0].length - 1 - body.length;
    const end = start + quoted[0].length;
    return { kind: 'text', bytes: bytesOfText(body, bodyStart), isHex: false, start, end };
  }
  if (matchAt(TEXT_START, text, start) !== null)
    throw new ExpressionError({ start, end: text.length }, 'the text has no closing quote');
  return null;
}

function tokenAt(text: string, start: number): Token {
  const quoted = textAt(text, start);
  if (quoted !== null) return quoted;
  const number = matchAt(NUMBER, text, start);
  if (number !== null) {
    const end = start + number[0].length;
    if (matchAt(AFTER_NUMBER, text, end) !== null)
      throw new ExpressionError({ start: end, end: end + 1 }, 'unexpected character in a number');
    return { kind: 'number', text: number[0], start, end };
  }
  for (const [kind, pattern] of [
    ['name', NAME],
    ['symbol', SYMBOL],
  ] as const) {
    const found = matchAt(pattern, text, start);
    if (found !== null) return { kind, text: found[0], start, end: start + found[0].length };
  }
  throw new ExpressionError({ start, end: start + 1 }, 'unexpected character');
}

/** Returns the tokens of an expression. The last one is the end. Throws {@link ExpressionError}. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let start = 0;
  for (;;) {
    start += matchAt(SPACE, text, start)?.[0].length ?? 0;
    if (start >= text.length) break;
    const token = tokenAt(text, start);
    tokens.push(token);
    start = token.end;
  }
  return [...tokens, { kind: 'end', text: '', start: text.length, end: text.length }];
}
