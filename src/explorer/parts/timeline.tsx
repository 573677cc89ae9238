/** The timeline of blocks above all views: gas as height, failures as colour, lanes as rows below. */

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { client, clockNews, epoch, headNumber, laneNews, moment, takeChainTime } from '../chain.ts';
import { blockText, counted, numberOf, shown } from '../format.ts';
import { go, pathOn, pathTo, place } from '../router.ts';
import { RpcError } from '../rpc/client.ts';
import { atBlock } from './bars.tsx';
import { Acts } from './timeline/acts.tsx';
import { Cells, Flag, LaneShape, SideShape } from './timeline/drawing.tsx';
import {
  BRANCH,
  type Cell,
  firstOf,
  type Lane,
  type LaneRow,
  type Line,
  laneRows,
  lastOf,
  MAIN,
  placed,
  placeOf,
  ROW,
  SIDE,
  type Snapshot,
  sidePlaces,
  titleOf,
  widthOf,
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
/**
 * Pixels to keep visible after the latest block, for the names of lanes forked there. Wide pages use a third
 * of their width.
 */
const ROOM = 272;
const MAX_NAME_LENGTH = 22;
const NOTHING: Line = { cells: [], next: null, side: [] };

interface Shown {
  readonly line: Line;
  readonly snapshots: readonly Snapshot[];
}

interface Lanes {
  readonly lanes: readonly Lane[];
  readonly more: number;
}

/** Reads the visible cells and a few more. It runs after each new block. */
async function readShown(): Promise<Shown> {
  const count = Math.ceil(innerWidth / MAIN.block) + CELLS_BESIDE;
  const [line, snapshots] = await Promise.all([
    client.read<Line & { readonly time: string }>('inspect_timeline', [null, Math.min(count, MAX_CELLS)]),
    client.read<readonly Snapshot[]>('evm_listSnapshots'),
  ]);
  takeChainTime(numberOf(line.time));
  return { line, snapshots };
}

/** Shortens the name of a lane to fit after its row. The end stays, because it distinguishes long names. */
function shortName(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH - 11)}…${name.slice(-10)}`;
}

/** The link to a lane, after its row. */
function LaneLink({ row: { lane, y, end } }: { readonly row: LaneRow }): JSX.Element {
  const { key, sharedBlock, blockNumber, from } = lane;
  const name = key === null ? 'base chain' : shortName(shown(key, 60));
  const [newest, shared] = [numberOf(blockNumber), numberOf(sharedBlock)];
  const words =
    sharedBlock === null
      ? `separate chain, not forked; latest block ${blockText(newest)}`
      : `forked from ${from === null ? 'the base chain' : `lane ${shown(from, 40)}`} at block ${blockText(shared)}, ${counted(newest - shared, 'block')} since`;
  return (
    <a
      href={pathOn(key ?? '', 'feed')}
      title={words}
      aria-label={`${name} ${blockText(newest)}: ${words}`}
      style={{ left: `${end + 6}px`, top: `${y + BRANCH.height - 17}px` }}
    >
      <bdi>{name}</bdi> <span class="faint">{blockText(newest)}</span>
    </a>
  );
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

/** Minimum width of a page, in pixels, whose tabs and buttons share one line. */
const WIDE = 1240;

/** Returns true while the page is at least {@link WIDE} pixels wide. */
function useIsWide(): boolean {
  const query = useMemo(() => matchMedia(`(min-width: ${WIDE}px)`), []);
  const [isWide, setWide] = useState(query.matches);
  useEffect(() => {
    const follow = (): void => setWide(query.matches);
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, [query]);
  return isWide;
}

/**
 * The timeline with the action buttons, and the tabs below it. The tab order follows the layout: on wide
 * pages, the buttons come after the tabs.
 */
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
  const older = kept?.epoch === epoch.value ? kept : null;
  const next = older === null ? line.next : older.next;

  const cells = useMemo(() => {
    const lowest = line.cells.at(-1);
    const above = lowest === undefined ? 0 : firstOf(lowest);
    return [...line.cells, ...(older?.cells ?? []).filter((cell) => lastOf(cell) < above)];
  }, [line, older]);
  const { places, end } = useMemo(() => placed(cells, MAIN), [cells]);
  const side = useMemo(() => sidePlaces(line.side, places), [line, places]);
  const tracks = Math.max(0, ...side.map(({ track }) => track + 1));
  const top = MAIN.height + 6 + tracks * SIDE;
  const own = place.value.chain === '' ? null : place.value.chain;
  const rows = useMemo(() => laneRows(lanes?.lanes ?? [], own, places, top), [lanes, own, places, top]);
  const most = Math.max(1, ...cells.map((cell) => (cell.kind === 'block' ? numberOf(cell.gasUsed) : 0)));
  const width = widthOf(rows, Math.max(end, ...side.map(({ x }) => x + MAIN.block)));
  const at = moment.value ?? headNumber.value;
  const chosen = placeOf(places, at);

  const newestCell = line.cells[0];
  useEffect(() => {
    const element = frame.current;
    if (element !== null && moment.peek() === null)
      element.scrollLeft =
        element.scrollWidth -
        Math.max(0, width - end - Math.max(ROOM, element.clientWidth / 3)) -
        element.clientWidth;
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
    const { left, top: above } = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - above];
    const row = rows.find((one) => one.y <= y && y < one.y + ROW);
    const found = (row?.places ?? places).find((one) => one.x <= x && x < one.x + one.width);
    if (found === undefined) return;
    if (row === undefined) goToBlock(lastOf(found.cell), false);
    else go(pathOn(row.lane.key ?? '', 'block', String(lastOf(found.cell))));
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
  const acts = (
    <Acts
      at={at}
      snapshots={value?.snapshots ?? []}
      hasLanes={lanes !== null}
      onDone={() => setChanges((count) => count + 1)}
    />
  );
  const isWide = useIsWide();
  return (
    <>
      <section class="timeline" aria-label="Timeline">
        <div class="line" ref={frame}>
          {next === null ? null : (
            <button type="button" class="older" onClick={() => void more()}>
              Older
            </button>
          )}
          <div class="canvas" style={{ width: `${Math.max(width, 1)}px` }}>
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
              <svg
                width={Math.max(width, 1)}
                height={top + rows.length * ROW}
                onClick={chooseAt}
                aria-hidden="true"
              >
                {rows.map((row) => (
                  <LaneShape key={row.lane.key ?? ''} row={row} most={most} />
                ))}
                <Cells places={places} sizes={MAIN} most={most} chosen={chosen} />
                {value?.snapshots.map((snapshot) => {
                  const flagged = placeOf(places, numberOf(snapshot.blockNumber));
                  return flagged === undefined ? null : (
                    <Flag key={snapshot.id} place={flagged} snapshot={snapshot} />
                  );
                })}
                {side.map((one) => (
                  <SideShape key={one.cell.hash} place={one} />
                ))}
              </svg>
            </div>
            {rows.length === 0 ? null : (
              <nav class="lanes" aria-label="Other lanes">
                {rows.map((row) => (
                  <LaneLink key={row.lane.key ?? ''} row={row} />
                ))}
              </nav>
            )}
          </div>
        </div>
        {value === undefined ? null : <Beside {...value} />}
        {isWide ? null : acts}
        {lanes === null || lanes.more === 0 ? null : (
          <a class="more-lanes" href={pathTo('lanes')}>
            {counted(lanes.more, 'more lane')}
          </a>
        )}
      </section>
      <section class="below" aria-label="Views and actions">
        {tabs}
        {isWide ? acts : null}
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
