/** The source file of the debug view, with breakpoints next to its lines. */

import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { shown } from '../../format.ts';
import { highlightedLines } from '../../highlight.ts';
import type { RunningFunction } from '../../parts/failure/call-stack.ts';
import { MarkedLine, rangeIn } from '../../parts/failure/excerpt.tsx';
import { VirtualList } from '../../parts/lists.tsx';
import { drawn } from '../../parts/source-lines.tsx';
import type { Breakpoint } from './breakpoints.ts';

const LINE_HEIGHT = 20;
const NOWHERE = [0, 0] as const;

/** The mark next to a line: a breakpoint with code, one without code, or none. */
type Mark = 'set' | 'unmapped' | 'none';

function markOf(line: number, found: readonly Breakpoint[]): readonly [Mark, string] {
  const here = found.find((each) => (each.actualLine ?? each.line) === line);
  if (here === undefined) return ['none', `Set a breakpoint on line ${line}`];
  if (here.reason !== null) return ['unmapped', `Breakpoint without code: ${here.reason}`];
  return ['set', `Remove the breakpoint on line ${line}`];
}

export function CodeView({
  text,
  line,
  position,
  isCaller,
  isFailure,
  breakpoints,
  onToggle,
}: {
  readonly text: string;
  readonly line: number;
  /** The expression of the step; `null` while it is loading. */
  readonly position: Pick<RunningFunction, 'line' | 'column' | 'endLine' | 'endColumn'> | null;
  /** True for the call of an outer function. */
  readonly isCaller: boolean;
  readonly isFailure: boolean;
  readonly breakpoints: readonly Breakpoint[];
  readonly onToggle: (line: number) => void;
}): JSX.Element {
  const lines = useMemo(() => highlightedLines(text), [text]);
  const texts = useMemo(() => text.split('\n'), [text]);
  const here = `here${isCaller ? ' caller' : ''}${isFailure ? ' failing' : ''}`;
  return (
    <VirtualList
      class={isFailure ? 'source code-view at-failure' : 'source code-view'}
      label="Source"
      count={lines.length}
      rowHeight={LINE_HEIGHT}
      shows={line - 1}
      row={(index) => {
        const number = index + 1;
        const [mark, title] = markOf(number, breakpoints);
        const range = position === null ? NOWHERE : rangeIn(number, texts[index] ?? '', position);
        return (
          <code class={number === line ? `line ${here}` : 'line'} aria-current={number === line || undefined}>
            {/* The form of the breakpoints serves the keyboard. */}
            <button
              type="button"
              tabIndex={-1}
              class={`gutter ${mark}`}
              aria-pressed={mark !== 'none'}
              aria-label={shown(title, 300)}
              title={shown(title, 300)}
              onClick={() => onToggle(number)}
            >
              {number}
            </button>
            <MarkedLine pieces={drawn(lines[index] ?? [])} range={range} />
          </code>
        );
      }}
    />
  );
}
