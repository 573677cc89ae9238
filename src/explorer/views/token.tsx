/** The view of a token: metadata, holders, items and transfers. */

import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { epoch, headNumber, moment, momentTag } from '../chain.ts';
import { counted, grouped, shown } from '../format.ts';
import { checksummed } from '../names.ts';
import { Tabs } from '../parts/tabs.tsx';
import { LONG_PAUSE, type ReadState, useCalmHead, useReadState } from '../parts/use-read.ts';
import { Address, Empty, Facts, Loaded, useName } from '../parts/values.tsx';
import { pathTo, place } from '../router.ts';
import type { TokenStandard } from '../token-events.ts';
import {
  askToken,
  exactAmount,
  numberIn,
  readTokenFacts,
  type TokenFacts,
  textIn,
  tokenAmount,
} from '../token-facts.ts';
import { type TokenHistory, TokenHistoryReader } from '../token-holders.ts';
import { contractMetadata, type Metadata } from '../token-metadata.ts';
import { tokenStandard } from '../token-standard.ts';
import { Item, MetadataFacts } from './token/item.tsx';
import { Holders, Items, type ShownToken, Transfers } from './token/lists.tsx';

const NAME = '0x06fdde03';
const TOTAL_SUPPLY = '0x18160ddd';

/** The facts that rarely change. */
interface Description {
  readonly followed: TokenStandard | null;
  readonly name: string | null;
  readonly facts: TokenFacts;
  readonly metadata: Metadata | null;
}

interface TokenRead extends Omit<Description, 'followed'> {
  readonly standard: TokenStandard;
  readonly supply: bigint | null;
  readonly history: TokenHistory;
}

async function describe(token: string, tag: string): Promise<Description> {
  const [followed, name, facts, metadata] = await Promise.all([
    tokenStandard(token),
    askToken(token, NAME, tag),
    readTokenFacts(token, tag),
    contractMetadata(token, tag),
  ]);
  return { followed, name: textIn(name), facts, metadata };
}

interface Progress {
  readonly history: TokenHistory;
  readonly supply: bigint | null;
}

async function readProgress(token: string, reader: TokenHistoryReader, tag: string): Promise<Progress> {
  const [history, supply] = await Promise.all([
    reader.read(epoch.peek(), moment.peek() ?? headNumber.peek()),
    askToken(token, TOTAL_SUPPLY, tag),
  ]);
  return { history, supply: numberIn(supply) };
}

/** Returns the id in the URL; `null` for none. */
function idOf(text: string | null): bigint | null {
  return text !== null && /^\d{1,78}$/.test(text) ? BigInt(text) : null;
}

function tabsOf(token: string, { standard, history }: TokenRead) {
  const { holdings, items, transferCount } = history;
  return [
    { name: 'holders', title: `Holders (${grouped(holdings.length)})` },
    ...(standard === 'ERC-20' ? [] : [{ name: 'items', title: `Items (${grouped(items.length)})` }]),
    { name: 'transfers', title: `Transfers (${grouped(transferCount)})` },
  ].map((tab) => ({ ...tab, path: pathTo('token', token, { show: tab.name }) }));
}

function Content({ token, read }: { readonly token: string; readonly read: TokenRead }): JSX.Element {
  const { standard, name, facts, supply, metadata, history } = read;
  const contract = useName(token)?.text;
  const tab = place.value.query.get('show') ?? 'holders';
  const id = idOf(place.value.query.get('id'));
  const isWhole = standard === 'ERC-20';
  const shownToken: ShownToken = {
    token,
    facts: isWhole ? facts : { symbol: null, decimals: 0 },
    history,
    supply: standard === 'ERC-1155' ? null : supply,
  };
  return (
    <>
      <h1>
        <bdi>{shown(name ?? facts.symbol ?? contract ?? 'Unnamed token', 80)}</bdi>{' '}
        {name === null || facts.symbol === null ? null : (
          <bdi class="faint note">{shown(facts.symbol, 24)}</bdi>
        )}{' '}
        <span class="tag">{standard}</span>
      </h1>
      <Facts
        rows={[
          ['Contract', <Address key="contract" address={token} isWhole />],
          ...(supply === null || standard === 'ERC-1155'
            ? []
            : [
                [
                  'Supply',
                  <bdi key="supply" title={exactAmount(supply)}>
                    {isWhole
                      ? tokenAmount(supply, { ...facts, decimals: facts.decimals ?? 0 })
                      : counted(supply, 'item')}
                  </bdi>,
                ] as const,
              ]),
          ...(isWhole
            ? [
                [
                  'Decimals',
                  facts.decimals === null ? (
                    <span key="decimals" class="faint">
                      not readable; amounts are in the smallest unit
                    </span>
                  ) : (
                    String(facts.decimals)
                  ),
                ] as const,
              ]
            : []),
        ]}
      />
      {id === null ? <MetadataFacts metadata={metadata} /> : null}
      {id === null || isWhole ? null : (
        <Item token={token} id={id} isMulti={standard === 'ERC-1155'} tag={momentTag.value} />
      )}
      <Tabs label="Token" tabs={tabsOf(token, read)} current={tab} isInner />
      {tab === 'transfers' ? (
        <Transfers shownToken={shownToken} />
      ) : tab === 'items' && !isWhole ? (
        <Items shownToken={shownToken} />
      ) : (
        <Holders shownToken={shownToken} />
      )}
    </>
  );
}

/** Returns the token; `null` if the contract is no token. */
function readOf({ followed, ...description }: Description, { history, supply }: Progress): TokenRead | null {
  const standard = history.standard ?? followed;
  return standard === null ? null : { ...description, standard, supply, history };
}

/** Combines two reads. */
function both<First, Second>(
  one: ReadState<First>,
  other: ReadState<Second>,
): ReadState<{ readonly first: First; readonly second: Second }> {
  const isKnown = one.value !== undefined && other.value !== undefined;
  return {
    value: isKnown ? { first: one.value, second: other.value } : undefined,
    error: one.error ?? other.error,
    isLoading: one.isLoading || other.isLoading,
  };
}

export function Token({ subject }: { readonly subject: string }): JSX.Element {
  const isAddress = /^0x[0-9a-f]{40}$/i.test(subject);
  const token = subject.toLowerCase();
  const reader = useRef(new TokenHistoryReader(token));
  const tag = momentTag.value;
  const described = useReadState(
    () => (isAddress ? describe(token, tag) : Promise.resolve(null)),
    [token, tag],
  );
  const progress = useReadState(
    () => (isAddress ? readProgress(token, reader.current, tag) : Promise.resolve(null)),
    [token, tag, useCalmHead(LONG_PAUSE)],
  );
  return (
    <Loaded asked={both(described, progress)}>
      {({ first, second }) => {
        const read = first === null || second === null ? null : readOf(first, second);
        return read === null ? (
          <>
            <h1>Token</h1>
            <Empty>
              {isAddress ? (
                <>
                  The contract has no transfers and follows no token standard.{' '}
                  <a href={pathTo('address', token)}>Open {checksummed(token)}</a>
                </>
              ) : (
                `Invalid address “${shown(subject, 80)}”: expected 0x and 40 hex digits.`
              )}
            </Empty>
          </>
        ) : (
          <Content token={token} read={read} />
        );
      }}
    </Loaded>
  );
}
