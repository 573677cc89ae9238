/** Peg-ins and peg-outs that wait. */

import type { JSX } from 'preact';
import { headNumber } from '../../chain.ts';
import { counted, grouped } from '../../format.ts';
import { Coins, ParentText } from '../../parts/bridge.tsx';
import { Scrolled } from '../../parts/lists.tsx';
import { Table } from '../../parts/table.tsx';
import { Address, Empty, TransactionHash } from '../../parts/values.tsx';
import type { Deposit, PegStatus, QueuedPegout, WaitingPegout } from '../../peg-status.ts';

const ID_DIGITS = 20;

/** A bar with the present and the needed confirmations or signatures. */
function Progress({
  present,
  needed,
  noun,
}: {
  readonly present: number;
  readonly needed: number;
  readonly noun: string;
}): JSX.Element {
  return (
    <span class="progress">
      <meter min={0} max={needed} value={Math.min(present, needed)} aria-label={`${noun}s`} />{' '}
      {grouped(present)} of {counted(needed, noun)}
    </span>
  );
}

/** The payments to the federation that the Bridge has not registered: peg-ins, and the change of peg-outs. */
export function Deposits({ deposits }: { readonly deposits: readonly Deposit[] }): JSX.Element {
  if (deposits.length === 0)
    return (
      <Empty>
        No deposit waits. To start a peg-in, send Bitcoin to the federation, or use the form above.
      </Empty>
    );
  return (
    <Scrolled label="Deposits by confirmations">
      <Table class="narrow" columns={['Bitcoin transaction', { number: 'Amount' }, 'Progress']}>
        {deposits.map(({ txid, satoshis, confirmations, requiredConfirmations, isRejected }) => (
          <tr key={txid}>
            <td>
              <ParentText text={txid} digits={ID_DIGITS} label="Copy transaction id" />
            </td>
            <td class="number">
              <Coins satoshis={satoshis} />
            </td>
            <td>
              {isRejected ? (
                'rejected by the Bridge without a refund'
              ) : (
                <Progress present={confirmations} needed={requiredConfirmations} noun="confirmation" />
              )}
            </td>
          </tr>
        ))}
      </Table>
    </Scrolled>
  );
}

/** The number of blocks until the Bridge can create the payment of a request. */
function untilPayment(nextBlock: number): string {
  const blocks = nextBlock - headNumber.value;
  return blocks > 0 ? `payment in ${counted(blocks, 'block')}` : 'payment with the next updateCollections';
}

function QueuedRow({ pegout }: { readonly pegout: QueuedPegout }): JSX.Element {
  const { hash, address, satoshis, nextBlock } = pegout;
  return (
    <tr>
      <td>
        queued to <ParentText text={address} digits={ID_DIGITS} label="Copy address" />
      </td>
      <td class="number">
        <Coins satoshis={satoshis} />
      </td>
      <td>{untilPayment(nextBlock)}</td>
      <td class="faint">not created</td>
      <td>
        <TransactionHash hash={hash} />
      </td>
    </tr>
  );
}

function WaitingRow({
  pegout,
  threshold,
}: {
  readonly pegout: WaitingPegout;
  /** The number of needed signatures. */
  readonly threshold: number;
}): JSX.Element {
  const { hash, txid, satoshis, confirmations, requiredConfirmations, signers } = pegout;
  return (
    <tr>
      <td>waits for {confirmations === null ? 'signatures' : 'confirmations'}</td>
      <td class="number">
        <Coins satoshis={satoshis} />
      </td>
      <td>
        {confirmations === null ? (
          <Progress present={signers.length} needed={threshold} noun="signature" />
        ) : (
          <Progress present={confirmations} needed={requiredConfirmations} noun="confirmation" />
        )}
        {signers.map((address) => (
          <div key={address}>
            <Address address={address} />
          </div>
        ))}
      </td>
      <td>
        <ParentText text={txid} digits={ID_DIGITS} label="Copy transaction id" />
      </td>
      <td>
        <TransactionHash hash={hash} />
      </td>
    </tr>
  );
}

/** The peg-outs: payments first, then requests without payment. */
export function Pegouts({
  status: { queue, pegouts, federation },
}: {
  readonly status: PegStatus;
}): JSX.Element {
  if (queue.length + pegouts.length === 0)
    return <Empty>No peg-out waits. To start one, send coins to the Bridge, or use the form above.</Empty>;
  return (
    <Scrolled label="Peg-outs by stage">
      <Table columns={['Stage', { number: 'Amount' }, 'Progress', 'Bitcoin transaction', 'Created by']}>
        {pegouts.map((pegout) => (
          <WaitingRow key={pegout.txid} pegout={pegout} threshold={federation.threshold} />
        ))}
        {queue.map((pegout) => (
          <QueuedRow key={pegout.hash} pegout={pegout} />
        ))}
      </Table>
    </Scrolled>
  );
}
