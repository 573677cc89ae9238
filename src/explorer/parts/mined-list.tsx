/** Mined transactions with their calls, newest first: all below a place, or the matches of a filter. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Activity, client } from '../chain.ts';
import { numberOf } from '../format.ts';
import { EventNames, Subject } from './activity.tsx';
import { LONG_PAUSE, useCalmHead, useReadState } from './use-read.ts';
import { Address, Age, BlockNumber, Empty, Failure } from './values.tsx';

/** The filter; an empty text matches everything. */
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

/** The position where a list starts. */
export interface MinedPosition {
  readonly blockNumber: string;
  readonly transactionIndex: string;
}

interface Page {
  readonly transactions: readonly Mined[];
  readonly next: MinedPosition | null;
}

const ROWS_AT_ONCE = 50;
/** Maximum consecutive requests without a match. Each one searches thousands of transactions. */
const MAX_QUESTIONS = 5;

async function search(
  { text, onlyFailed }: MinedFilter,
  from: MinedPosition | null,
  maxQuestions = 1,
): Promise<Page> {
  const filter = { ...(text === '' ? {} : { text }), ...(onlyFailed ? { failed: true } : {}) };
  let place = from;
  for (let asked = 1; ; asked++) {
    const params = place === null ? [filter] : [filter, place, ROWS_AT_ONCE];
    const page = await client.read<Page>('inspect_transactions', params);
    if (page.transactions.length > 0 || page.next === null || asked === maxQuestions) return page;
    place = page.next;
  }
}

/** Converts a transaction to the format of the subscription. */
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
  return (
    <li class={`item ${mined.failed ? 'failed' : ''}`}>
      <span class="block">
        <BlockNumber number={numberOf(mined.blockNumber)} />
      </span>
      <span class="when faint">
        <Age block={numberOf(mined.blockNumber)} seconds={numberOf(mined.timestamp)} />
      </span>
      <Subject activity={activityOf(mined)} />
      {mined.failed ? <span class="tag bad">failed</span> : null}
      <span class="faint by">
        from <Address address={mined.from} />
      </span>
      <EventNames activity={mined} />
    </li>
  );
}

/** The list. Without a start position, it reloads after new blocks. */
export function MinedList({
  title,
  filter,
  from = null,
  isAlone,
  isHeaded = true,
  empty,
}: {
  readonly title: string;
  readonly filter: MinedFilter;
  readonly from?: MinedPosition | null;
  /** False if another list is above this one. An empty list then renders nothing. */
  readonly isAlone: boolean;
  /** False if a tab above already has the title. */
  readonly isHeaded?: boolean;
  /** The text of an empty list. */
  readonly empty: JSX.Element | string;
}): JSX.Element | null {
  const newest = useCalmHead(LONG_PAUSE);
  const [older, setOlder] = useState<{ readonly of: string; readonly pages: readonly Page[] } | null>(null);
  const key = JSON.stringify([filter, from]);
  const isFiltered = filter.text !== '' || filter.onlyFailed;
  const asked = useReadState(
    // A filtered search restarts after new blocks.
    () => search(filter, from, isFiltered ? 1 : MAX_QUESTIONS),
    [key, from === null ? newest : null],
  );
  if (asked.error !== null) return <Failure error={asked.error} />;
  if (asked.value === undefined) return isAlone ? <p class="loading">Loading…</p> : null;
  const pages = [asked.value, ...(older?.of === key ? older.pages : [])];
  const seen = new Set<string>();
  const rows = pages
    .flatMap(({ transactions }) => transactions)
    .filter(({ hash }) => !seen.has(hash) && seen.add(hash));
  const next = pages.at(-1)?.next ?? null;
  const more = async (): Promise<void> => {
    const page = await search(filter, next, MAX_QUESTIONS);
    setOlder({ of: key, pages: [...(older?.of === key ? older.pages : []), page] });
  };
  if (rows.length === 0 && next === null) return isAlone ? <Empty>{empty}</Empty> : null;
  return (
    <section aria-label={title} class="mined">
      <h2 class={isHeaded ? undefined : 'unseen'}>{title}</h2>
      {rows.length > 0 ? null : (
        <Empty>
          {isFiltered ? 'No matches among the newest transactions.' : 'No transactions in the newest blocks.'}
        </Empty>
      )}
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
