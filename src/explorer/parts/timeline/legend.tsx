/** The legend of the timeline. Marks that are not drawn are omitted. */

import type { JSX } from 'preact';
import { type Cell, lastOf, type SideCell } from './line.ts';

/** The content of the timeline. */
export interface Drawn {
  readonly cells: readonly Cell[];
  /** The latest block from the forked chain; 0 if the chain is not a fork. */
  readonly forkBlock: number;
  readonly side: readonly SideCell[];
  readonly hasSnapshots: boolean;
  readonly hasForkedLanes: boolean;
}

/** Returns the kinds of marks, and their descriptions, in the order of the legend. */
function marksOf({
  cells,
  forkBlock,
  side,
  hasSnapshots,
  hasForkedLanes,
}: Drawn): readonly (readonly [string, string])[] {
  const blocks = cells.filter((cell) => cell.kind === 'block');
  const marks: readonly (readonly [string, string, boolean])[] = [
    ['used', 'transactions', blocks.some(({ transactions, failed }) => transactions > 0 && failed === 0)],
    ['failed', 'failed', blocks.some(({ failed }) => failed > 0)],
    ['plain', 'empty', cells.some((cell) => cell.kind === 'empty' || cell.transactions === 0)],
    ['upstream', 'forked chain', forkBlock > 0 && cells.some((cell) => lastOf(cell) <= forkBlock)],
    ['snapshot', 'snapshot', hasSnapshots],
    ['forked', 'lane', hasForkedLanes],
    ['removed', 'reverted', side.some(({ reason }) => reason === 'removed')],
    ['lost', 'orphaned', side.some(({ reason }) => reason === 'lost')],
  ];
  return marks.flatMap(([kind, words, isDrawn]) => (isDrawn ? [[kind, words] as const] : []));
}

export function Legend({ drawn }: { readonly drawn: Drawn }): JSX.Element {
  return (
    <ul class="legend" aria-label="Legend">
      <li>height = gas</li>
      {marksOf(drawn).map(([kind, words]) => (
        <li key={kind}>
          <i class={`mark ${kind}`} />
          {words}
        </li>
      ))}
    </ul>
  );
}
