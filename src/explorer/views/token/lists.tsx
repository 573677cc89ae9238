/** The holders, items and transfers of a token. Only visible rows are drawn. */

import type { JSX } from 'preact';
import { blockText, counted, grouped } from '../../format.ts';
import { VirtualList } from '../../parts/lists.tsx';
import { shownId } from '../../parts/tokens.tsx';
import { Address, BlockNumber, Empty, TransactionHash } from '../../parts/values.tsx';
import { pathTo } from '../../router.ts';
import { NOBODY, type Transfer } from '../../token-events.ts';
import { exactAmount, type TokenFacts, tokenAmount } from '../../token-facts.ts';
import type { Holding, TokenHistory, TokenItem } from '../../token-holders.ts';

const ROW_HEIGHT = 32;
/** Hundredths of a percent. */
const SHARE_UNIT = 10_000n;

/** An amount in the decimals of the token. ERC-721 and ERC-1155 have none. */
function Quantity({ value, facts }: { readonly value: bigint; readonly facts: TokenFacts }): JSX.Element {
  const text = tokenAmount(value, { ...facts, decimals: facts.decimals ?? 0 });
  return (
    <bdi class="mono quantity" title={exactAmount(value)}>
      {text}
    </bdi>
  );
}

/** An id, linked to its item. */
function ItemLink({ token, id }: { readonly token: string; readonly id: bigint }): JSX.Element {
  return (
    <a class="mono" href={pathTo('token', token, { show: 'items', id: String(id) })} title={`id ${id}`}>
      #{shownId(id)}
    </a>
  );
}

/** The share of the supply, as text and as a bar. */
function Share({ part, whole }: { readonly part: bigint; readonly whole: bigint }): JSX.Element | null {
  if (whole <= 0n || part > whole) return null;
  const hundredths = Number((part * SHARE_UNIT) / whole);
  const text = hundredths === 0 ? '< 0.01 %' : `${(hundredths / 100).toFixed(2)} %`;
  return (
    <span class="share">
      <svg class="share-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="6" class="whole" />
        <rect width={hundredths / 100} height="6" class="part" />
      </svg>
      <span class="faint">{text}</span>
    </span>
  );
}

/** The token of the lists. */
export interface ShownToken {
  readonly token: string;
  readonly facts: TokenFacts;
  readonly history: TokenHistory;
  /** `null` if the token does not return it. */
  readonly supply: bigint | null;
}

function SinceNote({ history: { first } }: { readonly history: TokenHistory }): JSX.Element | null {
  if (first === 0) return null;
  return (
    <p class="faint">
      Since block {blockText(first)}: accounts without a transfer on this fork are not listed.
    </p>
  );
}

function holderRow(
  { account, id, balance, isRead }: Holding,
  index: number,
  shownToken: ShownToken,
): JSX.Element {
  const { token, facts, supply } = shownToken;
  return (
    <div class="token-row">
      <span class="rank faint">{grouped(index + 1)}</span>
      <Address address={account} />
      {id === null ? null : <ItemLink token={token} id={id} />}
      <span class="end">
        {isRead ? null : (
          <span class="faint" title="The sum of the transfers. The token did not return this balance">
            by transfers
          </span>
        )}
        <Quantity value={balance} facts={facts} />
        {supply === null || id !== null ? null : <Share part={balance} whole={supply} />}
      </span>
    </div>
  );
}

export function Holders({ shownToken }: { readonly shownToken: ShownToken }): JSX.Element {
  const { holdings } = shownToken.history;
  return (
    <>
      <SinceNote history={shownToken.history} />
      {holdings.length === 0 ? (
        <Empty>No holders</Empty>
      ) : (
        <VirtualList
          label="Holders"
          class="token-list"
          count={holdings.length}
          rowHeight={ROW_HEIGHT}
          row={(index) => {
            const holding = holdings[index];
            return holding === undefined ? null : holderRow(holding, index, shownToken);
          }}
        />
      )}
    </>
  );
}

function itemRow({ id, owners, amount }: TokenItem, { token, history }: ShownToken): JSX.Element {
  const [owner] = owners;
  return (
    <div class="token-row">
      <ItemLink token={token} id={id} />
      {history.standard === 'ERC-721' && owner !== undefined ? (
        <span class="end">
          <Address address={owner} />
        </span>
      ) : (
        <span class="end">
          <span class="faint">{counted(owners.length, 'holder')}</span>
          <span class="mono">{grouped(amount)}</span>
        </span>
      )}
    </div>
  );
}

export function Items({ shownToken }: { readonly shownToken: ShownToken }): JSX.Element {
  const { items } = shownToken.history;
  return (
    <>
      <SinceNote history={shownToken.history} />
      {items.length === 0 ? (
        <Empty>No items</Empty>
      ) : (
        <VirtualList
          label="Items"
          class="token-list"
          count={items.length}
          rowHeight={ROW_HEIGHT}
          row={(index) => {
            const item = items[index];
            return item === undefined ? null : itemRow(item, shownToken);
          }}
        />
      )}
    </>
  );
}

function transferRow(transfer: Transfer, { token, facts }: ShownToken): JSX.Element {
  const { block, from, to, id, amount, standard, transactionHash } = transfer;
  return (
    <div class="token-row">
      <span class="block">
        <BlockNumber number={block} />
      </span>
      <TransactionHash hash={transactionHash} />
      <span class="way">
        {from === NOBODY ? <span class="tag good">mint</span> : <Address address={from} />}
        {' → '}
        {to === NOBODY ? <span class="tag bad">burn</span> : <Address address={to} />}
      </span>
      <span class="end">
        {id === null ? null : <ItemLink token={token} id={id} />}
        {standard === 'ERC-721' ? null : <Quantity value={amount} facts={facts} />}
      </span>
    </div>
  );
}

export function Transfers({ shownToken }: { readonly shownToken: ShownToken }): JSX.Element {
  const { transfers, transferCount, first } = shownToken.history;
  return (
    <>
      {first === 0 ? null : <p class="faint">Since block {blockText(first)}.</p>}
      {transfers.length === 0 ? (
        <Empty>No transfers</Empty>
      ) : (
        <VirtualList
          label="Transfers"
          class="token-list transfers"
          count={transfers.length}
          rowHeight={ROW_HEIGHT}
          row={(index) => {
            const transfer = transfers[index];
            return transfer === undefined ? null : transferRow(transfer, shownToken);
          }}
        />
      )}
      {transferCount === transfers.length ? null : (
        <p class="faint">{counted(transferCount - transfers.length, 'older transfer')} not listed</p>
      )}
    </>
  );
}
