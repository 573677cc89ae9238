/** The feed: requests, transactions, events and console output, as they happen. */

import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import {
  type Activity,
  chainUrl,
  client,
  type FeedItem,
  feed,
  followedFrom,
  MOST_FEED_ITEMS,
} from '../chain.ts';
import { counted, grouped, numberOf, shown } from '../format.ts';
import type { InspectedCall, Inspection, StackFrame } from '../inspection.ts';
import { chainOf, failureOf, isFailedExecution, Row, textOf } from '../parts/activity.tsx';
import { Callee, Parameters, WhyItFailed } from '../parts/decoded.tsx';
import { VirtualList } from '../parts/lists.tsx';
import { type MinedFilter, MinedList } from '../parts/mined-list.tsx';
import { useAsked } from '../parts/use-read.ts';
import { Empty, LinkedChain, Text, useLinks } from '../parts/values.tsx';
import { go, place } from '../router.ts';

/** The parts of an inspection that the panel shows. */
type Inspected = Pick<Inspection, 'call' | 'failure' | 'stackTrace' | 'omitted'>;

/** A failure from before the page was opened. */
interface EarlierFailure {
  readonly inspection: Inspected;
  /** The hash of the transaction; `null` for a call, and for a transaction that is no longer on the chain. */
  readonly hash: string | null;
  /** The number in `inspect_failures`; `null` if the list does not contain the failure. */
  readonly number: number | null;
}

/** A failure as `inspect_failures` returns it; without `call` if the node can no longer execute it. */
interface ListedFailure extends Partial<Inspected> {
  readonly number: string;
  readonly transactionHash: string | null;
}

/** Requests an inspection without the lines of the call tree and without changes, which can be large. */
const SUMMARY = { count: 0, changes: false };

function isInspected(failure: ListedFailure | undefined): failure is ListedFailure & Inspected {
  return failure?.call !== undefined;
}

/** Resolves to the newest failed call or transaction of the chain; `null` if none is found. */
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

/** Resolves to the newest failed transaction of a chain that was loaded; `null` if the newest thousands have none. */
async function newestMined(): Promise<EarlierFailure | null> {
  const { transactions } = await client.read<{
    readonly transactions: readonly { readonly hash: string }[];
  }>('inspect_transactions', [{ failed: true }, null, 1]);
  const [failed] = transactions;
  if (failed === undefined) return null;
  const inspection = await client.read<Inspection>('inspect_transaction', [failed.hash, SUMMARY]);
  return { inspection, hash: failed.hash, number: null };
}

/** The failed call in names and values; `null` if neither the contract nor the function is known. */
function FailedCall({ call }: { readonly call: InspectedCall }): JSX.Element | null {
  const isCreation = call.type.startsWith('CREATE');
  if (call.call === null && (isCreation || (call.to.name ?? call.implementation?.name) == null)) return null;
  return (
    <span>
      {isCreation ? 'new ' : null}
      <Callee call={call} />
      {call.call === null ? null : <Parameters parameters={call.call.parameters} />}
    </span>
  );
}

/** The newest failure: heading, reason, stack trace and a link to its page. */
function FailurePanel({
  inspection,
  heading,
  hash,
  number,
  lane,
  onDismiss,
}: Pick<EarlierFailure, 'hash' | 'number'> & {
  readonly inspection: Omit<Inspected, 'call'>;
  readonly heading: JSX.Element | null;
  readonly lane?: string | undefined;
  readonly onDismiss: () => void;
}): JSX.Element {
  const pathOf = useLinks();
  return (
    <WhyItFailed
      inspection={inspection}
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
        hash !== null ? (
          <a href={pathOf('tx', hash)}>View transaction</a>
        ) : number !== null ? (
          <a href={pathOf('failure', String(number))}>View failure</a>
        ) : null
      }
    />
  );
}

/** The newest failure from before the page was opened; nothing if there is none. */
function Earlier(): JSX.Element | null {
  const { value } = useAsked(newestEarlier, ['newest failure']);
  const [dismissed, dismiss] = useState<number | string | null>(null);
  const id = value?.number ?? value?.hash ?? null;
  if (value == null || id === dismissed) return null;
  const { call } = value.inspection;
  return <FailurePanel {...value} heading={FailedCall({ call })} onDismiss={() => dismiss(id)} />;
}

/** Frames of a stack trace in the panel. */
const MOST_FRAMES = 100;

/** The newest failure with its stack trace. The explorer of a lane shows only failures on this lane. */
function NewestFailure({ items }: { readonly items: readonly FeedItem[] }): JSX.Element | null {
  const [dismissed, dismiss] = useState(0);
  const here = place.value.chain;
  const found = items.find(
    ({ activity }) => isFailedExecution(activity) && (here === '' || chainOf(activity) === here),
  );
  if (found === undefined) return dismissed > 0 ? null : <Earlier />;
  if (found.id <= dismissed) return null;
  const { activity } = found;
  const chain = chainOf(activity);
  const trace: readonly StackFrame[] = Array.isArray(activity.stackTrace) ? activity.stackTrace : [];
  const omitted = trace.length > MOST_FRAMES ? { stackTrace: trace.length - MOST_FRAMES } : {};
  const subject = textOf(activity.subject);
  const { failureNumber } = activity;
  return (
    <LinkedChain.Provider value={chain}>
      <FailurePanel
        inspection={{
          failure: { message: failureOf(activity) ?? '', error: null },
          stackTrace: trace.slice(0, MOST_FRAMES),
          omitted,
        }}
        heading={subject === '' ? null : <Text text={subject} />}
        hash={activity.kind === 'transaction' ? textOf(activity.hash) : null}
        number={typeof failureNumber === 'number' && chain !== null ? failureNumber : null}
        lane={activity.lane}
        onDismiss={() => dismiss(found.id)}
      />
    </LinkedChain.Provider>
  );
}

const ROW_HEIGHT = 30;
/** Milliseconds without a key stroke after which is looked for what was typed. */
const TYPING = 250;

/** Kinds of items that can be left out. */
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

/** The texts in which items are searched, made at the first search. */
const searched = new WeakMap<FeedItem, string>();

/** Returns true for an item that has the text, in lower case, in what it shows. */
function matches(item: FeedItem, text: string): boolean {
  if (text === '') return true;
  let facts = searched.get(item);
  if (facts === undefined) {
    facts = JSON.stringify(item.activity).toLowerCase();
    searched.set(item, facts);
  }
  return facts.includes(text);
}

/** Keeps the text of the filter in the address, so that it can be shared, and is there after a reload. */
function keepInAddress(text: string): void {
  const url = new URL(location.href);
  if (text === '') url.searchParams.delete('search');
  else url.searchParams.set('search', text);
  go(url.pathname + url.search, true);
}

/** Returns the filter as it was when it had not changed for a moment. */
function useSettled({ text, onlyFailed }: MinedFilter): MinedFilter {
  const [settled, setSettled] = useState<MinedFilter>({ text, onlyFailed });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ text, onlyFailed }), TYPING);
    return () => clearTimeout(timer);
  }, [text, onlyFailed]);
  return settled;
}

/** The transactions that the rows above do not show: those from before the page was opened, or, in all blocks, those that match a filter. */
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
      // Transactions above the newest block of that time stand in the rows.
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

/** The feed. */
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
            {items.length < MOST_FEED_ITEMS ? '' : ` (the newest ${grouped(MOST_FEED_ITEMS)})`}.{' '}
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
