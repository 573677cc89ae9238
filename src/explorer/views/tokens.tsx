/** The tokens of the chain. */

import type { JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { epoch, headNumber, moment } from '../chain.ts';
import { blockText, counted, grouped, shown } from '../format.ts';
import { checksummed } from '../names.ts';
import { Scrolled } from '../parts/lists.tsx';
import { Table } from '../parts/table.tsx';
import { LONG_PAUSE, useCalmHead, useReadState } from '../parts/use-read.ts';
import { Address, Empty, Loaded, useName } from '../parts/values.tsx';
import { pathTo } from '../router.ts';
import { exactAmount, tokenAmount } from '../token-facts.ts';
import { type ListedToken, TokenLister } from '../token-list.ts';

/** The supply in whole tokens, or the number of items of ERC-721. */
function Supply({
  token: { standard, supply, symbol, decimals },
}: {
  readonly token: ListedToken;
}): JSX.Element {
  if (supply === null) return <span class="faint">unknown</span>;
  const text =
    standard === 'ERC-721'
      ? counted(supply, 'item')
      : tokenAmount(supply, { symbol, decimals: decimals ?? 0 });
  return (
    <bdi class="supply" title={exactAmount(supply)}>
      {text}
    </bdi>
  );
}

function Row({ token }: { readonly token: ListedToken }): JSX.Element {
  const { address, standard, name, symbol, transfers } = token;
  const contract = useName(address)?.text;
  return (
    <tr>
      <td>
        <a href={pathTo('token', address)} title={checksummed(address)}>
          <bdi>{shown(name ?? symbol ?? contract ?? 'unnamed token', 60)}</bdi>
        </a>
      </td>
      <td>
        <bdi>{symbol === null ? '' : shown(symbol, 24)}</bdi>
      </td>
      <td>
        <span class="tag">{standard}</span>
      </td>
      <td>
        <Address address={address} />
      </td>
      <td class="number">{standard === 'ERC-1155' ? '' : <Supply token={token} />}</td>
      <td class="number">{grouped(transfers)}</td>
    </tr>
  );
}

function matches({ address, name, symbol }: ListedToken, wanted: string): boolean {
  return [address, name, symbol].some((text) => text?.toLowerCase().includes(wanted));
}

export function Tokens(): JSX.Element {
  const lister = useRef(new TokenLister());
  const [filter, setFilter] = useState('');
  const id = useId();
  const asked = useReadState(
    () => lister.current.read(epoch.peek(), moment.peek() ?? headNumber.peek()),
    [moment.value, useCalmHead(LONG_PAUSE)],
  );
  const wanted = filter.trim().toLowerCase();
  return (
    <>
      <h1>Tokens</h1>
      <div class="field">
        <label for={id}>Name, symbol or address</label>
        <input
          id={id}
          type="text"
          value={filter}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      </div>
      <Loaded asked={asked}>
        {({ tokens, omitted, first }) => {
          const found = tokens.filter((token) => matches(token, wanted));
          return (
            <>
              {found.length === 0 ? (
                <Empty>
                  {tokens.length === 0
                    ? 'No tokens found. A token is listed after its creation or its first transfer.'
                    : `No tokens match “${shown(filter, 60)}”`}
                </Empty>
              ) : (
                <Scrolled label="Tokens">
                  <Table
                    columns={[
                      'Token',
                      'Symbol',
                      'Standard',
                      'Contract',
                      { number: 'Supply' },
                      { number: 'Transfers' },
                    ]}
                  >
                    {found.map((token) => (
                      <Row key={token.address} token={token} />
                    ))}
                  </Table>
                </Scrolled>
              )}
              <p class="faint">
                {first === 0 ? '' : `Transfers since block ${blockText(first)}. `}
                {omitted === 0 ? '' : `${counted(omitted, 'more token')} not shown.`}
              </p>
            </>
          );
        }}
      </Loaded>
    </>
  );
}
