import ts from 'typescript';
import { PLACEHOLDER } from './mask.ts';
import { breaksIn, type LocatedText } from './passage.ts';

/** A line break that an escape makes: it ends a line of the text, but not of the source. */
const ESCAPED_BREAK = '\u2028';

/** Marks line breaks that are in the source only, between two literals. */
const JOINT = '\u2029';

/** The minimum length of a line that continues on the next line of a literal. */
const WRAPPED_LENGTH = 60;

/** A part of a text: a literal with its source, or an expression that is filled in. */
export interface Part {
  readonly node: ts.Node;
  readonly literal?: string;
}

/** True for an expression that makes a text: a string, a template, or a sum with one of these. */
export function isText(node: ts.Node): node is ts.Expression {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return true;
  return isSum(node) && (isText(node.left) || isText(node.right));
}

function isSum(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
}

/** Returns the parts of a literal, a template or a sum of strings, in order. */
export function partsOf(node: ts.Node, file: ts.SourceFile): Part[] {
  if (isSum(node)) return [...partsOf(node.left, file), ...partsOf(node.right, file)];
  if (ts.isStringLiteralLike(node)) return [{ node, literal: sourceOf(node, file) }];
  if (!ts.isTemplateExpression(node)) return [{ node }];
  const { head, templateSpans } = node;
  const spans = templateSpans.flatMap(({ expression, literal }) => [
    { node: expression },
    { node: literal, literal: sourceOf(literal, file) },
  ]);
  return [{ node: head, literal: sourceOf(head, file) }, ...spans];
}

/** Returns the characters of a literal. Line breaks of the source stay; escaped line breaks are marked. */
function sourceOf(node: ts.Node, file: ts.SourceFile): string {
  const source = node.getText(file);
  const inner = source.slice(1, source.endsWith('${') ? -2 : -1);
  return inner.replaceAll(/\\(u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|[\s\S])/gi, (_, escaped: string) => {
    const code = /^[ux]\{?([\da-f]+)\}?$/i.exec(escaped)?.[1];
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    if (escaped === 'n') return ESCAPED_BREAK;
    return /[rtbfv0]/.test(escaped) ? ' ' : escaped;
  });
}

/** Joins the parts of a text. A space between parts on different lines becomes a line break. */
export function textOf(parts: readonly Part[], lineOf: (node: ts.Node) => number): string {
  let text = '';
  const [first] = parts;
  let line = first === undefined ? 1 : lineOf(first.node);
  for (const { node, literal = PLACEHOLDER } of parts) {
    const isBehindSpace = text.endsWith(' ') && !ts.isTemplateMiddleOrTemplateTail(node);
    const skipped = isBehindSpace ? lineOf(node) - line : 0;
    if (skipped > 0) {
      text = text.slice(0, -1) + `${JOINT}\n`.repeat(skipped);
      line += skipped;
    }
    text += literal;
    line += breaksIn(literal);
  }
  return text;
}

/** Splits a text into paragraphs. A line break inside a long line of a template continues the sentence. */
export function paragraphsOf(text: string, firstLine: number): LocatedText[] {
  const paragraphs: { text: string; line: number }[] = [];
  let line = firstLine;
  let last: string | undefined;
  for (const [index, piece] of text.split(/(\n|\u2028)/).entries()) {
    if (index % 2 === 1) {
      if (piece === '\n') line += 1;
      else last = undefined;
      continue;
    }
    const open = paragraphs.at(-1);
    if (open !== undefined && last !== undefined && continues(last, piece)) open.text += `\n${piece}`;
    else paragraphs.push({ text: piece, line });
    last = piece;
  }
  return paragraphs.map((each) => ({ ...each, text: each.text.replaceAll(JOINT, ' ') }));
}

function continues(before: string, after: string): boolean {
  if (before.endsWith(JOINT)) return true;
  const indent = (text: string): number => text.search(/\S/);
  return before.length >= WRAPPED_LENGTH && indent(before) === indent(after) && /^\s*[^\s\-*|#]/.test(after);
}
