/** Source lines around a position, with the position marked. */

import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { shown } from '../../format.ts';
import { highlightedLines, type Piece } from '../../highlight.ts';
import { Scrolled } from '../lists.tsx';
import type { RunningFunction, SourceExcerpt } from './call-stack.ts';

const MAX_LINE_LENGTH = 400;

/** The pieces of a line before, in and after the marked characters. */
type Marked = readonly [before: readonly Piece[], within: readonly Piece[], after: readonly Piece[]];

/** Splits the pieces of a line at the characters `from` and `to`, counted from 0; `to` is exclusive. */
export function splitPieces(pieces: readonly Piece[], from: number, to: number): Marked {
  const parts: [Piece[], Piece[], Piece[]] = [[], [], []];
  let start = 0;
  for (const { text, kind } of pieces) {
    const [first, last] = [Math.max(0, from - start), Math.max(0, to - start)];
    const texts = [text.slice(0, first), text.slice(first, last), text.slice(Math.max(first, last))];
    for (const [index, part] of texts.entries()) if (part !== '') parts[index]?.push({ text: part, kind });
    start += text.length;
  }
  return parts;
}

function Pieces({ pieces }: { readonly pieces: readonly Piece[] }): JSX.Element {
  return (
    <>
      {pieces.map(({ text, kind }, place) => (
        <span key={String(place)} class={kind === '' ? undefined : `code-${kind}`}>
          {shown(text, MAX_LINE_LENGTH)}
        </span>
      ))}
    </>
  );
}

/** A highlighted line whose characters from `from` to `to` are marked. */
export function MarkedLine({
  pieces,
  range: [from, to],
}: {
  readonly pieces: readonly Piece[];
  readonly range: readonly [from: number, to: number];
}): JSX.Element {
  const [before, within, after] = splitPieces(pieces, from, to);
  return (
    <bdi>
      <Pieces pieces={before} />
      {within.length === 0 ? null : (
        <mark>
          <Pieces pieces={within} />
        </mark>
      )}
      <Pieces pieces={after} />
    </bdi>
  );
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
    // The beginning of the lines stays visible if the position begins in the left half.
    if (right > end && left > (start + end) / 2)
      box.scrollLeft += Math.min(right - end + 12, left - start - 60);
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
          const isHere = line === position.line;
          return (
            <code key={line} class={isHere ? 'line here' : 'line'}>
              <span class="number">{String(line).padStart(digits)}</span>
              <MarkedLine pieces={pieces[index] ?? []} range={[from - indent, to - indent]} />
              {text === '' ? ' ' : null}
            </code>
          );
        })}
      </div>
    </Scrolled>
  );
}
