/** The line of blocks on top of all views: height is gas, colour is failed or not. */

import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { client, headNumber, moment } from '../chain.ts';
import { absoluteTime, errorText, grouped, numberOf } from '../format.ts';
import { go, pathTo } from '../router.ts';
import { atBlock } from './moment-bar.tsx';
import { NextBlock } from './next-block.tsx';
import { useCalmHead } from './use-calm-head.ts';
import { announcement } from './values.tsx';

interface BlockCell {
  readonly kind: 'block';
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly gasUsed: string;
  readonly gasLimit: string;
  readonly transactions: number;
  readonly failed: number;
}

interface EmptyCell {
  readonly kind: 'empty';
  readonly first: string;
  readonly last: string;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
}

type Cell = BlockCell | EmptyCell;

interface Line {
  readonly cells: readonly Cell[];
  readonly next: string | null;
  readonly side: readonly (BlockCell & { readonly reason: 'lost' | 'removed' })[];
}

interface Snapshot {
  readonly id: string;
  readonly blockNumber: string;
}

const CELL_WIDTH = 12;
const EMPTY_WIDTH = 44;
const HEIGHT = 44;
const SIDE_HEIGHT = 12;
const CELLS_AT_ONCE = 150;

/** Where the cells are, the oldest first. */
interface Placed {
  readonly cell: Cell;
  readonly x: number;
  readonly width: number;
}

function placed(cells: readonly Cell[]): { readonly places: readonly Placed[]; readonly width: number } {
  let x = 0;
  const places: Placed[] = [];
  for (const cell of [...cells].reverse()) {
    const width = cell.kind === 'block' ? CELL_WIDTH : EMPTY_WIDTH;
    places.push({ cell, x, width });
    x += width;
  }
  return { places, width: x };
}

function lastOf(cell: Cell): number {
  return numberOf(cell.kind === 'block' ? cell.number : cell.last);
}

function firstOf(cell: Cell): number {
  return numberOf(cell.kind === 'block' ? cell.number : cell.first);
}

function titleOf(cell: Cell): string {
  if (cell.kind === 'empty') {
    const count = lastOf(cell) - firstOf(cell) + 1;
    return `${grouped(count)} empty blocks, #${firstOf(cell)} to #${lastOf(cell)}, ${absoluteTime(numberOf(cell.firstTimestamp))}`;
  }
  const failed = cell.failed === 0 ? '' : `, ${cell.failed} failed`;
  return `Block #${numberOf(cell.number)}: ${cell.transactions} transactions${failed}, ${grouped(BigInt(cell.gasUsed))} gas, ${absoluteTime(numberOf(cell.timestamp))}`;
}

/** Returns the height of a block's cell: what its gas is of the most, on a scale on which small blocks are still seen. */
function heightOf(cell: BlockCell, most: number): number {
  const gas = numberOf(cell.gasUsed);
  return gas === 0 ? 3 : 6 + (HEIGHT - 8) * Math.sqrt(gas / most);
}

function CellShape({
  place: { cell, x, width },
  most,
  isChosen,
}: {
  readonly place: Placed;
  readonly most: number;
  readonly isChosen: boolean;
}): JSX.Element {
  if (cell.kind === 'empty')
    return (
      <g class="cell folded">
        <title>{titleOf(cell)}</title>
        <rect x={x} y={0} width={width} height={HEIGHT} class={isChosen ? 'hit chosen' : 'hit'} />
        <line x1={x + 3} x2={x + width - 3} y1={HEIGHT - 2} y2={HEIGHT - 2} />
        <text x={x + width / 2} y={HEIGHT - 8}>
          ×{lastOf(cell) - firstOf(cell) + 1}
        </text>
      </g>
    );
  const height = heightOf(cell, most);
  return (
    <g class={`cell ${cell.failed > 0 ? 'failed' : cell.transactions > 0 ? 'used' : 'plain'}`}>
      <title>{titleOf(cell)}</title>
      <rect x={x} y={0} width={width} height={HEIGHT} class={isChosen ? 'hit chosen' : 'hit'} />
      <rect x={x + 1.5} y={HEIGHT - height} width={width - 3} height={height} rx={1.5} class="bar" />
    </g>
  );
}

