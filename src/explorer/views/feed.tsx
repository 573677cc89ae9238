/** The feed: live requests, transactions, events and console output. */

import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import {
  type Activity,
  chainUrl,
  client,
  type FeedItem,
  feed,
  followedFrom,
  MAX_FEED_ITEMS,
} from '../chain.ts';
import { counted, grouped, numberOf, shown } from '../format.ts';
import type { InspectedCall, Inspection, StackFrame } from '../inspection.ts';
import { chainOf, failureOf, isFailedExecution, Row, textOf } from '../parts/activity.tsx';
import { CallArguments, Callee } from '../parts/decoded.tsx';
import { WhyItFailed } from '../parts/failure/why-it-failed.tsx';
import { VirtualList } from '../parts/lists.tsx';
import { type MinedFilter, MinedList } from '../parts/mined-list.tsx';
import { useReadState } from '../parts/use-read.ts';
import { Empty, LinkedChain, Text, useLinks } from '../parts/values.tsx';
import { go, place } from '../router.ts';

type Inspected = Pick<Inspection, 'call' | 'failure' | 'stackTrace' | 'omitted'>;

/** A failure from before the page was opened. */
interface EarlierFailure {
  readonly inspection: Inspected;
  /** The transaction hash; `null` for a call, and for a transaction that is no longer on the chain. */
  readonly hash: string | null;
  /** The number in `inspect_failures`; `null` if the failure is not in the list. */
  readonly number: number | null;
}

/** A failure in the result of `inspect_failures`. Without `call` if the node can no longer execute it. */
interface ListedFailure extends Partial<Inspected> {
  readonly number: string;
  readonly transactionHash: string | null;
}

/** Options of an inspection without call tree and state changes, which can be large. */
const SUMMARY = { count: 0, changes: false };

function isInspected(failure: ListedFailure | undefined): failure is ListedFailure & Inspected {
  return failure?.call !== undefined;
}

/** Resolves to the latest failed call or transaction of the chain; `null` if none is found. */
async function newestEarlier(): Promise<EarlierFailure | null> {
  const { failures } = await client.read<{ readonly failures: readonly ListedFailure[] }>(
    'inspect_failures',
    [1, null, SUMMARY],
  );
  const [newest] = failures;
  if (!isInspected(newest)) return newestMined();
  const { transactionHash, number } = newest;
  const isMined =
    transactionHash !== null && (await client.read('eth_getTransactionReceipt', [transactionHash])) !== null;
  return { inspection: newest, hash: isMined ? transactionHash : null, number: numberOf(number) };
}

/** Resolves to the latest failed transaction of a loaded chain; `null` if the search finds none. */
async function newestMined(): Promise<EarlierFailure | null> {
  const { transactions } = await client.read<{
    readonly transactions: readonly { readonly hash: string }[];
  }>('inspect_transactions', [{ failed: true }, null, 1]);
  const [failed] = transactions;
  if (failed === undefined) return null;
  const inspection = await client.read<Inspection>('inspect_transaction', [failed.hash, SUMMARY]);
  return { inspection, hash: failed.hash, number: null };
}

/** The decoded failed call; `null` if neither the contract nor the function is known. */
function FailedCall({ call }: { readonly call: InspectedCall }): JSX.Element | null {
  const isCreation = call.type.startsWith('CREATE');
  if (call.call === null && (isCreation || (call.to.name ?? call.implementation?.name) == null)) return null;
  return (
    <span>
      {isCreation ? 'new ' : null}
      <Callee call={call} />
      {call.call === null ? null : <CallArguments entry={call.call} to={call.to.address} />}
    </span>
  );
}

/** The latest failure: heading, reason, stack trace and a link to its view. */
function FailurePanel({
  inspection,
  heading,
  hash,
  number,
  lane,
  canRead = true,
  onDismiss,
}: Pick<EarlierFailure, 'hash' | 'number'> & {
  readonly inspection: Omit<Inspected, 'call'>;
  readonly heading: JSX.Element | null;
  readonly lane?: string | undefined;
  /** False while newer failures may replace this one, to spare the node. */
  readonly canRead?: boolean;
  readonly onDismiss: () => void;
}): JSX.Element {
  const pathOf = useLinks();
  const [view, subject] = hash === null ? ['failure', String(number ?? '')] : ['tx', hash];
  return (
    <WhyItFailed
      inspection={inspection}
      target={canRead ? (hash ?? number) : null}
      again={subject === '' ? null : pathOf(view, subject, { show: 'again' })}
      label="Newest failure"
      above={
        <h2>
          {lane === undefined ? null : <span class="tag">{shown(lane, 24)}</span>}
          {heading ?? (hash === null ? 'Call failed' : 'Transaction failed')}
          <button type="button" class="close" aria-label="Dismiss" onClick={onDismiss}>
            ×
          </button>
        </h2>
      }
      below={
        subject === '' ? null : (
          <p class="more-about">
            <a href={pathOf(view, subject)}>{hash === null ? 'View failure' : 'View transaction'}</a>
          </p>
        )
      }
    />
  );
}

