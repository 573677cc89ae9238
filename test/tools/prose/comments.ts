import type ts from 'typescript';
import { literalRanges } from './literal-ranges.ts';
import { passagesOfMarkdown } from './markdown.ts';
import { breaksIn, type Passage } from './passage.ts';
import { readsAsProse } from './reads-as-prose.ts';

interface Comment {
  /** The content without the marks of the comment. */
  text: string;
  readonly line: number;
  /** The last line, so that comments of one line can be joined. */
  lastLine: number;
  readonly isLine: boolean;
}

/** Comments for tools. */
const DIRECTIVE = /^[\s/]*(?:biome-|eslint-|ts-|@ts-|prettier-|c8 |v8 |istanbul |#|@vite|webpack|<reference)/;

/** A tag of JSDoc with its type and its parameter. The text behind it is prose. */
const TAG = /^\s*@(?:param|property|typedef|throws|returns|template|type|example|see)?\w*(?:\s+\{[^}]*\})?/;

/** Returns the prose of all comments. Comments of one line on consecutive lines are one text. */
export function passagesOfComments(file: ts.SourceFile): Passage[] {
  return joined(commentsOf(file))
    .filter(({ text }) => !DIRECTIVE.test(text))
    .flatMap(({ text, line }) => passagesOfMarkdown(withoutTags(text), 'comments', line))
    .filter(({ prose }) => readsAsProse(prose) || prose.split(/\s+/).length > 25);
}

function commentsOf(file: ts.SourceFile): Comment[] {
  const { text: source } = file;
  const ranges = literalRanges(file);
  const marks = /\/\/|\/\*/g;
  const comments: Comment[] = [];
  let next = 0;
  for (let mark = marks.exec(source); mark !== null; mark = marks.exec(source)) {
    const { index } = mark;
    while ((ranges[next]?.end ?? Infinity) <= index) next += 1;
    const range = ranges[next];
    if (range !== undefined && range.pos <= index) {
      marks.lastIndex = range.end;
      continue;
    }
    const isLine = mark[0] === '//';
    const found = source.indexOf(isLine ? '\n' : '*/', index);
    const end = found === -1 ? source.length : found;
    const line = file.getLineAndCharacterOfPosition(index).line + 1;
    const raw = source.slice(index + 2, end);
    const text = isLine ? raw.trim() : raw.replaceAll(/^\*|^[ \t]*\*[ \t]?/gm, '').replaceAll(/^[ \t]/gm, '');
    const ownLine = isLine && /^[ \t]*$/.test(source.slice(source.lastIndexOf('\n', index) + 1, index));
    comments.push({ text, line, lastLine: line + breaksIn(raw), isLine: ownLine });
    marks.lastIndex = end;
  }
  return comments;
}

function joined(comments: readonly Comment[]): Comment[] {
  const all: Comment[] = [];
  for (const comment of comments) {
    const last = all.at(-1);
    if (last?.isLine && comment.isLine && last.lastLine + 1 === comment.line) {
      last.text += `\n${comment.text}`;
      last.lastLine = comment.line;
    } else all.push({ ...comment });
  }
  return all;
}

/** Ends the text before each JSDoc tag, and removes the tag. */
function withoutTags(text: string): string {
  return text
    .split('\n')
    .map((line) => (TAG.test(line) ? `- ${line.replace(TAG, '').trimStart()}` : line))
    .join('\n');
}
