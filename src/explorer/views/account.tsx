/** The view of an account or contract. A contract has its functions, events, storage and sources. */

import type { JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { client, epoch, headNumber, moment, momentTag } from '../chain.ts';
import {
  contractsAt,
  functionsOf,
  type KnownContracts,
  type SourceFile,
  selectedContract,
} from '../contract-facts.ts';
import { byteSize, grouped, numberOf, shown } from '../format.ts';
import { accountNumber, checksummed, labelOf, nameOf } from '../names.ts';
import { Fund, NameForm } from '../parts/account-actions.tsx';
import { MinedList } from '../parts/mined-list.tsx';
import { SourceLines } from '../parts/source-lines.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { TokenAmount, TokenGaps } from '../parts/tokens.tsx';
import { useCalmHead, useReadState } from '../parts/use-read.ts';
import { Address, Amount, Code, Copy, Empty, Facts, Loaded } from '../parts/values.tsx';
import { pathTo, place } from '../router.ts';
import { TokenReader } from '../token-balances.ts';
import { tokenStandard } from '../token-standard.ts';
import { AddAbi, BY_HAND } from './contract/add-abi.tsx';
import { Events } from './contract/events.tsx';
import { type FunctionGroup, Interface } from './contract/interface.tsx';
import { CreatedBy, SourceMatch } from './contract/origin.tsx';
import { StorageTree } from './contract/storage.tsx';

/** One source file with line numbers, and a selection of the file. */
function Source({ files }: { readonly files: readonly SourceFile[] }): JSX.Element {
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const file = files[chosen] ?? files[0];
  if (file === undefined) return <Empty>No source found</Empty>;
  return (
    <>
      {files.length === 1 ? (
        <p class="mono">{shown(file.name, 200)}</p>
      ) : (
        <div class="field">
          <label for={id}>File</label>
          <select
            id={id}
            value={String(chosen)}
            onChange={(event) => setChosen(Number(event.currentTarget.value))}
          >
            {files.map(({ name }, index) => (
              <option key={name} value={String(index)}>
                {shown(name, 120)}
              </option>
            ))}
          </select>
        </div>
      )}
      {file.content === null ? (
        <Empty>Source text not available</Empty>
      ) : (
        <SourceLines key={file.name} text={file.content} />
      )}
    </>
  );
}

interface AccountFacts {
  readonly balance: bigint;
  readonly nonce: number;
  readonly code: string;
  readonly sources: KnownContracts | null;
}

/** The tabs of a contract, by name in the URL. */
const TABS = {
  interface: 'Functions',
  transactions: 'Transactions',
  events: 'Events',
  storage: 'Storage',
  source: 'Source',
  code: 'Code',
} as const;

/** The functions of a contract. A proxy has the functions of its implementation, and its own ones. */
function groupsOf(sources: KnownContracts | null): readonly FunctionGroup[] {
  const own = sources?.contract ?? null;
  const behind = sources?.implementation?.contract ?? null;
  if (own === null || behind === null) {
    const only = own ?? behind;
    return only === null ? [] : [{ title: '', abi: only.abi }];
  }
  const groups = [{ title: `${behind.name} (implementation)`, abi: behind.abi }];
  const hasOwn = functionsOf(own.abi).length > 0;
  return hasOwn ? [...groups, { title: `${own.name} (proxy)`, abi: own.abi }] : groups;
}

function ContractTabs({
  address,
  account: { code, sources },
  onAdded,
}: {
  readonly address: string;
  readonly account: AccountFacts;
  readonly onAdded: () => void;
}): JSX.Element {
  const tab = place.value.query.get('show') ?? 'interface';
  const contract = selectedContract(sources);
  const unknown = <AddAbi code={code} onAdded={onAdded} />;
  const tabs = Object.entries(TABS).map(([name, title]) => ({
    name,
    title,
    path: pathTo('address', address, { show: name }),
  }));
  return (
    <>
      <Tabs label="Contract" tabs={tabs} current={tab} isInner />
      {tab === 'transactions' ? (
        <Transactions address={address} isHeaded={false} />
      ) : tab === 'storage' ? (
        <StorageTree address={address} />
      ) : tab === 'source' ? (
        <Source files={contract?.files ?? []} />
      ) : tab === 'code' ? (
        <>
          <p>
            {byteSize(code.length / 2 - 1)} <Copy text={code} label="Copy code" />
          </p>
          <Code label="Code" text={shown(code, 100_000)} isWrapped />
        </>
      ) : tab === 'events' ? (
        <Events abi={groupsOf(sources).flatMap(({ abi }) => abi)} address={address} />
      ) : contract === null ? (
        unknown
      ) : (
        <>
          <Interface groups={groupsOf(sources)} address={address} />
          {sources?.contract?.sourceName !== BY_HAND ? null : (
            <details class="more">
              <summary>Replace the manually added ABI</summary>
              <AddAbi code={code} known={sources.contract.name} onAdded={onAdded} />
            </details>
          )}
        </>
      )}
    </>
  );
}

/** The mined transactions that the account sent or received, and transactions with its events. */
function Transactions({
  address,
  isHeaded = true,
}: {
  readonly address: string;
  readonly isHeaded?: boolean;
}): JSX.Element {
  return (
    <MinedList
      title="Transactions"
      filter={{ text: address, onlyFailed: false }}
      isAlone
      isHeaded={isHeaded}
      empty="No transactions"
    />
  );
}

/** Returns the title of an address: its name, and for a proxy the implementation. */
function titleOf({ code, sources }: AccountFacts): string {
  const own = sources?.contract?.name;
  const behind = sources?.implementation?.contract?.name;
  if (own !== undefined && behind !== undefined) return `${shown(own, 80)} → ${shown(behind, 80)}`;
  if (behind !== undefined) return `Proxy of ${shown(behind, 80)}`;
  return own !== undefined ? shown(own, 80) : code === '0x' ? 'Account' : 'Contract';
}

/** The title. A label or the number of an account comes before the name of the contract. */
function Title({
  address,
  account,
}: {
  readonly address: string;
  readonly account: AccountFacts;
}): JSX.Element {
  const title = titleOf(account);
  nameOf(address);
  const label = labelOf(address);
  const number = accountNumber(address);
  const name = label === '' ? (number === null ? null : `Account ${number}`) : shown(label, 100);
  return (
    <h1>
      <bdi>{name ?? title}</bdi>
      {name === null || name === title || (label === '' && title === 'Account') ? null : (
        <span class="faint note">
          {' '}
          <bdi>{title === 'Account' && number !== null ? `Account ${number}` : title}</bdi>
        </span>
      )}
    </h1>
  );
}

function Tokens({ address }: { readonly address: string }): JSX.Element {
  const reader = useRef(new TokenReader());
  const asked = useReadState(
    () => reader.current.read([address], epoch.peek(), moment.peek() ?? headNumber.peek()),
    [address, momentTag.value, useCalmHead()],
  );
  return (
    <Loaded asked={asked}>
      {(tokens) => (
        <>
          {tokens.balances.length === 0 ? (
            <span class="faint">none found</span>
          ) : (
            tokens.balances.map((held) => (
              <div key={`${held.token}${held.id ?? ''}`}>
                <TokenAmount held={held} />
              </div>
            ))
          )}
          <TokenGaps tokens={tokens} />
        </>
      )}
    </Loaded>
  );
}

export function Account({ subject: address }: { readonly subject: string }): JSX.Element {
  const tag = momentTag.value;
  const [added, setAdded] = useState(0);
  const head = useCalmHead();
  // Source files are large, so request them only for their tab.
  const isSourceShown = place.value.query.get('show') === 'source';
  const isAddress = /^0x[0-9a-f]{40}$/i.test(address);
  const asked = useReadState(async (): Promise<AccountFacts | null> => {
    if (!isAddress) return null;
    const [balance, nonce, code, sources] = await Promise.all([
      client.read<string>('eth_getBalance', [address, tag]),
      client.read<string>('eth_getTransactionCount', [address, tag]),
      client.read<string>('eth_getCode', [address, tag]),
      contractsAt(address, isSourceShown),
    ]);
    return { balance: BigInt(balance), nonce: numberOf(nonce), code, sources };
  }, [address, tag, added, isSourceShown, head]);
  const hasCode = asked.value != null && asked.value.code !== '0x';
  const standard = useReadState(
    () => (hasCode ? tokenStandard(address) : Promise.resolve(null)),
    [address, hasCode],
  );
  return (
    <Loaded asked={asked}>
      {(account) => {
        if (account === null)
          return (
            <>
              <h1>Account</h1>
              <Empty>Invalid address “{shown(address, 80)}”: expected 0x and 40 hex digits.</Empty>
            </>
          );
        const { code, sources, balance, nonce } = account;
        const implementation = sources?.implementation ?? null;
        return (
          <>
            <Title address={address} account={account} />
            <Facts
              rows={[
                [
                  'Address',
                  <span key="address">
                    <span class="value">
                      <code>{checksummed(address)}</code>
                      <Copy text={checksummed(address)} label="Copy address" />
                    </span>{' '}
                    <NameForm address={address} />
                  </span>,
                ],
                [
                  'Balance',
                  <span key="balance">
                    <Amount wei={balance} /> <Fund address={address} onDone={() => setAdded(added + 1)} />
                  </span>,
                ],
                ['Tokens', <Tokens key="tokens" address={address} />],
                ['Nonce', grouped(nonce)],
                ['Code', code === '0x' ? 'none' : byteSize((code.length - 2) / 2)],
                ...(code === '0x'
                  ? []
                  : [
                      ['Created by', <CreatedBy key="creator" address={address} />] as const,
                      ['Source', <SourceMatch key="source" sources={sources} />] as const,
                      ...(standard.value == null
                        ? []
                        : [
                            [
                              'Token',
                              <span key="token">
                                {standard.value} <a href={pathTo('token', address)}>holders and transfers</a>
                              </span>,
                            ] as const,
                          ]),
                    ]),
                ...(implementation === null
                  ? []
                  : [
                      [
                        'Proxy of',
                        <Address
                          key="implementation"
                          address={implementation.address}
                          name={implementation.contract?.name ?? null}
                          isWhole
                        />,
                      ] as const,
                    ]),
              ]}
            />
            {code === '0x' ? (
              <Transactions address={address} />
            ) : (
              <ContractTabs address={address} account={account} onAdded={() => setAdded(added + 1)} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}
