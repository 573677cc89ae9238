import type { JSX } from 'preact';
import { blockText, counted, decimal, grouped, shown } from '../format.ts';
import { pathTo } from '../router.ts';
import type { TokenBalance, TokenBalances } from '../token-balances.ts';

/** A token amount with its symbol, linked to the token. */
export function TokenAmount({ held }: { readonly held: TokenBalance }): JSX.Element {
  const { token, symbol, balance, decimals } = held;
  const text = decimal(balance, decimals);
  return (
    <span class="token">
      <span class="mono" title={`${grouped(balance)} in the smallest unit`}>
        {text.length > 40 ? `${text.slice(0, 40)}…` : text}
      </span>{' '}
      <a href={pathTo('address', token)} title={token}>
        <bdi>{symbol === null ? `of ${token.slice(0, 8)}…` : shown(symbol, 24)}</bdi>
      </a>
    </span>
  );
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
