import type { JSX } from 'preact';
import { blockText, counted, decimal, shortHex, shown } from '../format.ts';
import { checksummed } from '../names.ts';
import { pathTo } from '../router.ts';
import type { TokenBalance, TokenBalances } from '../token-balances.ts';
import { exactAmount } from '../token-facts.ts';
import { useName } from './values.tsx';

/** A token amount with its symbol, linked to the token. */
export function TokenAmount({ held }: { readonly held: TokenBalance }): JSX.Element {
  const { token, symbol, balance, decimals, id } = held;
  const text = decimal(balance, decimals);
  const named = useName(token);
  const name = symbol ?? named?.text ?? null;
  return (
    <span class="token">
      <span class="mono" title={exactAmount(balance)}>
        {text.length > 40 ? `${text.slice(0, 40)}…` : text}
      </span>{' '}
      <a href={pathTo('token', token, id === null ? {} : { id: String(id) })} title={checksummed(token)}>
        <bdi>{name === null ? `of ${shortHex(checksummed(token))}` : shown(name, 24)}</bdi>
        {id === null ? null : ` #${shownId(id)}`}
      </a>
    </span>
  );
}

const MAX_ID_DIGITS = 18;

/** Returns an id of a token; long ids are shortened. */
export function shownId(id: bigint): string {
  const text = String(id);
  return text.length > MAX_ID_DIGITS ? `${text.slice(0, 6)}…${text.slice(-6)}` : text;
}

/** A note on tokens that are not listed; empty if all are. */
export function TokenGaps({
  tokens: { first, omitted },
}: {
  readonly tokens: TokenBalances;
}): JSX.Element | null {
  if (first === null && omitted === 0) return null;
  return (
    <p class="faint">
      {first === null
        ? ''
        : `Too many events: only tokens with events from block ${blockText(first)} onwards are listed. `}
      {omitted === 0 ? '' : `${counted(omitted, 'more balance')} not shown.`}
    </p>
  );
}