/** The latest failure from before the page was opened, if any. */
function Earlier(): JSX.Element | null {
  const { value } = useReadState(newestEarlier, ['newest failure']);
  const [dismissed, dismiss] = useState<number | string | null>(null);
  const id = value?.number ?? value?.hash ?? null;
  if (value == null || id === dismissed) return null;
  const { call } = value.inspection;
  return <FailurePanel {...value} heading={FailedCall({ call })} onDismiss={() => dismiss(id)} />;
}

/** Milliseconds that a failure is the newest one before the panel requests its source. */
const SETTLED = 300;

/** Returns true after the failure was the newest one for some time. */
function useSettledFailure(id: number): boolean {
  const [settled, settle] = useState<number | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => settle(id), SETTLED);
    return () => clearTimeout(timer);
  }, [id]);
  return settled === id;
}

/** Requests the decoded error of a failure, for the units of its arguments. */
async function readSummary(hash: string | null, number: number | null): Promise<Inspected | null> {
  if (hash !== null) return client.read<Inspection>('inspect_transaction', [hash, SUMMARY]);
  if (number === null) return null;
  const { failures } = await client.read<{ readonly failures: readonly ListedFailure[] }>(
    'inspect_failures',
    [1, number - 1, SUMMARY, number + 1],
  );
  return isInspected(failures[0]) ? failures[0] : null;
}

/** Maximum stack frames in the panel. */
const MAX_FRAMES = 100;

/** The latest failure with its stack trace. The explorer of a lane only shows failures on this lane. */
function NewestFailure({ items }: { readonly items: readonly FeedItem[] }): JSX.Element | null {
  const [dismissed, dismiss] = useState(0);
  const here = place.value.chain;
  const found = items.find(
    ({ activity }) => isFailedExecution(activity) && (here === '' || chainOf(activity) === here),
  );
  const isSettled = useSettledFailure(found?.id ?? 0);
  const hash = found?.activity.kind === 'transaction' ? textOf(found.activity.hash) : null;
  const listed = found?.activity.failureNumber;
  const isHere = found !== undefined && chainOf(found.activity) === here;
  const number = typeof listed === 'number' ? listed : null;
  const id = isSettled && isHere ? `${hash} ${number}` : '';
  const { value: read } = useReadState(
    async () => ({ id, summary: id === '' ? null : await readSummary(hash, number) }),
    [id],
  );
  // The value of an earlier failure stays until the next one is loaded.
  const summary = read?.id === id ? read.summary : null;
  if (found === undefined) return dismissed > 0 ? null : <Earlier />;
  if (found.id <= dismissed) return null;
  const { activity } = found;
  const chain = chainOf(activity);
  const trace: readonly StackFrame[] = Array.isArray(activity.stackTrace) ? activity.stackTrace : [];
  const omitted = trace.length > MAX_FRAMES ? { stackTrace: trace.length - MAX_FRAMES } : {};
  const subject = textOf(activity.subject);
  const called = summary === null ? null : FailedCall({ call: summary.call });
  return (
    <LinkedChain.Provider value={chain}>
      <FailurePanel
        inspection={
          summary ?? {
            failure: { message: failureOf(activity) ?? '', error: null },
            stackTrace: trace.slice(0, MAX_FRAMES),
            omitted,
          }
        }
        heading={called ?? (subject === '' ? null : <Text text={subject} />)}
        hash={hash}
        number={chain === null ? null : number}
        canRead={isSettled}
        lane={activity.lane}
        onDismiss={() => dismiss(found.id)}
      />
    </LinkedChain.Provider>
  );
}

const ROW_HEIGHT = 30;
/** Debounce of the search field, in milliseconds. */
const TYPING = 250;

/** Kinds of items with a filter. */
const KINDS = {
  request: 'Requests',
  transaction: 'Transactions',
  console: 'Console',
  other: 'Other',
} as const;
type Kind = keyof typeof KINDS;

function kindOf({ kind }: Activity): Kind {
  return kind === 'request' || kind === 'transaction' || kind === 'console' ? kind : 'other';
}

/** A cache of the searchable text of items. */
const searched = new WeakMap<FeedItem, string>();

/** Returns true if the item's text contains the lower-case text. */
function matches(item: FeedItem, text: string): boolean {
  if (text === '') return true;
  let facts = searched.get(item);
  if (facts === undefined) {
    facts = JSON.stringify(item.activity).toLowerCase();
    searched.set(item, facts);
  }
  return facts.includes(text);
}

