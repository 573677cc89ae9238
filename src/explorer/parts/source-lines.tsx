import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { shown } from '../format.ts';
import { highlightedLines, type Piece } from '../highlight.ts';
import { VirtualList } from './lists.tsx';

const LINE_HEIGHT = 20;
const MAX_LINE_LENGTH = 400;

/** Returns the visible part of a line, because minified files have lines of millions of characters. */
export function drawn(pieces: readonly Piece[]): Piece[] {
  const kept: Piece[] = [];
  let left = MAX_LINE_LENGTH;
  for (const piece of pieces) {
    if (left <= 0) return [...kept, { text: '…', kind: '' }];
    kept.push(piece);
    left -= piece.text.length;
  }
  return kept;
}

/** The highlighted lines of a file with numbers. `line` is marked and scrolled into view; `null` for none. */
export function SourceLines({
  text,
  line = null,
}: {
  readonly text: string;
  readonly line?: number | null;
}): JSX.Element {
  const lines = useMemo(() => highlightedLines(text), [text]);
  return (
    <VirtualList
      class="source"
      label="Source"
      count={lines.length}
      rowHeight={LINE_HEIGHT}
      shows={line === null ? null : line - 1}
      row={(index) => (
        <code class={line !== null && index === line - 1 ? 'line here' : 'line'}>
          <span class="faint">{String(index + 1).padStart(4)} </span>
          <bdi>
            {drawn(lines[index] ?? []).map(({ text: part, kind }, place) => (
              <span key={String(place)} class={kind === '' ? undefined : `code-${kind}`}>
                {shown(part, MAX_LINE_LENGTH)}
              </span>
            ))}
          </bdi>
        </code>
      )}
    />
  );
}
