/** Source lines around a position, with the position marked. */

import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { shown } from '../../format.ts';
import { highlightedLines, type Piece } from '../../highlight.ts';
import { Scrolled } from '../lists.tsx';
import type { RunningFunction, SourceExcerpt } from './call-stack.ts';

const MAX_LINE_LENGTH = 400;
const TAB = '    ';

/** A piece of a line; `isMarked` for the position. */
interface MarkedPiece extends Piece {
  readonly isMarked: boolean;
}

/** Splits the pieces of a line at the characters `from` and `to`, counted from 0; `to` is exclusive. */
export function markedPieces(pieces: readonly Piece[], from: number, to: number): MarkedPiece[] {
  const marked: MarkedPiece[] = [];
  let start = 0;
  for (const { text, kind } of pieces) {
    const [first, last] = [Math.max(0, from - start), Math.max(0, to - start)];
    for (const [part, isMarked] of [
      [text.slice(0, first), false],
      [text.slice(first, last), true],
      [text.slice(Math.max(first, last)), false],
    ] as const)
      if (part !== '') marked.push({ text: part, kind, isMarked });
    start += text.length;
  }
  return marked;
}

/** Highlights lines that may start within a comment. */
function highlighted(lines: readonly string[]): readonly (readonly Piece[])[] {
  const text = lines.join('\n');
  const [end, start] = [text.indexOf('*/'), text.indexOf('/*')];
  const isInComment = end >= 0 && (start < 0 || end < start);
  if (!isInComment) return highlightedLines(text);
  const [[opening, ...rest] = [], ...others] = highlightedLines(`/*${text}`);
  return [opening === undefined ? rest : [{ ...opening, text: opening.text.slice(2) }, ...rest], ...others];
}

/** Returns the number of characters before the code in all lines. */
function indentOf(lines: readonly string[]): number {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  return indents.length === 0 ? 0 : Math.min(...indents);
}

type Position = Pick<RunningFunction, 'line' | 'column' | 'endLine' | 'endColumn'>;

/** Maximum marked lines. A longer position is a whole function: the step only enters or leaves it. */
const MAX_MARKED = 6;

/** The characters of the position in one line, counted from 0. */
export function rangeIn(line: number, text: string, { line: first, column, endLine, endColumn }: Position) {
  if (first === null || endLine === null || line < first || line > endLine) return [0, 0] as const;
  if (endLine - first >= MAX_MARKED && line > first) return [0, 0] as const;
  const from = line === first ? (column ?? 1) - 1 : Math.max(0, text.search(/\S/));
  return [from, line === endLine ? (endColumn ?? 1) - 1 : text.trimEnd().length] as const;
}

export function Excerpt({
  excerpt: { first, lines: given },
  position,
  label,
}: {
  readonly excerpt: SourceExcerpt;
  readonly position: Position;
  readonly label: string;
}): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  // A phone may not fit the position.
  useLayoutEffect(() => {
    const box = frame.current?.parentElement ?? null;
    const mark = frame.current?.querySelector('mark') ?? null;
    if (box === null || mark === null) return;
    const [{ left, right }, { left: start, right: end }] = [
      mark.getBoundingClientRect(),
      box.getBoundingClientRect(),
    ];
    if (right > end) box.scrollLeft += Math.min(right - end + 12, left - start - 60);
  }, [first, position.line]);
  const indent = indentOf(given);
  const lines = given.map((line) => line.slice(indent));
  const pieces = highlighted(lines);
  const digits = String(first + lines.length).length;
  return (
    <Scrolled class="excerpt" label={label}>
      <div ref={frame}>
        {lines.map((text, index) => {
          const line = first + index;
          const [from, to] = rangeIn(line, given[index] ?? '', position);
          const marked = markedPieces(pieces[index] ?? [], from - indent, to - indent);
          const isHere = line === position.line;
          return (
            <code key={line} class={isHere ? 'line here' : 'line'}>
              <span class="number">{String(line).padStart(digits)}</span>
              <bdi>
                {marked.map(({ text: part, kind, isMarked }, place) => {
                  const content = shown(part, MAX_LINE_LENGTH).replaceAll('\t', TAB);
                  const className = kind === '' ? undefined : `code-${kind}`;
                  const key = String(place);
                  return isMarked ? (
                    <mark key={key} class={className}>
                      {content}
                    </mark>
                  ) : (
                    <span key={key} class={className}>
                      {content}
                    </span>
                  );
                })}
                {text === '' ? ' ' : null}
              </bdi>
            </code>
          );
        })}
      </div>
    </Scrolled>
  );
}
