/** Renders single values: addresses, hashes, amounts, times, errors. */

import { signal } from '@preact/signals';
import { type ComponentChildren, createContext, type JSX } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { arrivedAt, now } from '../chain.ts';
import {
  absoluteTime,
  ageText,
  amount,
  blockText,
  errorText,
  grouped,
  shortHex,
  shown,
  type Unit,
} from '../format.ts';
import { checksummed, nameOf, type ShownName } from '../names.ts';
import { pathOn, pathTo, place } from '../router.ts';
import { type TokenFacts, tokenFacts } from '../token-facts.ts';
import { Scrolled } from './lists.tsx';
import type { ReadState } from './use-read.ts';

/** The text that screen readers announce. */
export const announcement = signal('');

const UNITS: readonly Unit[] = ['ether', 'gwei', 'wei'];

/** The units of all amounts and of all gas prices. */
const amountUnit = signal<Unit>('ether');
const priceUnit = signal<Unit>('gwei');

/** The path of the chain that links lead to; `null` for the chain of the explorer. */
export const LinkedChain = createContext<string | null>(null);

/** Returns a function for the path of a view of the linked chain. */
export function useLinks(): (
  view: string,
  subject: string,
  query?: Readonly<Record<string, string>>,
) => string {
  const chain = useContext(LinkedChain);
  return (view, subject, query) =>
    chain === null ? pathTo(view, subject, query) : pathOn(chain, view, subject, query);
}

export function Copy({
  text,
  label = 'Copy',
}: {
  readonly text: string;
  readonly label?: string;
}): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    announcement.value = 'Copied';
    setCopied(true);
    setTimeout(() => setCopied(false), 1_200);
  };
  return (
    <button type="button" class="copy" title={label} aria-label={label} onClick={() => void copy()}>
      <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
        {isCopied ? <path d="m3 8.5 3.5 3.5L13 5" /> : <path d="M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3" />}
      </svg>
    </button>
  );
}

/** Returns the name of an address on the linked chain; `null` for none. `otherwise` is the name in the result. */
export function useName(address: string, otherwise: string | null = null): ShownName | null {
  const chain = useContext(LinkedChain);
  return nameOf(address, otherwise, chain === null || chain === place.value.chain);
}

/** Returns the facts of a token of the linked chain; `null` until they are known, and for other chains. */
export function useTokenFacts(token: string | null): TokenFacts | null {
  const chain = useContext(LinkedChain);
  const isHere = chain === null || chain === place.value.chain;
  return token === null || token === '' || !isHere ? null : tokenFacts(token);
}

/**
 * An address with its EIP-55 checksum, linked to its account. A name replaces the address, unless other
 * addresses have the same name. `isWhole` shows both.
 */
export function Address({
  address,
  name = null,
  isWhole = false,
  isNamed = true,
}: {
  readonly address: string;
  readonly name?: string | null;
  readonly isWhole?: boolean;
  /** False beside a name. */
  readonly isNamed?: boolean;
}): JSX.Element {
  const pathOf = useLinks();
  const known = useName(address, name);
  const named = isNamed ? known : null;
  const whole = checksummed(address);
  const text = isWhole ? whole : shortHex(whole);
  return (
    <span class="value">
      <a class="mono" href={pathOf('address', address)} title={whole}>
        {named === null ? text : <bdi class="name">{shown(named.text, 60)}</bdi>}
      </a>
      {named === null || !(isWhole || named.isShared) ? null : <span class="mono faint"> {text}</span>}
      <Copy text={whole} label="Copy address" />
    </span>
  );
}

/** A transaction hash, linked to the transaction. */
export function TransactionHash({
  hash,
  isWhole = false,
}: {
  readonly hash: string;
  readonly isWhole?: boolean;
}): JSX.Element {
  const pathOf = useLinks();
  return (
    <span class="value">
      <a class="mono" href={pathOf('tx', hash)} title={hash}>
        {isWhole ? hash : shortHex(hash, 6)}
      </a>
      <Copy text={hash} label="Copy transaction hash" />
    </span>
  );
}

/** A block number, linked to the block. */
export function BlockNumber({ number }: { readonly number: number }): JSX.Element {
  return (
    <a class="mono" href={pathTo('block', String(number))}>
      {blockText(number)}
    </a>
  );
}