/** Writes the filter text to the URL, for sharing and reloading. */
function keepInAddress(text: string): void {
  const url = new URL(location.href);
  if (text === '') url.searchParams.delete('search');
  else url.searchParams.set('search', text);
  go(url.pathname + url.search, true);
}

/** Returns the debounced filter. */
function useSettled({ text, onlyFailed }: MinedFilter): MinedFilter {
  const [settled, setSettled] = useState<MinedFilter>({ text, onlyFailed });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ text, onlyFailed }), TYPING);
    return () => clearTimeout(timer);
  }, [text, onlyFailed]);
  return settled;
}

/**
 * Transactions that are not in the rows above: without a filter, transactions from before the page was
 * opened; with a filter, matches in all blocks.
 */
function Mined({
  filter: given,
  hasRows,
}: {
  readonly filter: MinedFilter;
  readonly hasRows: boolean;
}): JSX.Element {
  const filter = useSettled(given);
  const followed = followedFrom.value;
  if (filter.text !== '' || filter.onlyFailed)
    return (
      <MinedList title="Matching transactions" filter={filter} isAlone empty="No matching transactions" />
    );
  return (
    <MinedList
      title="Earlier transactions"
      filter={filter}
      // The rows have the transactions of later blocks.
      from={
        followed === null
          ? null
          : { blockNumber: `0x${followed.toString(16)}`, transactionIndex: '0xffffffff' }
      }
      isAlone={!hasRows}
      empty={
        <>
          No activity yet. Send a transaction to <code>{chainUrl}</code>.
        </>
      }
    />
  );
}

export function Feed(): JSX.Element {
  const [left, setLeft] = useState<ReadonlySet<Kind>>(new Set());
  const [onlyFailed, setOnlyFailed] = useState(false);
  const [text, setText] = useState(place.value.query.get('search') ?? '');
  const [held, hold] = useState<readonly FeedItem[] | null>(null);
  const items = held ?? feed.value;
  const wanted = useMemo(() => {
    const part = text.trim().toLowerCase();
    return items.filter(
      (item) =>
        !left.has(kindOf(item.activity)) &&
        (!onlyFailed || failureOf(item.activity) !== null) &&
        matches(item, part),
    );
  }, [items, left, onlyFailed, text]);
  const toggle = (kind: Kind): void => {
    const changed = new Set(left);
    if (!changed.delete(kind)) changed.add(kind);
    setLeft(changed);
  };
  const newer = held === null ? 0 : (feed.value[0]?.id ?? 0) - (held[0]?.id ?? 0);
  return (
    <>
      <h1 class="unseen">Feed</h1>
      <NewestFailure items={feed.value} />
      <fieldset class="filters" aria-label="Feed filters">
        {Object.entries(KINDS).map(([kind, title]) => (
          <label key={kind}>
            <input type="checkbox" checked={!left.has(kind as Kind)} onChange={() => toggle(kind as Kind)} />{' '}
            {title}
          </label>
        ))}
        <label>
          <input type="checkbox" checked={onlyFailed} onChange={() => setOnlyFailed(!onlyFailed)} /> Only
          failed
        </label>
        <input
          type="search"
          placeholder="Contract, sender, method…"
          aria-label="Filter the feed"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            keepInAddress(event.currentTarget.value);
          }}
        />
        {items.length === 0 ? null : (
          <button
            type="button"
            aria-pressed={held !== null}
            onClick={() => hold(held === null ? feed.value : null)}
          >
            {held === null ? 'Pause' : `Resume (${grouped(newer)} new)`}
          </button>
        )}
      </fieldset>
      {items.length === 0 ? null : wanted.length === 0 ? (
        <Empty>No new events match the filter</Empty>
      ) : (
        <VirtualList
          class="feed"
          label="Feed"
          count={wanted.length}
          rowHeight={ROW_HEIGHT}
          row={(index) => {
            const item = wanted[index];
            return item === undefined ? null : <Row key={item.id} activity={item.activity} />;
          }}
        />
      )}
      <p class="faint feed-note">
        {items.length === 0 ? null : (
          <>
            {wanted.length === items.length ? '' : `${grouped(wanted.length)} of `}
            {counted(items.length, 'event')} since {items[items.length - 1]?.activity.time.slice(11, 19)} UTC
            {items.length < MAX_FEED_ITEMS ? '' : ` (the newest ${grouped(MAX_FEED_ITEMS)})`}.{' '}
          </>
        )}
        Requests from before this page was opened are not listed.
      </p>
      {left.has('transaction') ? null : (
        <Mined filter={{ text: text.trim(), onlyFailed }} hasRows={items.length > 0} />
      )}
    </>
  );
}
