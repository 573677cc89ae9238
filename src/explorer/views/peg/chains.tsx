/** The parent chain beside the best header of the Bridge. */

import type { JSX } from 'preact';
import { clockOffset, now } from '../../chain.ts';
import { absoluteTime, ageText, counted, grouped } from '../../format.ts';
import { ParentText } from '../../parts/bridge.tsx';
import { Scrolled } from '../../parts/lists.tsx';
import { Table } from '../../parts/table.tsx';
import { Empty } from '../../parts/values.tsx';
import type { PegStatus } from '../../peg-status.ts';

const ID_DIGITS = 20;

/** The distance of the Bridge's best header to the best block of the parent chain. */
function lagText({ bridge, parentChain }: PegStatus): string {
  const behind = parentChain.number - bridge.number;
  if (behind > 0) return `${counted(behind, 'block')} behind the parent chain`;
  return bridge.hash === parentChain.hash
    ? 'the best block of the parent chain'
    : 'on another branch of the parent chain';
}

function Blocks({ status: { parentChain, bridge } }: { readonly status: PegStatus }): JSX.Element {
  return (
    <Scrolled label="Latest parent blocks">
      <Table class="narrow" columns={['Parent block', 'Hash', { number: 'Transactions' }, 'Time']}>
        {parentChain.blocks.map(({ number, hash, timestamp, transactionCount }) => (
          <tr key={hash}>
            <td>
              <span class="mono">#{grouped(number)}</span>{' '}
              {hash === bridge.hash ? <span class="tag">Bridge</span> : null}
            </td>
            <td>
              <ParentText text={hash} digits={ID_DIGITS} label="Copy block hash" />
            </td>
            <td class="number">{grouped(transactionCount)}</td>
            <td>
              <time dateTime={absoluteTime(timestamp)} title={absoluteTime(timestamp)}>
                {ageText(timestamp - clockOffset.value, now.value)}
              </time>
            </td>
          </tr>
        ))}
      </Table>
    </Scrolled>
  );
}

function Mempool({ mempool }: { readonly mempool: readonly string[] }): JSX.Element {
  if (mempool.length === 0)
    return <Empty>The mempool is empty. Bitcoin transactions wait here for a block.</Empty>;
  return (
    <ul class="plain">
      {mempool.map((txid) => (
        <li key={txid}>
          <ParentText text={txid} label="Copy transaction id" />
        </li>
      ))}
    </ul>
  );
}

export function Chains({ status }: { readonly status: PegStatus }): JSX.Element {
  const { bridge, parentChain } = status;
  return (
    <>
      <p>
        The best header of the Bridge is <span class="mono">#{grouped(bridge.number)}</span>,{' '}
        {lagText(status)}.
      </p>
      <div class="chains">
        <section aria-label="Parent blocks">
          <h3>Latest parent blocks</h3>
          <Blocks status={status} />
        </section>
        <section aria-label="Mempool">
          <h3>Mempool</h3>
          <Mempool mempool={parentChain.mempool} />
        </section>
      </div>
    </>
  );
}
