/** Renders one activity. */

import type { JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { type Activity, MAX_ROWS, UPDATES_PER_SECOND } from '../chain.ts';
import { blockText, grouped, shortHex, shown } from '../format.ts';
import { checksummed, nameOf } from '../names.ts';
import { place } from '../router.ts';
import { amountIn, type TextAmount, tokenAmount } from '../token-facts.ts';
import {
  ActivityAge,
  Address,
  AmountText,
  LinkedChain,
  Text,
  TransactionHash,
  useLinks,
  useName,
  useTokenFacts,
} from './values.tsx';

/** Returns the value if it is a string; otherwise an empty string. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

interface ErrorFacts {
  readonly code: number;
  readonly message: string;
}

/** Returns the reason of a failure, decoded if possible; `null` for a success. */
export function failureOf({ kind, failure, error }: Activity): string | null {
  if (kind !== 'transaction' && kind !== 'request') return null;
  if (typeof failure === 'string') return failure;
  return kind === 'request' && error != null ? (error as ErrorFacts).message : null;
}

/** Returns true for a failed transaction, call or estimate. Other failed requests, for example with invalid parameters, run no code. */
export function isFailedExecution(activity: Activity): boolean {
  if (activity.kind === 'request' && typeof activity.failureNumber !== 'number') return false;
  return failureOf(activity) !== null;
}

/** Returns the path of the chain of an activity; `null` if this path is an unknown API key. */
export function chainOf({ lane, lanePath }: Activity): string | null {
  if (typeof lanePath === 'string') return decodeURIComponent(lanePath);
  const here = place.peek().chain;
  // If paths are API keys, the explorer of a key receives only the activity of this key.
  return lane === undefined || here !== '' ? here : null;
}

/** The amount in the text of a call, in the decimals of the called token; `null` without one. */
function useAmount(
  subject: string,
  token: string,
): { readonly found: TextAmount; readonly text: string } | null {
  const found = token === '' ? null : amountIn(subject);
  const facts = useTokenFacts(found === null ? null : token);
  const text = found === null || facts === null ? null : tokenAmount(found.amount, facts);
  return found === null || text === null ? null : { found, text };
}

/** The text of a call, with its amount in the decimals of the called token. */
function useScaled(subject: string, token: string): string {
  const amount = useAmount(subject, token);
  return amount === null ? subject : `${amount.found.head}${amount.text}${amount.found.tail}`;
}

const ADDRESSES = /0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g;

/** The text with the names of addresses; addresses without a name are shortened. */
function useNamed(text: string): string {
  const chain = useContext(LinkedChain);
  const isHere = chain === null || chain === place.value.chain;
  return text.replace(ADDRESSES, (address) => {
    const named = nameOf(address, null, isHere);
    const short = shortHex(checksummed(address));
    return named === null ? short : `${named.text}${named.isShared ? ` ${short}` : ''}`;
  });
}

/** A call with arguments; the function name is highlighted. `to` is the called contract, if known. */
function Called({ subject, to = '' }: { readonly subject: string; readonly to?: string }): JSX.Element {
  const text = useNamed(useScaled(subject, to));
  const end = text.indexOf('(');
  const [name, values] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end)];
  const named = useName(to);
  return (
    <span class="subject" title={shown(subject, 1_000)}>
      <b>
        <Text text={name} longest={160} />
      </b>
      {values === '' ? null : <Text text={values} longest={160} />}
      {named?.isShared === true ? <span class="mono faint"> {shortHex(checksummed(to))}</span> : null}
    </span>
  );
}

/** The amount of a transaction, from digits or a QUANTITY; empty if it is zero. */
function Worth({ value }: { readonly value: string }): JSX.Element | null {
  const wei = BigInt(value);
  return wei === 0n ? null : <AmountText wei={wei} />;
}

