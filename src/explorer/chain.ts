/** The state of the displayed chain. Subscriptions keep it current. */

import { computed, signal } from '@preact/signals';
import { numberOf } from './format.ts';
import { nodeUrl, place } from './router.ts';
import { type ConnectionState, RpcClient } from './rpc/client.ts';

/** A block of `eth_getBlockByNumber` without transactions. */
export interface BlockHead {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly gasUsed: string;
  readonly gasLimit: string;
}

/** An entry of the subscription `activity`. */
export interface Activity {
  readonly time: string;
  readonly kind: string;
  readonly lane?: string;
  readonly [fact: string]: unknown;
}

/** An activity with a unique number. */
export interface FeedItem {
  readonly id: number;
  readonly activity: Activity;
}

/** Facts that do not change during the life of a chain. */
export interface ChainFacts {
  readonly chainId: number;
  readonly clientVersion: string;
  readonly genesisHash: string;
  /** True under Rootstock's rules. */
  readonly hasBridge: boolean;
}

/** Events that the feed lists. */
export const MAX_FEED_ITEMS = 2_000;

export const connection = signal<ConnectionState>('connecting');
export const facts = signal<ChainFacts | null>(null);
export const head = signal<BlockHead | null>(null);
/** Newest first. */
export const feed = signal<readonly FeedItem[]>([]);
/** The latest block at the start of the subscription; `null` before. The feed has the blocks above it. */
export const followedFrom = signal<number | null>(null);
/** Incremented after changes that can invalidate earlier data: reverts, resets, another chain. */
export const epoch = signal(0);
/** Chain clock minus local clock, in seconds. */
export const clockOffset = signal(0);
/** Counts the requests that may have moved the chain's clock. */
export const clockNews = signal(0);
/** Counts the activities on lanes. */
export const laneNews = signal(0);
/** Local time in seconds since 1970, updated every second; used for ages. */
export const now = signal(Date.now() / 1_000);

export const headNumber = computed(() => numberOf(head.value?.number));

/** The block whose state all views show; `null` for the latest. */
export const moment = computed(() => {
  const asked = place.value.query.get('at');
  return asked !== null && /^\d{1,15}$/.test(asked) ? Number(asked) : null;
});

/** The block of {@link moment} as an RPC parameter. */
export const momentTag = computed(() =>
  moment.value === null ? 'latest' : `0x${moment.value.toString(16)}`,
);

/** Differences in seconds that truncation and network latency explain. */
const CLOCK_TOLERANCE = 2;

/** Updates the clock offset from the chain's time, in seconds since 1970. */
export function takeChainTime(seconds: number): void {
  const offset = Math.ceil(seconds - Date.now() / 1_000);
  const known = Math.abs(offset) < CLOCK_TOLERANCE ? 0 : offset;
  if (known === 0 || Math.abs(known - clockOffset.peek()) >= CLOCK_TOLERANCE) clockOffset.value = known;
}

/** The highest of a range of blocks, and its time of arrival at the explorer. */
interface Arrival {
  readonly block: number;
  /** Local time in seconds since 1970; `null` for blocks from before the connection. */
  readonly time: number | null;
}

const MAX_ARRIVALS = 5_000;
let arrivals: readonly Arrival[] = [];

function arrivalOf(block: number): Arrival | undefined {
  return arrivals.find((arrival) => arrival.block >= block);
}

function noteArrival(block: number, time: number | null): void {
  const known = arrivalOf(block);
  const before = arrivals.filter((arrival) => arrival.block < block);
  // After a revert, an older block is the head again.
  const noted = [...before, { block, time: known === undefined ? time : known.time }];
  const [first, ...rest] = noted.slice(-MAX_ARRIVALS);
  arrivals = noted.length > MAX_ARRIVALS && first !== undefined ? [{ ...first, time: null }, ...rest] : noted;
}

/**
 * Returns the arrival time of a block by the local clock, in seconds since 1970. For blocks from before the
 * connection, returns the timestamp corrected by the clock offset.
 */
export function arrivedAt(block: number, timestamp: number): number {
  return arrivalOf(block)?.time ?? timestamp - clockOffset.value;
}

const chainPath = place.peek().chain;

/** The chain's URL for clients. */
export const chainUrl = `${nodeUrl}/${encodeURIComponent(chainPath)}`;

