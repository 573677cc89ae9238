/** The page's view of the chain that it shows, kept up to date by subscriptions. */

import { computed, signal } from '@preact/signals';
import { numberOf } from './format.ts';
import { nodeUrl, place } from './router.ts';
import { type ConnectionState, RpcClient } from './rpc/client.ts';

/** A block as `eth_getBlockByNumber` answers it without its transactions. */
export interface BlockHead {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly gasUsed: string;
  readonly gasLimit: string;
}

/** One thing that happened, as the subscription `activity` sends it. */
export interface Activity {
  readonly time: string;
  readonly kind: string;
  readonly lane?: string;
  readonly [fact: string]: unknown;
}

/** An activity with a number that no other one has. */
export interface FeedItem {
  readonly id: number;
  readonly activity: Activity;
}

/** Facts that stay the same as long as the chain does. */
export interface ChainFacts {
  readonly chainId: number;
  readonly clientVersion: string;
  readonly genesisHash: string;
}

/** Events that the feed lists. */
export const MOST_FEED_ITEMS = 2_000;

export const connection = signal<ConnectionState>('connecting');
export const facts = signal<ChainFacts | null>(null);
export const head = signal<BlockHead | null>(null);
/** The newest first. */
export const feed = signal<readonly FeedItem[]>([]);
/** The number of the newest block when the page began to follow the chain; `null` before. Blocks above it stand in the feed. */
export const followedFrom = signal<number | null>(null);
/** Counts the changes after which everything that was read before may be wrong: reverts, resets, other chains. */
export const epoch = signal(0);
/** Chain clock minus the clock of this machine, in seconds. */
export const clockOffset = signal(0);
/** Counts the requests that may have moved the chain's clock. */
export const clockNews = signal(0);
/** Counts the times that something happened on lanes. */
export const laneNews = signal(0);
/** Seconds since 1970 by this machine, updated every few seconds, for ages. */
export const now = signal(Date.now() / 1_000);

export const headNumber = computed(() => numberOf(head.value?.number));

/** The block whose state everything shows: its number, or `null` for the newest. */
export const moment = computed(() => {
  const asked = place.value.query.get('at');
  return asked !== null && /^\d{1,15}$/.test(asked) ? Number(asked) : null;
});

/** The block of {@link moment} as a parameter of methods. */
export const momentTag = computed(() =>
  moment.value === null ? 'latest' : `0x${moment.value.toString(16)}`,
);

/** Differences of seconds that truncation and the way to the node explain. */
const CLOCK_TOLERANCE = 2;

/** Takes the chain's time, in whole seconds since 1970, as the node just reported it. */
export function takeChainTime(seconds: number): void {
  const offset = Math.ceil(seconds - Date.now() / 1_000);
  const known = Math.abs(offset) < CLOCK_TOLERANCE ? 0 : offset;
  if (known === 0 || Math.abs(known - clockOffset.peek()) >= CLOCK_TOLERANCE) clockOffset.value = known;
}

/** The blocks up to a number, and the time at which the explorer received them. */
interface Arrival {
  readonly block: number;
  /** Seconds since 1970 by this machine; `null` for blocks from before the connection. */
  readonly time: number | null;
}

const MOST_ARRIVALS = 5_000;
let arrivals: readonly Arrival[] = [];

function arrivalOf(block: number): Arrival | undefined {
  return arrivals.find((arrival) => arrival.block >= block);
}

function noteArrival(block: number, time: number | null): void {
  const known = arrivalOf(block);
  const before = arrivals.filter((arrival) => arrival.block < block);
  // A revert makes an older block the head again.
  const noted = [...before, { block, time: known === undefined ? time : known.time }];
  const [first, ...rest] = noted.slice(-MOST_ARRIVALS);
  arrivals =
    noted.length > MOST_ARRIVALS && first !== undefined ? [{ ...first, time: null }, ...rest] : noted;
}

/**
 * Returns the wall-clock time at which a block arrived, in seconds since 1970. For blocks from before the connection it is the block's
 * timestamp by the chain's present clock.
 */
export function arrivedAt(block: number, timestamp: number): number {
  return arrivalOf(block)?.time ?? timestamp - clockOffset.value;
}

