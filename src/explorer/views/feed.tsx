/** What happens, as it happens: requests, transactions, events, console output. */

import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { type Activity, client, type FeedItem, feed, head } from '../chain.ts';
import { grouped, numberOf, relativeTime, shortHex, shown } from '../format.ts';
import { useAsked } from '../parts/use-read.ts';
import { Address, BlockNumber, Empty, Text, TransactionHash } from '../parts/values.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { pathTo, place } from '../router.ts';

const ROW_HEIGHT = 30;

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

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

interface ErrorFacts {
  readonly code: number;
  readonly message: string;
}

function failureOf({ kind, failure, error }: Activity): string | null {
  if (kind === 'transaction') return typeof failure === 'string' ? failure : null;
  return kind === 'request' && error != null ? (error as ErrorFacts).message : null;
}

/** Returns true for an item that has the text in what it shows. */
function matches({ activity }: FeedItem, text: string): boolean {
  return text === '' || JSON.stringify(activity).toLowerCase().includes(text.toLowerCase());
}

function Subject({ activity }: { readonly activity: Activity }): JSX.Element {
  const { kind } = activity;
  if (kind === 'request')
    return (
      <>
        <b class="mono">{shown(textOf(activity.method), 80)}</b>{' '}
        <span class="faint">{Number(activity.durationMs ?? 0).toFixed(1)} ms</span>
      </>
    );
  if (kind === 'transaction') {
    const subject = textOf(activity.subject);
    return (
      <>
        <TransactionHash hash={textOf(activity.hash)} />{' '}
        {subject === '' ? (
          <span>
            {textOf(activity.purpose)}{' '}
            {textOf(activity.to) === '' ? null : <Address address={textOf(activity.to)} />}
          </span>
        ) : (
          <b>
            <Text text={subject} longest={160} />
          </b>
        )}
        <span class="faint"> {grouped(textOf(activity.gasUsed))} gas</span>
      </>
    );
  }
  if (kind === 'console')
    return (
      <span class="console">
        <Text text={textOf(activity.text)} longest={200} />
      </span>
    );
  if (kind === 'removed')
    return (
      <span>
        Blocks #{String(activity.first)} to #{String(activity.last)} left the chain
      </span>
    );
  if (kind === 'omitted') return <span class="faint">… {omittedText(activity)}</span>;
  return <Text text={textOf(activity.text) || kind} longest={200} />;
}

/** Returns in words what came too quickly to be listed. */
function omittedText({ counts }: Activity): string {
  const words = Object.entries(counts as Readonly<Record<string, number>>).map(
    ([kind, count]) =>
      `${grouped(count)} more ${OMITTED_WORDS[kind] ?? kind}${kind in OMITTED_WORDS && count > 1 ? 's' : ''}`,
  );
  return `${words.join(', ')} at the same time`;
}

const OMITTED_WORDS: Readonly<Record<string, string>> = {
  request: 'request',
  transaction: 'transaction',
  console: 'line',
};

function Row({ item }: { readonly item: FeedItem }): JSX.Element {
  const { activity } = item;
  const failure = failureOf(activity);
  return (
    <div class={`item ${activity.kind} ${failure === null ? '' : 'failed'}`}>
      <time class="faint mono">{activity.time.slice(11, 23)}</time>
      {activity.lane === undefined ? null : <span class="tag">{shown(activity.lane, 24)}</span>}
      <Subject activity={activity} />
      {failure === null ? null : (
        <span class="reason">
          <Text text={failure} longest={160} />
        </span>
      )}
    </div>
  );
}