/** Resolves to true if the chain is a lane that no longer exists. Rejects while the node is not reachable. */
async function isDropped(signal: AbortSignal): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'lane_list', params: [] });
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${nodeUrl}/`, { method: 'POST', headers, body, signal });
  const answer = (await response.json()) as { readonly result?: readonly { readonly key: string }[] };
  // If the node does not list lanes, the chain's path is an API key, or there are no lanes.
  return answer.result?.every(({ key }) => key !== chainPath) ?? false;
}

export const client = new RpcClient(
  chainUrl,
  (state) => {
    connection.value = state;
    if (state === 'open') void refresh();
  },
  chainPath === '' ? null : isDropped,
);

/** An entry of `inspect_hardforks`. */
interface Hardfork {
  readonly name: string;
  /** True for the rules of the chain. */
  readonly isOwn: boolean;
}

async function refresh(): Promise<void> {
  const last = head.peek();
  const [chainId, clientVersion, genesis, latest, hardforks] = await Promise.all([
    client.read<string>('eth_chainId'),
    client.read<string>('web3_clientVersion'),
    client.read<BlockHead>('eth_getBlockByNumber', ['earliest', false]),
    client.read<BlockHead>('eth_getBlockByNumber', ['latest', false]),
    client.read<readonly Hardfork[]>('inspect_hardforks'),
  ]);
  const known = facts.peek();
  if (known !== null && (known.genesisHash !== genesis.hash || known.chainId !== Number(chainId))) {
    feed.value = [];
    followedFrom.value = null;
    arrivals = [];
    epoch.value++;
  } else if (last !== null) {
    // While the connection was lost, another chain with the same genesis may have replaced the chain.
    const same = await client.read<BlockHead | null>('eth_getBlockByNumber', [last.number, false]);
    if (same?.hash !== last.hash) epoch.value++;
  }
  const hasBridge = hardforks.some(({ name, isOwn }) => isOwn && name.startsWith('rootstock'));
  facts.value = { chainId: Number(chainId), clientVersion, genesisHash: genesis.hash, hasBridge };
  followedFrom.value ??= numberOf(latest.number);
  noteArrival(numberOf(latest.number), null);
  takeHead(latest);
}

/** Sets the head. If its number is not above the last one, blocks were removed. */
function takeHead(latest: BlockHead): void {
  const last = head.peek();
  head.value = latest;
  if (last === null || last.hash === latest.hash) return;
  if (numberOf(latest.number) <= numberOf(last.number)) {
    epoch.value++;
    if (numberOf(latest.number) === 0) void refresh();
  }
}

let gathered: FeedItem[] = [];
let lastItem = 0;
let latestHead: BlockHead | null = null;
let isScheduled = false;

/** Renders the gathered changes once per frame, because hundreds of blocks can arrive per second. */
function show(): void {
  isScheduled = false;
  if (latestHead !== null) takeHead(latestHead);
  latestHead = null;
  if (gathered.length > 0) feed.value = [...gathered.reverse(), ...feed.peek()].slice(0, MAX_FEED_ITEMS);
  gathered = [];
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  // A page in the background gets no animation frames, but the queue must not grow without limit.
  if (document.hidden) setTimeout(show, 1_000);
  else requestAnimationFrame(show);
}

/** A notification of the subscription `activity`. `omitted` counts further activities by kind. */
interface ActivityBatch {
  readonly entries: readonly Activity[];
  readonly omitted: Readonly<Record<string, number>>;
}

/** Minimum milliseconds between notifications, so that the explorer does not slow the node down. */
const PAUSE = 250;
export const UPDATES_PER_SECOND = 1_000 / PAUSE;
/** Rows between two pauses; more than that cannot be read. */
export const MAX_ROWS = 20;

function gather(activity: Activity): void {
  gathered.push({ id: ++lastItem, activity });
  if (gathered.length > MAX_FEED_ITEMS) gathered.splice(0, gathered.length - MAX_FEED_ITEMS);
}

function isOfLane({ lane, method }: Activity): boolean {
  return lane !== undefined || (typeof method === 'string' && method.startsWith('lane_'));
}

function canMoveClock({ kind, method }: Activity): boolean {
  return kind === 'request' && typeof method === 'string' && /time|revert|reset|loadState/i.test(method);
}

function takeActivity({ entries, omitted }: ActivityBatch): void {
  const { removed, ...counts } = omitted;
  if (removed !== undefined || entries.some(({ kind }) => kind === 'removed')) epoch.value++;
  // The omitted requests may also be requests on a lane.
  if (omitted.request !== undefined || entries.some(isOfLane)) laneNews.value++;
  if (omitted.request !== undefined || entries.some(canMoveClock)) clockNews.value++;
  for (const activity of entries) gather(activity);
  if (Object.keys(counts).length > 0)
    gather({ time: entries.at(-1)?.time ?? new Date().toISOString(), kind: 'omitted', counts });
  schedule();
}

export function followChain(): void {
  client.subscribe<BlockHead>(['newHeads', { pause: PAUSE }], (block) => {
    latestHead = block;
    noteArrival(numberOf(block.number), Date.now() / 1_000);
    schedule();
  });
  client.subscribe<ActivityBatch>(
    ['activity', { pause: PAUSE, most: MAX_ROWS, except: ['block'] }],
    takeActivity,
  );
  // The browser may keep a page in its back/forward cache and show it again.
  addEventListener('pagehide', () => client.suspend());
  addEventListener('pageshow', () => client.resume());
  setInterval(() => {
    now.value = Date.now() / 1_000;
  }, 1_000);
}
