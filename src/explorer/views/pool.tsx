import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { client, head } from '../chain.ts';
import { grouped, numberOf } from '../format.ts';
import { act } from '../parts/act.ts';
import { useRead } from '../parts/use-read.ts';
import { Address, Amount, Empty, Loaded, TransactionHash } from '../parts/values.tsx';

interface Waiting {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly nonce: string;
  readonly gas: string;
  readonly gasPrice?: string;
  readonly value: string;
}

type BySender = Readonly<Record<string, Readonly<Record<string, Waiting>>>>;

interface Content {
  readonly pending: BySender;
  readonly queued: BySender;
}

function listOf(content: BySender): Waiting[] {
  return Object.values(content).flatMap((byNonce) => Object.values(byNonce));
}

function Table({ rows, title }: { readonly rows: readonly Waiting[]; readonly title: string }): JSX.Element {
  return (
    <>
      <h2>
        {title} <span class="faint">{grouped(rows.length)}</span>
      </h2>
      {rows.length === 0 ? (
        <Empty>None.</Empty>
      ) : (
        <div class="scrolled">
          <table>
            <thead>
              <tr>
                <th scope="col">Transaction</th>
                <th scope="col">From</th>
                <th scope="col">To</th>
                <th scope="col" class="number">
                  Nonce
                </th>
                <th scope="col" class="number">
                  Gas limit
                </th>
                <th scope="col" class="number">
                  Value
                </th>
                <th scope="col">Change</th>
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, 500).map(({ hash, from, to, nonce, gas, value }) => (
                <tr key={hash}>
                  <td>
                    <TransactionHash hash={hash} />
                  </td>
                  <td>
                    <Address address={from} />
                  </td>
                  <td>{to === null ? 'creation' : <Address address={to} />}</td>
                  <td class="number">{numberOf(nonce)}</td>
                  <td class="number">{grouped(numberOf(gas))}</td>
                  <td class="number">
                    <Amount wei={BigInt(value)} />
                  </td>
                  <td>
                    <button
                      type="button"
                      onClick={() => void act('Dropped', 'hardhat_dropTransaction', [hash])}
                    >
                      Drop
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** The transactions that wait. */
export function Pool(): JSX.Element {
  const [arrivals, setArrivals] = useState(0);
  useEffect(() => client.subscribe(['newPendingTransactions'], () => setArrivals((count) => count + 1)), []);
  const content = useRead<Content>('txpool_content', [], [head.value?.hash, arrivals]);
  const automine = useRead<boolean>('hardhat_getAutomine', [], [head.value?.hash, arrivals]);
  return (
    <>
      <h1>Pool</h1>
      <p>
        <label>
          <input
            type="checkbox"
            checked={automine.value === true}
            onChange={(event) =>
              void act(
                event.currentTarget.checked ? 'Mining at once' : 'Mining when asked',
                'evm_setAutomine',
                [event.currentTarget.checked],
              ).then(() => setArrivals((count) => count + 1))
            }
          />{' '}
          Mine each transaction at once
        </label>
      </p>
      <Loaded asked={content}>
        {({ pending, queued }) => (
          <>
            <Table title="Can be mined" rows={listOf(pending)} />
            <Table title="Wait for an earlier nonce" rows={listOf(queued)} />
          </>
        )}
      </Loaded>
    </>
  );
}