const chainPath = place.peek().chain;

/** The URL under which programs call the chain of this page. */
export const chainUrl = `${nodeUrl}/${encodeURIComponent(chainPath)}`;

/** Resolves to true where the chain is a lane that the node no longer has. Rejects while the node cannot be reached. */
async function isDropped(signal: AbortSignal): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'lane_list', params: [] });
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${nodeUrl}/`, { method: 'POST', headers, body, signal });
  const answer = (await response.json()) as { readonly result?: readonly { readonly key: string }[] };
  // A node that does not list lanes to this page has the chain at a key, or none at all.
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

async function refresh(): Promise<void> {
  const last = head.peek();
  const [chainId, clientVersion, genesis, latest] = await Promise.all([
    client.read<string>('eth_chainId'),
    client.read<string>('web3_clientVersion'),
    client.read<BlockHead>('eth_getBlockByNumber', ['earliest', false]),
    client.read<BlockHead>('eth_getBlockByNumber', ['latest', false]),
  ]);
  const known = facts.peek();
  if (known !== null && (known.genesisHash !== genesis.hash || known.chainId !== Number(chainId))) {
    feed.value = [];
    followedFrom.value = null;
    arrivals = [];
    epoch.value++;
  } else if (last !== null) {
    // The connection was away: meanwhile the chain may have become another one that begins with the same block.
    const same = await client.read<BlockHead | null>('eth_getBlockByNumber', [last.number, false]);
    if (same?.hash !== last.hash) epoch.value++;
  }
  facts.value = { chainId: Number(chainId), clientVersion, genesisHash: genesis.hash };
  followedFrom.value ??= numberOf(latest.number);
  noteArrival(numberOf(latest.number), null);
  takeHead(latest);
}

/** Takes a new head; one that does not follow the last one means that blocks have left the chain. */
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

/** Shows what came since the last picture, once for each picture: hundreds of blocks can come in a second. */
function show(): void {
  isScheduled = false;
  if (latestHead !== null) takeHead(latestHead);
  latestHead = null;
  if (gathered.length > 0) feed.value = [...gathered.reverse(), ...feed.peek()].slice(0, MOST_FEED_ITEMS);
  gathered = [];
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  // A page in the background draws nothing, but must not gather without end.
  if (document.hidden) setTimeout(show, 1_000);
  else requestAnimationFrame(show);
}

/** One notification of the subscription `activity`: `omitted` counts by kind the activities besides the entries. */
interface ActivityBatch {
  readonly entries: readonly Activity[];
  readonly omitted: Readonly<Record<string, number>>;
}

/** Milliseconds between what the node sends: it is not to be slower for being watched. */
const PAUSE = 250;
export const UPDATES_PER_SECOND = 1_000 / PAUSE;
/** Rows between two pauses; more than that cannot be read. */
export const MOST_ROWS = 20;

function gather(activity: Activity): void {
  gathered.push({ id: ++lastItem, activity });
  if (gathered.length > MOST_FEED_ITEMS) gathered.splice(0, gathered.length - MOST_FEED_ITEMS);
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
  // The omitted requests may have been on a lane too.
  if (omitted.request !== undefined || entries.some(isOfLane)) laneNews.value++;
  if (omitted.request !== undefined || entries.some(canMoveClock)) clockNews.value++;
  for (const activity of entries) gather(activity);
  if (Object.keys(counts).length > 0)
    gather({ time: entries.at(-1)?.time ?? new Date().toISOString(), kind: 'omitted', counts });
  schedule();
}

/** Begins to follow the chain. */
export function followChain(): void {
  client.subscribe<BlockHead>(['newHeads', { pause: PAUSE }], (block) => {
    latestHead = block;
    noteArrival(numberOf(block.number), Date.now() / 1_000);
    schedule();
  });
  client.subscribe<ActivityBatch>(
    ['activity', { pause: PAUSE, most: MOST_ROWS, except: ['block'] }],
    takeActivity,
  );
  // A page that was left is kept by the browser as it is, and can come back.
  addEventListener('pagehide', () => client.suspend());
  addEventListener('pageshow', () => client.resume());
  setInterval(() => {
    now.value = Date.now() / 1_000;
  }, 5_000);
}
