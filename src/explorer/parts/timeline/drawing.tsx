/** The shapes of the timeline. */

import type { JSX } from 'preact';
import { blockText, grouped, numberOf } from '../../format.ts';
import {
  AXIS,
  type AxisLabel,
  BRANCH,
  firstOf,
  HEIGHT,
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

/** A block, or a run of empty blocks. */
function CellShape({
  place: { cell, x, width },
  sizes,
  most,
  isUpstream,
  isChosen,
}: {
  readonly place: Positioned;
  readonly sizes: Sizes;
  readonly most: number;
  readonly isUpstream: boolean;
  readonly isChosen: boolean;
}): JSX.Element {
  const { height } = sizes;
  const hit = isChosen ? 'hit chosen' : 'hit';
  const origin = isUpstream ? ' upstream' : '';
  const title = `${titleOf(cell)}${isUpstream ? '; from the forked chain' : ''}`;
  if (cell.kind === 'empty')
    return (
      <g class={`cell folded${origin}`}>
        <title>{title}</title>
        <rect x={x} y={0} width={width} height={height} class={hit} />
        <line x1={x + 3} x2={x + width - 3} y1={height - 2} y2={height - 2} />
        <text x={x + width / 2} y={height - 5}>
          ×{grouped(lastOf(cell) - firstOf(cell) + 1)}
        </text>
      </g>
    );
  const tall = heightOf(cell, most, sizes);
  return (
    <g class={`cell ${cell.failed > 0 ? 'failed' : cell.transactions > 0 ? 'used' : 'plain'}${origin}`}>
      <title>{title}</title>
      <rect x={x} y={0} width={width} height={height} class={hit} />
      <rect x={x + 1.5} y={height - tall} width={width - 3} height={tall} rx={1.5} class="bar" />
    </g>
  );
}

/** The cells of one chain. */
export function Cells({
  places,
  sizes,
  most,
  forkBlock = 0,
  chosen,
}: {
  readonly places: readonly Positioned[];
  readonly sizes: Sizes;
  readonly most: number;
  /** The latest block from the forked chain; 0 if the chain is not a fork. */
  readonly forkBlock?: number;
  readonly chosen?: Positioned | undefined;
}): JSX.Element {
  return (
    <>
      {places.map((place) => (
        <CellShape
          key={place.cell.kind === 'block' ? place.cell.hash : place.cell.first}
          place={place}
          sizes={sizes}
          most={most}
          isUpstream={forkBlock > 0 && lastOf(place.cell) <= forkBlock}
          isChosen={place === chosen}
        />
      ))}
    </>
  );
}

/** The mark of a lane at its fork block, on the main line. */
export function ForkMark({
  place,
  name,
}: {
  readonly place: Positioned;
  readonly name: string;
}): JSX.Element {
  return (
    <circle cx={place.x + place.width / 2} cy={MAIN.height} r={2.5} class="fork-mark">
      <title>
        {name} forked at block {blockText(lastOf(place.cell))}
      </title>
    </circle>
  );
}

/** The newest blocks of a lane. A lane without blocks of its own has a ring. */
export function LaneShape({
  row: { places, width, isCut },
  most,
  onChoose,
}: {
  readonly row: LaneRow;
  readonly most: number;
  /** Called with the clicked block. */
  readonly onChoose: (block: number) => void;
}): JSX.Element {
  const choose = (event: MouseEvent & { readonly currentTarget: SVGSVGElement }): void => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const found = places.find((one) => one.x <= x && x < one.x + one.width);
    if (found !== undefined) onChoose(lastOf(found.cell));
  };
  return (
    <>
      {isCut ? <span class="faint">…</span> : null}
      <svg width={Math.max(width, 10)} height={BRANCH.height} onClick={choose} aria-hidden="true">
        {places.length === 0 ? <circle cx={5} cy={BRANCH.height / 2} r={3} class="start" /> : null}
        <Cells places={places} sizes={BRANCH} most={most} />
      </svg>
    </>
  );
}

/** The axis with block numbers. */
export function Axis({
  labels,
  width,
}: {
  readonly labels: readonly AxisLabel[];
  readonly width: number;
}): JSX.Element {
  return (
    <g class="axis">
      <line x1={0} x2={width} y1={AXIS} y2={AXIS} />
      {labels.map(({ x, text }) => (
        <g key={text}>
          <line x1={x + 1.5} x2={x + 1.5} y1={AXIS} y2={HEIGHT} />
          <text x={x + 4} y={HEIGHT - 1.5}>
            {text}
          </text>
        </g>
      ))}
    </g>
  );
}

function middleOfTrack(track: number | null): number {
  return track === null ? MAIN.height : MAIN.height + 2 + track * SIDE + SIDE / 2;
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
      <rect x={x + 1.5} y={y - SIDE / 2 + 0.5} width={MAIN.block - 3} height={SIDE - 1} rx={1} />
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
    <path class="flag" d={`M${place.x + place.width - 1} 0v9l-6-3 6-3`}>
      <title>
        Snapshot {id} at block {blockText(numberOf(blockNumber))}
      </title>
    </path>
  );
}
