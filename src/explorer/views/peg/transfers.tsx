import type { JSX } from 'preact';
import { headNumber } from '../../chain.ts';
import { counted, grouped } from '../../format.ts';
import { Coins, ParentText } from '../../parts/bridge.tsx';
import { Scrolled } from '../../parts/lists.tsx';
import { Address, Empty, TransactionHash } from '../../parts/values.tsx';
import type { PegoutOutput, PegStatus } from '../../peg-status.ts';

const ID_DIGITS = 20;

/** The receivers of a Bitcoin transaction and their amounts. */
function Outputs({ outputs }: { readonly outputs: readonly PegoutOutput[] }): JSX.Element {
  return (
    <>
      {outputs.map(({ address, satoshis }, index) => (
        <div key={index}>
          <Coins satoshis={satoshis} /> to{' '}
          {address === null ? (
            'a script without address'
          ) : (
            <ParentText text={address} digits={ID_DIGITS} label="Copy address" />
          )}
        </div>
      ))}
    </>
  );
}

/** The progress of a peg-out: present and needed confirmations or signatures. */
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
      <meter min={0} max={needed} value={Math.min(present, needed)} aria-label={noun} /> {grouped(present)} of{' '}
      {counted(needed, noun)}
    </span>
  );
}

/** The number of blocks until the Bridge creates the transaction of the queued requests. */
function untilCreation(nextPegoutBlock: number): string {
  const blocks = nextPegoutBlock - headNumber.value;
  return blocks > 0 ? `in ${counted(blocks, 'block')}` : 'with the next updateCollections';
}

/** The peg-outs by their stage, oldest stage last. */
export function Pegouts({
  status: { queued, unconfirmed, unsigned, nextPegoutBlock },
}: {
  readonly status: PegStatus;
}): JSX.Element {
  if (queued.length + unconfirmed.length + unsigned.length === 0)
    return (
      <Empty>No peg-out waits. To start a peg-out, send coins to the Bridge, or use the form above.</Empty>
    );
  return (
    <Scrolled label="Waiting peg-outs">
      <table>
        <thead>
          <tr>
            <th scope="col">Stage</th>
            <th scope="col">Outputs</th>
            <th scope="col">Progress</th>
            <th scope="col">Bitcoin transaction</th>
            <th scope="col">Created by</th>
          </tr>
        </thead>
        <tbody>
          {unsigned.map(({ txid, hash, signers, neededSignatures, outputs }) => (
            <tr key={txid}>
              <td>waits for signatures</td>
              <td>
                <Outputs outputs={outputs} />
              </td>
              <td>
                <Progress present={signers.length} needed={neededSignatures} noun="signature" />
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
          ))}
          {unconfirmed.map(({ txid, hash, confirmations, neededConfirmations, outputs }) => (
            <tr key={txid}>
              <td>waits for confirmations</td>
              <td>
                <Outputs outputs={outputs} />
              </td>
              <td>
                <Progress present={confirmations} needed={neededConfirmations} noun="confirmation" />
              </td>
              <td>
                <ParentText text={txid} digits={ID_DIGITS} label="Copy transaction id" />
              </td>
              <td>
                <TransactionHash hash={hash} />
              </td>
            </tr>
          ))}
          {queued.map(({ hash, address, satoshis }, index) => (
            <tr key={hash ?? index}>
              <td>queued</td>
              <td>
                <Outputs outputs={[{ address, satoshis }]} />
              </td>
              <td>transaction {untilCreation(nextPegoutBlock)}</td>
              <td class="faint">not created yet</td>
              <td>{hash === null ? null : <TransactionHash hash={hash} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}
