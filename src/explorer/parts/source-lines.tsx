import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { shown } from '../format.ts';
import { VirtualList } from './virtual-list.tsx';

const LINE_HEIGHT = 20;

/** The lines of a file with their numbers; `line` is marked and scrolled to, `null` for none. */
export function SourceLines({
  text,
  line = null,
}: {
  readonly text: string;
  readonly line?: number | null;
}): JSX.Element {
  const lines = useMemo(() => text.split('\n'), [text]);
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
          <bdi>{shown(lines[index] ?? '', 400)}</bdi>
        </code>
      )}
    />
  );
}
