/** The peg between Rootstock and Bitcoin: the federation's coins, waiting transfers, and both chains. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type BridgeFacts, readBridge } from '../bridge-reads.ts';
import { client, facts } from '../chain.ts';
import { counted, grouped } from '../format.ts';
import { Coins, ParentText } from '../parts/bridge.tsx';
import { Scrolled } from '../parts/lists.tsx';
import { Table } from '../parts/table.tsx';
import { useCalmHead, useReadState } from '../parts/use-read.ts';
import { BlockNumber, Empty, Facts, Loaded } from '../parts/values.tsx';
import type { PegStatus } from '../peg-status.ts';
import { RpcError } from '../rpc/client.ts';
import { Chains } from './peg/chains.tsx';
import { PegForms } from './peg/forms.tsx';
import { Deposits, Pegouts } from './peg/transfers.tsx';

/** Digits of a transaction id in a table. */
const ID_DIGITS = 20;

function Federation({
  bridge,
  status,
}: {
  readonly bridge: BridgeFacts;
  readonly status: PegStatus | null;
}): JSX.Element {
  const { federation, lockingCap, minimumPegin, feePerKilobyte, bestHeight } = bridge;
  const balance = status?.utxos.reduce((sum, { satoshis }) => sum + satoshis, 0);
  return (
    <Facts
      rows={[
        ['Federation', <ParentText key="address" text={federation} label="Copy address" />],
        ...(status === null
          ? ([
              ['Best header', `#${grouped(bestHeight)} of the parent chain`],
              ['Queued', counted(bridge.queuedPegouts, 'peg-out')],
              ['Next peg-out', <BlockNumber key="next" number={Number(bridge.nextPegoutBlock)} />],
            ] as const)
          : ([
              [
                'Signatures',
                `${status.federation.threshold} of ${grouped(status.federation.members.length)} members; federate ${
                  status.federation.hasFederate ? 'on' : 'off (--no-federate)'
                }`,
              ],
              ['Balance', <Coins key="balance" satoshis={balance ?? 0} />],
            ] as const)),
        ['Locking cap', <Coins key="cap" satoshis={lockingCap} />],
        ['Minimum peg-in', <Coins key="minimum" satoshis={minimumPegin} />],
        [
          'Fee',
          <span key="fee">
            <Coins satoshis={feePerKilobyte} /> per 1,000 bytes
          </span>,
        ],
      ]}
    />
  );
}

function FederationCoins({ utxos }: Pick<PegStatus, 'utxos'>): JSX.Element {
  if (utxos.length === 0) return <Empty>No coins yet. Each peg-in adds an unspent output.</Empty>;
  return (
    <Scrolled label="Unspent outputs">
      <Table class="narrow" columns={['Bitcoin output', { number: 'Amount' }, { number: 'Confirmations' }]}>
        {utxos.map(({ txid, vout, satoshis, confirmations }) => (
          <tr key={`${txid}:${vout}`}>
            <td>
              <ParentText text={txid} digits={ID_DIGITS} label="Copy transaction id" />
              {`output ${vout}`}
            </td>
            <td class="number">
              <Coins satoshis={satoshis} />
            </td>
            <td class="number">{grouped(confirmations)}</td>
          </tr>
        ))}
      </Table>
    </Scrolled>
  );
}

function Transfers({
  status,
  bridge,
  onChange,
}: {
  readonly status: PegStatus;
  readonly bridge: BridgeFacts;
  readonly onChange: () => void;
}): JSX.Element {
  return (
    <>
      <PegForms minimum={bridge.minimumPegin} onChange={onChange} />
      <section aria-label="Waiting deposits">
        <h2>Waiting deposits</h2>
        <Deposits deposits={status.deposits} />
      </section>
      <section aria-label="Waiting peg-outs">
        <h2>Waiting peg-outs</h2>
        <Pegouts status={status} />
      </section>
      <section aria-label="Coins of the federation">
        <h2>Coins of the federation</h2>
        <FederationCoins utxos={status.utxos} />
      </section>
      <section aria-label="Chains">
        <h2>Chains</h2>
        <Chains status={status} />
      </section>
    </>
  );
}

/** The error code of a node without a parent chain. */
const PARENT_CHAIN_OFF = -32_000;

/** Resolves to the status; `null` for a node without a parent chain. */
async function readStatus(): Promise<PegStatus | null> {
  try {
    return await client.read<PegStatus>('peg_status');
  } catch (error) {
    if (error instanceof RpcError && error.code === PARENT_CHAIN_OFF) return null;
    throw error;
  }
}

async function readPeg(): Promise<{ readonly bridge: BridgeFacts; readonly status: PegStatus | null }> {
  const [bridge, status] = await Promise.all([readBridge(), readStatus()]);
  return { bridge, status };
}

function WithBridge(): JSX.Element {
  const [changes, setChanges] = useState(0);
  const asked = useReadState(readPeg, [useCalmHead(), changes]);
  return (
    <Loaded asked={asked}>
      {({ bridge, status }) => (
        <>
          <Federation bridge={bridge} status={status} />
          {status === null ? (
            <Empty>
              This node has no parent chain. To simulate Bitcoin and the federation, start the node with{' '}
              <code>--parent-chain</code>. This view then shows deposits, peg-outs, coins and both chains.
            </Empty>
          ) : (
            <Transfers status={status} bridge={bridge} onChange={() => setChanges((count) => count + 1)} />
          )}
        </>
      )}
    </Loaded>
  );
}

/** The view of the peg. */
export function Peg(): JSX.Element {
  return (
    <>
      <h1>Peg</h1>
      {facts.value?.hasBridge === false ? (
        <Empty>
          Ethereum's rules have no Bridge. To use the peg, start the node with{' '}
          <code>--hardfork rootstock --parent-chain</code>.
        </Empty>
      ) : (
        <WithBridge />
      )}
    </>
  );
}
