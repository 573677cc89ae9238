/** The feed: requests, transactions, events and console output, as they happen. */

import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Activity, chainUrl, client, type FeedItem, feed, followedFrom } from '../chain.ts';
import { counted, grouped } from '../format.ts';
import type { Inspection } from '../inspection.ts';
import { failureOf, Row, textOf } from '../parts/activity.tsx';
import { WhyItFailed } from '../parts/decoded.tsx';
import { VirtualList } from '../parts/lists.tsx';
import { type MinedFilter, MinedList } from '../parts/mined-list.tsx';
import { useAsked } from '../parts/use-read.ts';
import { Empty, Text } from '../parts/values.tsx';
import { go, pathTo, place } from '../router.ts';

/** A failed transaction from before the page was opened. */
interface EarlierFailure {
  readonly hash: string;
  readonly subject?: unknown;
  readonly inspection: Inspection;
}

/** Resolves to the newest failed transaction of the chain, `null` where none is found among the newest thousands. */
async function newestEarlier(): Promise<EarlierFailure | null> {
  const { transactions } = await client.read<{
    readonly transactions: readonly { readonly hash: string; readonly subject?: unknown }[];
  }>('inspect_transactions', [{ failed: true }, null, 1]);
  const [failed] = transactions;
  if (failed === undefined) return null;
  const inspection = await client.read<Inspection>('inspect_transaction', [
    failed.hash,
    { count: 0, changes: false },
  ]);
  return { ...failed, inspection };
}

function Heading({
  subject,
  onDismiss,
}: {
  readonly subject: unknown;
  readonly onDismiss: () => void;
}): JSX.Element {
  return (
    <h2>
      {subject == null ? 'Transaction failed' : <Text text={textOf(subject)} />}
      <button type="button" class="close" aria-label="Dismiss" onClick={onDismiss}>
        ×
      </button>
    </h2>
  );
}

/** The newest failure from before the page was opened; nothing where there is none. */
function Earlier(): JSX.Element | null {
  const { value } = useAsked(newestEarlier, ['newest failure']);
  const [dismissed, dismiss] = useState<string | null>(null);
  if (value == null || value.hash === dismissed) return null;
  return (
    <WhyItFailed
      inspection={value.inspection}
      label="Newest failure"
      above={<Heading subject={value.subject} onDismiss={() => dismiss(value.hash)} />}
      below={<a href={pathTo('tx', value.hash)}>View transaction</a>}
    />
  );
}

/** The newest failure with its stack trace. */
function NewestFailure({ items }: { readonly items: readonly FeedItem[] }): JSX.Element | null {
  const [dismissed, dismiss] = useState(0);
  const found = items.find(({ activity }) => activity.kind === 'transaction' && failureOf(activity) !== null);
  if (found === undefined) return <Earlier />;
  if (found.id <= dismissed) return null;
  const { activity } = found;
  const stack = Array.isArray(activity.stack)
    ? activity.stack.map(String)
    : textOf(activity.stack).split('\n');
  return (
    <section class="newest-failure" aria-label="Newest failure">
      <Heading subject={activity.subject} onDismiss={() => dismiss(found.id)} />
      <p class="reason">
        <Text text={failureOf(activity) ?? ''} longest={1_000} />
      </p>
      {stack.join('') === '' ? null : (
        <pre class="stack">
          <Text text={stack.join('\n')} longest={4_000} />
        </pre>
      )}
      <a href={pathTo('tx', textOf(activity.hash))}>View transaction</a>
    </section>
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
      {items.length === 0 ? null : (
        <p class="faint">
          {wanted.length === items.length ? '' : `${grouped(wanted.length)} of `}
          {counted(items.length, 'event')} since {items[items.length - 1]?.activity.time.slice(11, 19)} UTC
        </p>
      )}
      {left.has('transaction') ? null : (
        <Mined filter={{ text: text.trim(), onlyFailed }} hasRows={items.length > 0} />
      )}
    </>
  );
}