/** The newest failure with its stack trace. */
function NewestFailure({ items }: { readonly items: readonly FeedItem[] }): JSX.Element | null {
  const [dismissed, dismiss] = useState(0);
  const found = items.find(({ activity }) => activity.kind === 'transaction' && failureOf(activity) !== null);
  if (found === undefined || found.id <= dismissed) return null;
  const { activity } = found;
  const stack = Array.isArray(activity.stack)
    ? activity.stack.map(String)
    : textOf(activity.stack).split('\n');
  return (
    <section class="newest-failure" aria-label="Newest failure">
      <h2>
        {activity.subject == null ? 'A transaction failed' : <Text text={textOf(activity.subject)} />}
        <button type="button" class="close" aria-label="Dismiss" onClick={() => dismiss(found.id)}>
          ×
        </button>
      </h2>
      <p class="reason">
        <Text text={failureOf(activity) ?? ''} longest={1_000} />
      </p>
      {stack.join('') === '' ? null : (
        <pre class="stack">
          <Text text={stack.join('\n')} longest={4_000} />
        </pre>
      )}
      <a href={pathTo('tx', textOf(activity.hash))}>Open the transaction</a>
    </section>
  );
}

interface ShownTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
}

/** The transactions of the newest blocks, from before the page was opened. */
function Before(): JSX.Element {
  const asked = useAsked(async () => {
    const newest = numberOf(head.peek()?.number);
    const numbers = Array.from({ length: Math.min(20, newest + 1) }, (_, index) => newest - index);
    return Promise.all(
      numbers.map((number) =>
        client.read<{
          readonly number: string;
          readonly timestamp: string;
          readonly transactions: readonly ShownTransaction[];
        } | null>('eth_getBlockByNumber', [`0x${number.toString(16)}`, true]),
      ),
    );
  }, [head.value === null]);
  const rows = (asked.value ?? []).flatMap((block) =>
    block === null
      ? []
      : [...block.transactions]
          .reverse()
          .slice(0, 50)
          .map((transaction) => ({ block, transaction })),
  );
  if (rows.length === 0)
    return (
      <Empty>
        Nothing has happened yet. Send a transaction to <code>{location.origin}</code>, and it appears here.
      </Empty>
    );
  return (
    <section aria-label="Before">
      <h2>Before this page was opened</h2>
      <ul class="plain">
        {rows.slice(0, 100).map(({ block, transaction: { hash, from, to } }) => (
          <li key={hash} class="item">
            <BlockNumber number={numberOf(block.number)} /> <TransactionHash hash={hash} />{' '}
            <Address address={from} /> → {to === null ? 'a new contract' : <Address address={to} />}{' '}
            <span class="faint">{relativeTime(numberOf(block.timestamp), Date.now() / 1_000)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The feed. */
export function Feed(): JSX.Element {
  const [left, setLeft] = useState<ReadonlySet<Kind>>(new Set());
  const [onlyFailed, setOnlyFailed] = useState(false);
  const [text, setText] = useState(place.value.query.get('search') ?? '');
  const items = feed.value;
  const wanted = useMemo(
    () =>
      items.filter(
        (item) =>
          !left.has(kindOf(item.activity)) &&
          (!onlyFailed || failureOf(item.activity) !== null) &&
          matches(item, text),
      ),
    [items, left, onlyFailed, text],
  );
  const toggle = (kind: Kind): void => {
    const changed = new Set(left);
    if (!changed.delete(kind)) changed.add(kind);
    setLeft(changed);
  };
  return (
    <>
      <h1 class="unseen">Feed</h1>
      <NewestFailure items={items} />
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
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </fieldset>
      {items.length === 0 ? (
        <Before />
      ) : wanted.length === 0 ? (
        <Empty>Nothing that happened matches the filter.</Empty>
      ) : (
        <VirtualList
          class="feed"
          label="Feed"
          count={wanted.length}
          rowHeight={ROW_HEIGHT}
          row={(index) => {
            const item = wanted[index];
            return item === undefined ? null : <Row key={item.id} item={item} />;
          }}
        />
      )}
      {items.length === 0 ? null : (
        <p class="faint">
          {grouped(wanted.length)} of {grouped(items.length)} since{' '}
          {shortHex(items[items.length - 1]?.activity.time ?? '', 17)}
        </p>
      )}
    </>
  );
}
