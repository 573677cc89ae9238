/** The shapes of the timeline. */

import type { JSX } from 'preact';
import { blockText, grouped, numberOf } from '../../format.ts';
import {
  BRANCH,
  firstOf,
  heightOf,
  type LaneRow,
  lastOf,
  MAIN,
  type Positioned,
  SIDE,
  type SidePlace,
  type Sizes,
  type Snapshot,
  titleOf,
} from './line.ts';

/** A block, or a run of empty blocks, at `y`. */
function CellShape({
  place: { cell, x, width },
  y,
  sizes,
  most,
  isChosen,
}: {
  readonly place: Positioned;
  readonly y: number;
  readonly sizes: Sizes;
  readonly most: number;
  readonly isChosen: boolean;
}): JSX.Element {
  const { height } = sizes;
  const hit = isChosen ? 'hit chosen' : 'hit';
  const bottom = y + height;
  if (cell.kind === 'empty')
    return (
      <g class="cell folded">
        <title>{titleOf(cell)}</title>
        <rect x={x} y={y} width={width} height={height} class={hit} />
        <line x1={x + 3} x2={x + width - 3} y1={bottom - 2} y2={bottom - 2} />
        <text x={x + width / 2} y={bottom - (height > 30 ? 8 : 6)}>
          ×{grouped(lastOf(cell) - firstOf(cell) + 1)}
        </text>
      </g>
    );
  const tall = heightOf(cell, most, sizes);
  return (
    <g class={`cell ${cell.failed > 0 ? 'failed' : cell.transactions > 0 ? 'used' : 'plain'}`}>
      <title>{titleOf(cell)}</title>
      <rect x={x} y={y} width={width} height={height} class={hit} />
      <rect x={x + 1.5} y={bottom - tall} width={width - 3} height={tall} rx={1.5} class="bar" />
    </g>
  );
}

/** The cells of one chain. */
export function Cells({
  places,
  y = 0,
  sizes,
  most,
  chosen,
}: {
  readonly places: readonly Positioned[];
  readonly y?: number;
  readonly sizes: Sizes;
  readonly most: number;
  readonly chosen?: Positioned | undefined;
}): JSX.Element {
  return (
    <>
      {places.map((place) => (
        <CellShape
          key={place.cell.kind === 'block' ? place.cell.hash : place.cell.first}
          place={place}
          y={y}
          sizes={sizes}
          most={most}
          isChosen={place === chosen}
        />
      ))}
    </>
  );
}

/** A lane: the line from its fork block, and its blocks. */
export function LaneShape({ row, most }: { readonly row: LaneRow; readonly most: number }): JSX.Element {
  const { fork, y, places, end, lane } = row;
  const middle = y + BRANCH.height - 2;
  const start = places[0]?.x ?? end;
  return (
    <g class="lane">
      <path
        class={lane.isCut ? 'way cut' : 'way'}
        d={`M${fork.x} ${fork.y}V${middle - 5}q0 5 5 5H${Math.max(start, fork.x + 6)}`}
      />
      {places.length === 0 ? <circle cx={end} cy={middle} r={3} class="start" /> : null}
      <Cells places={places} y={y} sizes={BRANCH} most={most} />
    </g>
  );
}

function middleOfTrack(track: number | null): number {
  return track === null ? MAIN.height : MAIN.height + 4 + track * SIDE + (SIDE - 3) / 2;
}

/** An orphaned or reverted block; older ones are paler. */
export function SideShape({ place: { cell, x, track, from } }: { readonly place: SidePlace }): JSX.Element {
  const y = middleOfTrack(track);
  return (
    <g class={`side ${cell.reason}`} style={{ opacity: 0.65 / (track + 1) }}>
      <title>
        {titleOf(cell)}; {cell.reason === 'lost' ? 'orphaned' : 'reverted'}
      </title>
      {from === null ? null : (
        <path class="way" d={`M${from.x} ${middleOfTrack(from.track)}L${from.x} ${y}H${x + 1.5}`} />
      )}
      <rect x={x + 1.5} y={y - (SIDE - 3) / 2} width={MAIN.block - 3} height={SIDE - 3} rx={1.5} />
    </g>
  );
}

/** A snapshot: a flag at the right end of its block. */
export function Flag({
  place,
  snapshot: { id, blockNumber },
}: {
  readonly place: Positioned;
  readonly snapshot: Snapshot;
}): JSX.Element {
  return (
    <path class="flag" d={`M${place.x + place.width - 1} 0v12l-7-4 7-4`}>
      <title>
        Snapshot {id} at block {blockText(numberOf(blockNumber))}
      </title>
    </path>
  );
}
