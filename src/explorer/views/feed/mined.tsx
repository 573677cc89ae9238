/** Mined transactions that the feed did not show: from before the page was opened, and those that a filter looks for. */

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Activity, client, followedFrom } from '../../chain.ts';
import { numberOf } from '../../format.ts';
import { LONG_PAUSE, useCalmHead } from '../../parts/use-calm-head.ts';
import { useAsked } from '../../parts/use-read.ts';
import { Address, BlockNumber, Empty, Failure, Text, Time } from '../../parts/values.tsx';
import { Subject } from './rows.tsx';

/** The search; an empty text finds everything. */
export interface MinedFilter {
  readonly text: string;
  readonly onlyFailed: boolean;
}

interface Mined {
  readonly hash: string;
  readonly from: string;
  readonly blockNumber: string;
  readonly timestamp: string;
  readonly gasUsed: string;
  readonly failed: boolean;
  readonly [fact: string]: unknown;
}

interface Place {
  readonly blockNumber: string;
  readonly transactionIndex: string;
}

interface Page {
  readonly transactions: readonly Mined[];
  readonly next: Place | null;
}

const ROWS_AT_ONCE = 50;
/** Questions that follow one another while nothing is found, each of which looks at thousands of transactions. */
const MOST_QUESTIONS = 5;
/** Milliseconds without a key stroke after which is looked for what was typed. */
const TYPING = 250;

/** Returns the filter as it was when it had not changed for a moment. */
function useSettled({ text, onlyFailed }: MinedFilter): MinedFilter {
  const [settled, setSettled] = useState<MinedFilter>({ text, onlyFailed });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ text, onlyFailed }), TYPING);
    return () => clearTimeout(timer);
  }, [text, onlyFailed]);
  return settled;
}

async function search(
  { text, onlyFailed }: MinedFilter,
  from: Place | null,
  mostQuestions = 1,
): Promise<Page> {
  const filter = { ...(text === '' ? {} : { text }), ...(onlyFailed ? { failed: true } : {}) };
  let place = from;
  for (let asked = 1; ; asked++) {
    const params = place === null ? [filter] : [filter, place, ROWS_AT_ONCE];
    const page = await client.read<Page>('inspect_transactions', params);
    if (page.transactions.length > 0 || page.next === null || asked === mostQuestions) return page;
    place = page.next;
  }
}

/** Returns the transaction as the subscription tells of it. */
function activityOf({ timestamp, gasUsed, failed, ...facts }: Mined): Activity {
  return {
    ...facts,
    time: timestamp,
    kind: 'transaction',
    gasUsed: BigInt(gasUsed).toString(),
    failure: failed ? 'failed' : null,
  };
}

function MinedRow({ mined }: { readonly mined: Mined }): JSX.Element {
  const events = Array.isArray(mined.events) ? mined.events.map(String) : [];
  return (
    <li class={`item ${mined.failed ? 'failed' : ''}`}>
      <span class="block">
        <BlockNumber number={numberOf(mined.blockNumber)} />
      </span>
      <span class="when faint">
        <Time seconds={numberOf(mined.timestamp)} />
      </span>
      <Subject activity={activityOf(mined)} />
      {mined.failed ? <span class="reason">failed</span> : null}
      <span class="faint">
        by <Address address={mined.from} />
      </span>
      {events.length === 0 ? null : (
        <span class="faint">
          <Text text={events.join(', ')} longest={160} />
        </span>
      )}
    </li>
  );
}

/** The list; `isAlone` where there is no other one above it. */
export function MinedTransactions({
  filter: given,
  isAlone,
}: {
  readonly filter: MinedFilter;
  readonly isAlone: boolean;
}): JSX.Element | null {
  const filter = useSettled(given);
  const isFiltered = filter.text !== '' || filter.onlyFailed;
  const newest = useCalmHead(LONG_PAUSE);
  const [older, setOlder] = useState<{ readonly of: string; readonly pages: readonly Page[] } | null>(null);
  // Without a filter what is above the newest block of then stands in the feed.
  const followed = followedFrom.value;
  const from =
    isFiltered || followed === null
      ? null
      : { blockNumber: `0x${followed.toString(16)}`, transactionIndex: '0xffffffff' };
  const key = JSON.stringify([filter, from]);
  const asked = useAsked(() => search(filter, from), [key, isFiltered ? newest : null]);
  if (asked.error !== null) return <Failure error={asked.error} />;
  if (asked.value === undefined) return isAlone ? <p class="loading">Asking the node…</p> : null;
  const pages = [asked.value, ...(older?.of === key ? older.pages : [])];
  const seen = new Set<string>();
  const rows = pages
    .flatMap(({ transactions }) => transactions)
    .filter(({ hash }) => !seen.has(hash) && seen.add(hash));
  const next = pages.at(-1)?.next ?? null;
  const more = async (): Promise<void> => {
    const page = await search(filter, next, MOST_QUESTIONS);
    setOlder({ of: key, pages: [...(older?.of === key ? older.pages : []), page] });
  };
  if (rows.length === 0 && next === null) {
    if (isFiltered) return <Empty>No mined transaction matches the filter.</Empty>;
    if (!isAlone) return null;
    return (
      <Empty>
        Nothing has happened yet. Send a transaction to <code>{location.origin}</code>, and it appears here.
      </Empty>
    );
  }
  const title = isFiltered ? 'Mined transactions that match' : 'Before this page was opened';
  return (
    <section aria-label={title} class="mined">
      <h2>{title}</h2>
      {rows.length > 0 ? null : <Empty>None of the newest transactions matches the filter.</Empty>}
      <ul class="plain">
        {rows.map((mined) => (
          <MinedRow key={mined.hash} mined={mined} />
        ))}
      </ul>
      {next === null ? null : (
        <button type="button" onClick={() => void more()}>
          Older
        </button>
      )}
    </section>
  );
}
