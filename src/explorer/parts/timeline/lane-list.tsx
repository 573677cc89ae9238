/** The other lanes, side by side. */

import type { JSX } from 'preact';
import { blockText, counted, numberOf, shown } from '../../format.ts';
import { go, pathOn, pathTo } from '../../router.ts';
import { LaneShape } from './drawing.tsx';
import type { LaneRow } from './line.ts';

const MAX_NAME_LENGTH = 22;

/** Shortens the name of a lane. The end stays, because it distinguishes long names. */
function shortName(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH - 11)}…${name.slice(-10)}`;
}

/** Returns the displayed name of a lane; `null` is the key of the base chain. */
export function laneName(key: string | null): string {
  return key === null ? 'base chain' : shortName(shown(key, 60));
}

function LaneItem({ row, most }: { readonly row: LaneRow; readonly most: number }): JSX.Element {
  const { key, sharedBlock, blockNumber, from } = row.lane;
  const name = laneName(key);
  const [newest, shared] = [numberOf(blockNumber), numberOf(sharedBlock)];
  const words =
    sharedBlock === null
      ? `separate chain, not forked; latest block ${blockText(newest)}`
      : `forked from ${from === null ? 'the base chain' : `lane ${shown(from, 40)}`} at block ${blockText(shared)}, ${counted(newest - shared, 'block')} since`;
  return (
    <li class="lane">
      <LaneShape row={row} most={most} onChoose={(block) => go(pathOn(key ?? '', 'block', String(block)))} />
      <a href={pathOn(key ?? '', 'feed')} title={words} aria-label={`${name} ${blockText(newest)}: ${words}`}>
        <bdi>{name}</bdi> <span class="faint">{blockText(newest)}</span>
      </a>
    </li>
  );
}

/** The lanes with their newest blocks. `more` counts the lanes that are not listed. */
export function LaneList({
  rows,
  more,
  most,
}: {
  readonly rows: readonly LaneRow[];
  readonly more: number;
  readonly most: number;
}): JSX.Element | null {
  if (rows.length === 0 && more === 0) return null;
  return (
    <nav class="lanes" aria-label="Other lanes">
      <ul class="lane-list">
        {rows.map((row) => (
          <LaneItem key={row.lane.key ?? ''} row={row} most={most} />
        ))}
      </ul>
      {more === 0 ? null : (
        <a class="more-lanes" href={pathTo('lanes')}>
          {counted(more, 'more lane')}
        </a>
      )}
    </nav>
  );
}
