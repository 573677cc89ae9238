/** The timeline of blocks above all views: gas as height, failures as colour, other lanes beside it. */

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { client, clockNews, epoch, headNumber, laneNews, moment, takeChainTime } from '../chain.ts';
import { blockText, numberOf } from '../format.ts';
import { forkBlock } from '../log-search.ts';
import { go, pathTo, place } from '../router.ts';
import { RpcError } from '../rpc/client.ts';
import { atBlock } from './bars.tsx';
import { Acts } from './timeline/acts.tsx';
import { Axis, Cells, Flag, ForkMark, SideShape } from './timeline/drawing.tsx';
import { LaneList, laneName } from './timeline/lane-list.tsx';
import { Legend } from './timeline/legend.tsx';
import {
  axisLabels,
  type Cell,
  firstOf,
  HEIGHT,
  type Lane,
  type Line,
  laneRow,
  lastOf,
  MAIN,
  placed,
  placeOf,
  type Snapshot,
  sidePlaces,
  titleOf,
} from './timeline/line.ts';
import { useCalm, useCalmHead, useReadState } from './use-read.ts';

const CELLS_AT_ONCE = 150;
/** Extra cells beyond the visible ones. */
const CELLS_BESIDE = 20;
/** Maximum cells per response of the node. */
const MAX_CELLS = 1_000;
/** Blocks per page key. */
const PAGE = 10;
/** Maximum side blocks in the list for screen readers. */
const MAX_READ = 20;
const NOTHING: Line = { cells: [], next: null, side: [] };

interface Shown {
  readonly line: Line;
  readonly snapshots: readonly Snapshot[];
  /** The latest block from the forked chain; 0 if the chain is not a fork. */
  readonly forkBlock: number;
}

interface Lanes {
  readonly lanes: readonly Lane[];
  readonly more: number;
}

/** Reads the visible cells and a few more. It runs after each new block. */
async function readShown(): Promise<Shown> {
  const count = Math.ceil(innerWidth / MAIN.block) + CELLS_BESIDE;
  const [line, snapshots, upstream] = await Promise.all([
    client.read<Line & { readonly time: string }>('inspect_timeline', [null, Math.min(count, MAX_CELLS)]),
    client.read<readonly Snapshot[]>('evm_listSnapshots'),
    forkBlock(),
  ]);
  takeChainTime(numberOf(line.time));
  return { line, snapshots, forkBlock: upstream };
}

/** Goes to a block. With `isStep`, many moves make one history entry. */
function goToBlock(number: number, isStep: boolean): void {
  go(number === headNumber.value ? atBlock(null) : atBlock(number), isStep);
}

/** The snapshots and side blocks as a list for screen readers. */
function Beside({ line, snapshots }: Shown): JSX.Element {
  return (
    <ul class="unseen" aria-label="Snapshots and orphaned blocks">
      {snapshots.map(({ id, blockNumber }) => (
        <li key={id}>
          Snapshot {id} at block {blockText(numberOf(blockNumber))}
        </li>
      ))}
      {line.side.slice(0, MAX_READ).map((cell) => (
        <li key={cell.hash}>
          {titleOf(cell)}; {cell.reason === 'lost' ? 'orphaned' : 'reverted'}
        </li>
      ))}
    </ul>
  );
}

interface OlderCells {
  readonly epoch: number;
  readonly cells: readonly Cell[];
  readonly next: string | null;
}

