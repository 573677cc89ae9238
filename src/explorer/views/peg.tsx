/** The peg between Rootstock and Bitcoin: the federation's coins, waiting peg-outs, and both chains. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { facts } from '../chain.ts';
import { counted, grouped } from '../format.ts';
import { Coins, ParentText } from '../parts/bridge.tsx';
import { Scrolled } from '../parts/lists.tsx';
import { useCalmHead, useRead } from '../parts/use-read.ts';
import { Empty, Facts, Loaded } from '../parts/values.tsx';
import type { PegStatus } from '../peg-status.ts';
import { Chains } from './peg/chains.tsx';
import { PegForms } from './peg/forms.tsx';
import { Pegouts } from './peg/pegouts.tsx';

/** Digits of a transaction id in a table. */
const ID_DIGITS = 20;

function Federation({ status }: { readonly status: PegStatus }): JSX.Element {
  const { federation, coins, lockingCap, minimumPegin, minimumPegout, feePerKilobyte } = status;
  const balance = coins.reduce((sum, { satoshis }) => sum + BigInt(satoshis), 0n);
  const { address, members, threshold } = federation;
  return (
    <Facts
      rows={[
        ['Federation', <ParentText key="address" text={address} label="Copy address" />],
        ['Signatures', `${threshold} of ${grouped(members.length)} members`],
        ['Balance', <Coins key="balance" satoshis={balance} />],
        ['Locking cap', <Coins key="cap" satoshis={lockingCap} />],
        ['Minimum peg-in', <Coins key="in" satoshis={minimumPegin} />],
        ['Minimum peg-out', <Coins key="out" satoshis={minimumPegout} />],
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

function FederationCoins({ status: { coins } }: { readonly status: PegStatus }): JSX.Element {
  if (coins.length === 0)
    return <Empty>The federation has no coins. A peg-in sends the first coins to its address.</Empty>;
  return (
    <Scrolled label="Coins of the federation">
      <table class="narrow">
        <thead>
          <tr>
            <th scope="col">Bitcoin output</th>
            <th scope="col" class="number">
              Amount
            </th>
            <th scope="col" class="number">
              Confirmations
            </th>
          </tr>
        </thead>
        <tbody>
          {coins.map(({ txid, index, satoshis, confirmations }) => (
            <tr key={`${txid}:${index}`}>
              <td>
                <ParentText text={txid} digits={ID_DIGITS} label="Copy transaction id" />:{index}
              </td>
              <td class="number">
                <Coins satoshis={satoshis} />
              </td>
              <td class="number">{confirmations === null ? '' : grouped(confirmations)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

function Status({
  status,
  onChange,
}: {
  readonly status: PegStatus;
  readonly onChange: () => void;
}): JSX.Element {
  return (
    <>
      <Federation status={status} />
      <PegForms status={status} onChange={onChange} />
      <section aria-label="Waiting peg-outs">
        <h2>Waiting peg-outs</h2>
        <Pegouts status={status} />
      </section>
      <section aria-label="Coins of the federation">
        <h2>{counted(status.coins.length, 'unspent output')}</h2>
        <FederationCoins status={status} />
      </section>
      <section aria-label="Chains">
        <h2>Chains</h2>
        <Chains status={status} />
      </section>
    </>
  );
}

/** The view of the peg. */
export function Peg(): JSX.Element {
  const [changes, setChanges] = useState(0);
  const newest = useCalmHead();
  const hasBridge = facts.value?.hasBridge !== false;
  const asked = useRead<PegStatus>('peg_status', [], [newest, changes, hasBridge]);
  if (!hasBridge)
    return (
      <>
        <h1>Peg</h1>
        <Empty>
          Ethereum's rules have no Bridge. To use the peg, start the node with{' '}
          <code>--hardfork rootstock --parent-chain</code>.
        </Empty>
      </>
    );
  return (
    <>
      <h1>Peg</h1>
      <Loaded asked={asked}>
        {(status) => <Status status={status} onChange={() => setChanges((count) => count + 1)} />}
      </Loaded>
    </>
  );
}
