/** The feed: requests, transactions, events and console output, as they happen. */

import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Activity, type FeedItem, feed, followedFrom } from '../chain.ts';
import { grouped } from '../format.ts';
import { failureOf, Row } from '../parts/activity.tsx';
import { type MinedFilter, MinedList } from '../parts/mined-list.tsx';
import { Empty } from '../parts/values.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { go, place } from '../router.ts';
import { NewestFailure } from './feed/newest-failure.tsx';

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
      <MinedList
        title="Mined transactions that match"
        filter={filter}
        isAlone
        empty="No mined transaction matches the filter."
      />
    );
  return (
    <MinedList
      title="Before this page was opened"
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
          Nothing has happened yet. Send a transaction to <code>{location.origin}</code>, and it appears here.
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
      <fieldset class="filters" aria-label="What is shown">
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
            {held === null ? 'Hold' : `Go on (${grouped(newer)} newer)`}
          </button>
        )}
      </fieldset>
      {items.length === 0 ? null : wanted.length === 0 ? (
        <Empty>Nothing that happened since the page was opened matches the filter.</Empty>
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
      {items.length === 0 ? null : (
        <p class="faint">
          {grouped(wanted.length)} of the newest {grouped(items.length)} rows, since{' '}
          {items[items.length - 1]?.activity.time.slice(11, 19)}
        </p>
      )}
      {left.has('transaction') ? null : (
        <Mined filter={{ text: text.trim(), onlyFailed }} hasRows={items.length > 0} />
      )}
    </>
  );
}