/** Does something that changes the chain, and says so. */
export async function act(words: string, method: string, params: readonly unknown[] = []): Promise<void> {
  try {
    await client.act(method, params);
    announcement.value = words;
  } catch (error) {
    announcement.value = `${words}: ${errorText(error)}`;
    window.alert(errorText(error));
  }
}

/** The time line, with the buttons that change the chain. */
export function Timeline(): JSX.Element {
  const [line, setLine] = useState<Line | null>(null);
  const [older, setOlder] = useState<readonly Cell[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [snapshots, setSnapshots] = useState<readonly Snapshot[]>([]);
  const [lanes, setLanes] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const isReading = useRef(false);

  const read = async (): Promise<void> => {
    // While one answer is awaited no other is asked: the next head asks again.
    if (isReading.current) return;
    isReading.current = true;
    try {
      const [newest, kept] = await Promise.all([
        client.read<Line>('inspect_timeline', [null, CELLS_AT_ONCE].slice(0, 2)),
        client.read<readonly Snapshot[]>('evm_listSnapshots'),
      ]);
      setLine(newest);
      setNext((before) => (older.length === 0 ? newest.next : before));
      setSnapshots(kept);
    } finally {
      isReading.current = false;
    }
  };
  const hash = useCalmHead();
  useEffect(() => {
    void read().catch(() => undefined);
  }, [hash]);
  useEffect(() => {
    client.read('lane_list').then(
      () => setLanes(true),
      () => setLanes(false),
    );
  }, []);
  const newestShown = line?.cells[0];
  useEffect(() => {
    if (frame.current !== null && moment.value === null) frame.current.scrollLeft = frame.current.scrollWidth;
  }, [newestShown === undefined ? '' : titleOf(newestShown)]);

  const more = async (): Promise<void> => {
    if (next === null) return;
    const answer = await client.read<Line>('inspect_timeline', [next, 2 * CELLS_AT_ONCE]);
    const before = frame.current?.scrollWidth ?? 0;
    setOlder([...older, ...answer.cells]);
    setNext(answer.next);
    requestAnimationFrame(() => {
      if (frame.current !== null) frame.current.scrollLeft = frame.current.scrollWidth - before;
    });
  };

  const cells = useMemo(() => {
    const newest = line?.cells ?? [];
    const lowest = newest.length === 0 ? 0 : firstOf(newest[newest.length - 1] as Cell);
    return [...newest, ...older.filter((cell) => lastOf(cell) < lowest)];
  }, [line, older]);
  const { places, width } = useMemo(() => placed(cells), [cells]);
  const most = Math.max(1, ...cells.map((cell) => (cell.kind === 'block' ? numberOf(cell.gasUsed) : 0)));
  const at = moment.value ?? headNumber.value;
  const xOf = (number: number): Placed | undefined =>
    places.find(({ cell }) => firstOf(cell) <= number && number <= lastOf(cell));
  const chosen = xOf(at);
  const chooseAt = (event: MouseEvent & { readonly currentTarget: SVGSVGElement }): void => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const place = places.find((one) => one.x <= x && x < one.x + one.width);
    if (place === undefined) return;
    const number = lastOf(place.cell);
    go(number === headNumber.value ? atBlock(null) : atBlock(number));
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (step === 0) {
      if (event.key === 'Enter') go(pathTo('block', String(at)));
      return;
    }
    event.preventDefault();
    const number = Math.min(headNumber.value, Math.max(0, at + step));
    go(number === headNumber.value ? atBlock(null) : atBlock(number), true);
    announcement.value = `Block ${number}`;
  };
  const side = line?.side ?? [];
  return (
    <section class="timeline" aria-label="Time line">
      <div
        class="line"
        ref={frame}
        tabIndex={0}
        role="slider"
        aria-label="Block that is shown"
        aria-valuemin={0}
        aria-valuemax={headNumber.value}
        aria-valuenow={at}
        onKeyDown={onKey}
      >
        {next === null ? null : (
          <button type="button" class="older" onClick={() => void more()}>
            Older
          </button>
        )}
        <svg
          width={Math.max(width, 1)}
          height={HEIGHT + SIDE_HEIGHT + 4}
          onClick={chooseAt}
          aria-hidden="true"
        >
          {places.map((place) => (
            <CellShape
              key={place.cell.kind === 'block' ? place.cell.hash : place.cell.first}
              place={place}
              most={most}
              isChosen={place === chosen}
            />
          ))}
          {snapshots.map(({ id, blockNumber }) => {
            const place = xOf(numberOf(blockNumber));
            return place === undefined ? null : (
              <path key={id} class="flag" d={`M${place.x + place.width - 1} 0v12l-7-4 7-4`}>
                <title>
                  Snapshot {id} at block #{numberOf(blockNumber)}
                </title>
              </path>
            );
          })}
          {side.map((cell) => {
            const place = xOf(Math.min(numberOf(cell.number), headNumber.value));
            if (place === undefined) return null;
            const beyond = numberOf(cell.number) - lastOf(place.cell);
            return (
              <rect
                key={cell.hash}
                class={`side ${cell.reason}`}
                x={place.x + 1.5 + beyond * CELL_WIDTH}
                y={HEIGHT + 4}
                width={CELL_WIDTH - 3}
                height={SIDE_HEIGHT - 4}
                rx={1.5}
              >
                <title>
                  {titleOf(cell)};{' '}
                  {cell.reason === 'lost' ? 'lost to another block' : 'left the chain by a revert'}
                </title>
              </rect>
            );
          })}
        </svg>
      </div>
      <div class="acts" role="toolbar" aria-label="Change the chain">
        <button type="button" onClick={() => void act('Mined a block', 'evm_mine')}>
          Mine
        </button>
        <button
          type="button"
          onClick={async () => {
            await act('An hour later', 'evm_increaseTime', [3600]);
            await act('Mined a block', 'evm_mine');
          }}
        >
          +1 hour
        </button>
        <button type="button" onClick={() => void act('Snapshot taken', 'evm_snapshot').then(read)}>
          Snapshot
        </button>
        <RevertTo snapshots={snapshots} />
        <NextBlock />
        {lanes ? <ForkLane at={moment.value} /> : null}
        <a href={pathTo('block', String(at))}>Block #{at}</a>
      </div>
    </section>
  );
}