/** The timeline, and the tabs and action buttons below it. */
export function Timeline({ tabs }: { readonly tabs: ComponentChildren }): JSX.Element {
  const [changes, setChanges] = useState(0);
  const [kept, keep] = useState<OlderCells | null>(null);
  const [canHaveLanes, setCanHaveLanes] = useState(true);
  const frame = useRef<HTMLDivElement>(null);
  const hash = useCalmHead();
  const news = useCalm(laneNews);
  const { value } = useReadState(readShown, [hash, changes, useCalm(clockNews)]);
  const { value: lanes = null } = useReadState(
    async () => {
      if (!canHaveLanes) return null;
      return client.read<Lanes>('inspect_lanes').catch((error: unknown) => {
        if (error instanceof RpcError) setCanHaveLanes(false);
        return null;
      });
    },
    canHaveLanes ? [hash, news, changes] : [],
  );
  const line = value?.line ?? NOTHING;
  const upstream = value?.forkBlock ?? 0;
  const older = kept?.epoch === epoch.value ? kept : null;
  const next = older === null ? line.next : older.next;

  const cells = useMemo(() => {
    const lowest = line.cells.at(-1);
    const above = lowest === undefined ? 0 : firstOf(lowest);
    return [...line.cells, ...(older?.cells ?? []).filter((cell) => lastOf(cell) < above)];
  }, [line, older]);
  const { places, end } = useMemo(() => placed(cells, MAIN), [cells]);
  const side = useMemo(() => sidePlaces(line.side, places), [line, places]);
  const own = place.value.chain === '' ? null : place.value.chain;
  const rows = useMemo(() => (lanes?.lanes ?? []).map(laneRow), [lanes]);
  const forks = rows.flatMap(({ lane: { key, from, sharedBlock } }) => {
    const place = from === own && sharedBlock !== null ? placeOf(places, numberOf(sharedBlock)) : undefined;
    return place === undefined ? [] : [{ name: laneName(key), place }];
  });
  const most = Math.max(1, ...cells.map((cell) => (cell.kind === 'block' ? numberOf(cell.gasUsed) : 0)));
  const labels = useMemo(() => axisLabels(places), [places]);
  const width = Math.max(1, end, labels.at(-1)?.end ?? 0, ...side.map(({ x }) => x + MAIN.block));
  const at = moment.value ?? headNumber.value;
  const chosen = placeOf(places, at);

  const newestCell = line.cells[0];
  useEffect(() => {
    const element = frame.current;
    if (element !== null && moment.peek() === null)
      element.scrollLeft = element.scrollWidth - element.clientWidth;
  }, [newestCell === undefined ? '' : titleOf(newestCell), rows.length]);
  const isShown = chosen !== undefined;
  useEffect(() => {
    const element = frame.current;
    if (element === null || chosen === undefined || moment.value === null) return;
    const left = chosen.x - element.scrollLeft;
    if (left < 0 || left + chosen.width > element.clientWidth)
      element.scrollLeft = chosen.x - element.clientWidth / 2;
  }, [moment.value, isShown]);

  /** Loads older blocks. With `staysHere`, the scroll position stays; otherwise an effect sets it. */
  const more = async (count = CELLS_AT_ONCE, staysHere = true): Promise<void> => {
    if (next === null) return;
    const answer = await client.read<Line>('inspect_timeline', [next, count]);
    const before = frame.current?.scrollWidth ?? 0;
    keep({
      epoch: epoch.peek(),
      cells: [...(older?.cells ?? []), ...answer.cells],
      next: answer.next,
    });
    if (!staysHere) return;
    requestAnimationFrame(() => {
      if (frame.current !== null) frame.current.scrollLeft = frame.current.scrollWidth - before;
    });
  };
  // The URL can name a block before the loaded ones.
  const isBefore = moment.value !== null && value !== undefined && !isShown;
  useEffect(() => {
    if (isBefore) more(MAX_CELLS, false).catch(() => undefined);
  }, [isBefore]);
  const chooseAt = (event: MouseEvent & { readonly currentTarget: SVGSVGElement }): void => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const found = places.find((one) => one.x <= x && x < one.x + one.width);
    if (found !== undefined) goToBlock(lastOf(found.cell), false);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      go(pathTo('block', String(at)));
      return;
    }
    const target = targetOf(event.key, at, headNumber.value);
    if (target === null) return;
    event.preventDefault();
    goToBlock(target, true);
  };
  return (
    <>
      <section class="timeline" aria-label="Timeline">
        <div class="line" ref={frame}>
          {next === null ? null : (
            <button type="button" class="older" onClick={() => void more()}>
              Older
            </button>
          )}
          <div
            class="track"
            tabIndex={0}
            role="slider"
            aria-label="Selected block"
            aria-valuemin={0}
            aria-valuemax={headNumber.value}
            aria-valuenow={at}
            aria-valuetext={momentText(at, chosen?.cell)}
            onKeyDown={onKey}
          >
            <svg width={width} height={HEIGHT} onClick={chooseAt} aria-hidden="true">
              <Cells places={places} sizes={MAIN} most={most} forkBlock={upstream} chosen={chosen} />
              <Axis labels={labels} width={width} />
              {value?.snapshots.map((snapshot) => {
                const flagged = placeOf(places, numberOf(snapshot.blockNumber));
                return flagged === undefined ? null : (
                  <Flag key={snapshot.id} place={flagged} snapshot={snapshot} />
                );
              })}
              {side.map((one) => (
                <SideShape key={one.cell.hash} place={one} />
              ))}
              {forks.map(({ name, place: forked }) => (
                <ForkMark key={name} place={forked} name={name} />
              ))}
            </svg>
          </div>
        </div>
        {value === undefined ? null : <Beside {...value} />}
        <div class="notes">
          <LaneList rows={rows} more={lanes?.more ?? 0} most={most} />
          <Legend
            drawn={{
              cells,
              forkBlock: upstream,
              side: line.side,
              hasSnapshots: (value?.snapshots.length ?? 0) > 0,
              hasForkedLanes: forks.length > 0,
            }}
          />
        </div>
      </section>
      <section class="below" aria-label="Views and actions">
        {tabs}
        <Acts
          at={at}
          snapshots={value?.snapshots ?? []}
          hasLanes={lanes !== null}
          onDone={() => setChanges((count) => count + 1)}
        />
      </section>
    </>
  );
}

function momentText(at: number, cell: Cell | undefined): string {
  if (cell === undefined) return `Block ${blockText(at)}`;
  return cell.kind === 'block' ? titleOf(cell) : `Block ${blockText(at)}, in ${titleOf(cell)}`;
}

/** Returns the target block of a key; `null` for other keys. */
function targetOf(key: string, at: number, newest: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -PAGE,
    PageUp: PAGE,
    Home: -newest,
    End: newest,
  };
  const step = steps[key];
  return step === undefined ? null : Math.min(newest, Math.max(0, at + step));
}