/** An activity as one line. */
export function Subject({ activity }: { readonly activity: Activity }): JSX.Element {
  const { kind } = activity;
  if (kind === 'request')
    return (
      <>
        <b class="mono">{shown(textOf(activity.method), 80)}</b>{' '}
        {textOf(activity.subject) === '' ? null : <Called subject={textOf(activity.subject)} />}
        <span class="faint">{grouped(Number(activity.durationMs ?? 0).toFixed(1))} ms</span>
      </>
    );
  if (kind === 'transaction') {
    const subject = textOf(activity.subject);
    return (
      <>
        <TransactionHash hash={textOf(activity.hash)} />{' '}
        {subject === '' ? (
          <span class="subject">
            {textOf(activity.purpose)}{' '}
            {textOf(activity.to) === '' ? null : <Address address={textOf(activity.to)} />}
          </span>
        ) : (
          <Called subject={subject} to={textOf(activity.to)} />
        )}
        <Worth value={textOf(activity.value)} />
        <span class="faint gas">{grouped(textOf(activity.gasUsed))} gas</span>
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
        Blocks {blockText(Number(activity.first))} to {blockText(Number(activity.last))} removed from the
        chain
      </span>
    );
  if (kind === 'omitted') return <span class="faint">… {omittedText(activity)}</span>;
  return <Text text={textOf(activity.text) || kind} longest={200} />;
}

/** Characters of the events to name. */
const MAX_EVENTS = 1_000;

/** The events of a transaction, if any. */
export function EventNames({
  activity: { events, subject, to },
}: {
  readonly activity: { readonly [fact: string]: unknown };
}): JSX.Element | null {
  const listed = Array.isArray(events) ? events.map(String).join(', ').slice(0, MAX_EVENTS) : '';
  const amount = useAmount(textOf(subject), textOf(to));
  // The texts of events do not name their token. The same amount is the amount of the call.
  const scaled =
    amount === null ? listed : listed.replaceAll(`: ${amount.found.amount})`, () => `: ${amount.text})`);
  const text = useNamed(scaled);
  if (text === '') return null;
  return (
    <span class="faint events">
      <Text text={text} longest={160} />
    </span>
  );
}

/** Returns the counts of the activities that came too quickly to be listed, and the limit. */
function omittedText({ counts }: Activity): string {
  const words = Object.entries(counts as Readonly<Record<string, number>>).map(
    ([kind, count]) =>
      `${grouped(count)} more ${OMITTED_WORDS[kind] ?? kind}${kind in OMITTED_WORDS && count > 1 ? 's' : ''}`,
  );
  return `${words.join(', ')} not listed (at most ${MAX_ROWS} rows per update, ${UPDATES_PER_SECOND} updates per second)`;
}

const OMITTED_WORDS: Readonly<Record<string, string>> = {
  request: 'request',
  transaction: 'transaction',
  console: 'line',
};

/** The reason of a failure. For a failed call it links to the failure. */
function Reason({ activity, text }: { readonly activity: Activity; readonly text: string }): JSX.Element {
  const pathOf = useLinks();
  const reason = <Text text={text} longest={160} />;
  return (
    <span class="reason">
      {typeof activity.failureNumber !== 'number' || chainOf(activity) === null ? (
        reason
      ) : (
        <a href={pathOf('failure', String(activity.failureNumber))}>{reason}</a>
      )}
    </span>
  );
}

/** A row of the feed. Its links lead to the chain of the activity. */
export function Row({ activity }: { readonly activity: Activity }): JSX.Element {
  const failure = failureOf(activity);
  return (
    <LinkedChain.Provider value={chainOf(activity)}>
      <div class={`item ${activity.kind} ${failure === null ? '' : 'failed'}`}>
        <ActivityAge time={activity.time} />
        {activity.lane === undefined ? null : <span class="tag">{shown(activity.lane, 24)}</span>}
        <Subject activity={activity} />
        {failure === null ? null : <Reason activity={activity} text={failure} />}
        {activity.kind === 'transaction' && textOf(activity.from) !== '' ? (
          <span class="faint by">
            from <Address address={textOf(activity.from)} />
          </span>
        ) : null}
        <EventNames activity={activity} />
      </div>
    </LinkedChain.Provider>
  );
}