/** A menu of the snapshots that the chain can go back to. */
function RevertTo({ snapshots }: { readonly snapshots: readonly Snapshot[] }): JSX.Element {
  return (
    <select
      aria-label="Revert to a snapshot"
      disabled={snapshots.length === 0}
      value=""
      onChange={(event) => {
        const id = event.currentTarget.value;
        event.currentTarget.value = '';
        if (id !== '') void act('Reverted', 'evm_revert', [id]);
      }}
    >
      <option value="">Revert to…</option>
      {[...snapshots].reverse().map(({ id, blockNumber }) => (
        <option key={id} value={id}>
          {id}: block #{numberOf(blockNumber)}
        </option>
      ))}
    </select>
  );
}

/** Makes a lane out of this chain, as it is now or after the block that is shown, and opens it. */
function ForkLane({ at }: { readonly at: number | null }): JSX.Element {
  const fork = async (): Promise<void> => {
    const block = at === null ? {} : { from: { block: `0x${at.toString(16)}` } };
    try {
      const key = await client.act<string>('lane_create', [block]);
      window.open(`/${encodeURIComponent(key)}`, '_blank');
      announcement.value = `Lane ${key} made`;
    } catch (error) {
      window.alert(errorText(error));
    }
  };
  return (
    <button type="button" onClick={() => void fork()}>
      Fork a lane here
    </button>
  );
}