/** Hex bytes; long ones are cut, but copied in full. */
export function Hex({ hex, digits = 32 }: { readonly hex: string; readonly digits?: number }): JSX.Element {
  return (
    <span class="value">
      <code title={hex.length > 200 ? undefined : hex}>{shortHex(hex, digits)}</code>
      <Copy text={hex} label="Copy data" />
    </span>
  );
}

/** An amount in wei or a gas price. A click changes the unit everywhere. `isChange` adds a plus sign. */
export function Amount({
  wei,
  isChange = false,
  isPrice = false,
}: {
  readonly wei: bigint;
  readonly isChange?: boolean;
  readonly isPrice?: boolean;
}): JSX.Element {
  const unit = isPrice ? priceUnit : amountUnit;
  const next = (): void => {
    unit.value = UNITS[(UNITS.indexOf(unit.value) + 1) % UNITS.length] ?? 'ether';
  };
  return (
    <button
      type="button"
      class="amount"
      onClick={next}
      title={`${grouped(wei)} wei (click to change the unit)`}
    >
      {isChange && wei > 0n ? '+' : ''}
      {amount(wei, unit.value)} <span class="faint">{unit.value}</span>
    </button>
  );
}

/** An amount in the common unit, for rows without enough space for a touch button. */
export function AmountText({ wei }: { readonly wei: bigint }): JSX.Element {
  return (
    <span class="mono" title={`${grouped(wei)} wei`}>
      {amount(wei, amountUnit.value)} <span class="faint">{amountUnit.value}</span>
    </span>
  );
}

/**
 * The time since a block arrived. `isWhole` adds its timestamp; `seconds` is the timestamp in seconds since
 * 1970.
 */
export function Age({
  block,
  seconds,
  isWhole = false,
}: {
  readonly block: number;
  readonly seconds: number;
  readonly isWhole?: boolean;
}): JSX.Element {
  const absolute = absoluteTime(seconds);
  const age = ageText(arrivedAt(block, seconds), now.value);
  return (
    <time dateTime={absolute} title={`Block timestamp: ${absolute}`}>
      {isWhole ? `${absolute} (${age})` : age}
    </time>
  );
}

/** The time since an activity; `time` is its date and time as text. */
export function ActivityAge({ time }: { readonly time: string }): JSX.Element {
  return (
    <time class="faint" dateTime={time} title={time.replace('T', ' ').replace('Z', ' UTC')}>
      {ageText(Date.parse(time) / 1_000, now.value)}
    </time>
  );
}

/** Untrusted text: isolated from the text direction around it, and never interpreted as markup. */
export function Text({ text, longest }: { readonly text: string; readonly longest?: number }): JSX.Element {
  return <bdi class="text">{shown(text, longest)}</bdi>;
}

/** Source text, which scrolls if it is too wide. `isWrapped` breaks its lines instead. */
export function Code({
  label,
  text,
  isWrapped = false,
}: {
  readonly label: string;
  readonly text: string;
  readonly isWrapped?: boolean;
}): JSX.Element {
  return (
    <Scrolled class={isWrapped ? 'code wrapped' : 'code'} label={label}>
      <pre>{text}</pre>
    </Scrolled>
  );
}

/** An error in place of a value. */
export function Failure({ error }: { readonly error: unknown }): JSX.Element {
  return (
    <p class="failure" role="alert">
      <Text text={errorText(error)} longest={2_000} />
    </p>
  );
}

/** A note in place of empty content. */
export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <p class="empty">{children}</p>;
}

/** The note for a block that does not exist (any more), with a link to the latest block. */
export function NoBlock({
  subject,
  newest,
}: {
  readonly subject: string;
  readonly newest: string;
}): JSX.Element {
  return (
    <Empty>
      Block {shown(subject, 80)} not found. <a href={newest}>Open the latest block</a>
    </Empty>
  );
}

/** Renders a requested value, its loading state, or its error. */
export function Loaded<Value>({
  asked,
  children,
}: {
  readonly asked: ReadState<Value>;
  readonly children: (value: Value) => ComponentChildren;
}): JSX.Element {
  if (asked.error !== null) return <Failure error={asked.error} />;
  if (asked.value === undefined)
    return (
      <p class="loading" aria-busy="true">
        Loading…
      </p>
    );
  return <>{children(asked.value)}</>;
}

/** A list of facts: names on the left, values on the right. */
export function Facts({
  rows,
}: {
  readonly rows: readonly (readonly [string, ComponentChildren])[];
}): JSX.Element {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
