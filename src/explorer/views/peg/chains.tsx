import type { JSX } from 'preact';
import { clockOffset, now } from '../../chain.ts';
import { absoluteTime, ageText, counted, grouped } from '../../format.ts';
import { Coins, ParentText } from '../../parts/bridge.tsx';
import { Scrolled } from '../../parts/lists.tsx';
import { Empty, Facts } from '../../parts/values.tsx';
import type { ParentChain, PegStatus } from '../../peg-status.ts';

const ID_DIGITS = 20;

/** The distance of the Bridge's best header to the best block of the parent chain. */
function lagText({ bestHeader, parentChain }: PegStatus): string {
  const newest = parentChain?.blocks[0];
  if (newest === undefined) return '';
  const behind = newest.height - bestHeader.height;
  if (behind > 0) return `${counted(behind, 'block')} behind the parent chain`;
  return newest.hash === bestHeader.hash ? 'the best block of the parent chain' : 'on another branch';
}

function Blocks({ chain: { blocks } }: { readonly chain: ParentChain }): JSX.Element {
  return (
    <Scrolled label="Latest blocks of the parent chain">
      <table class="narrow">
        <thead>
          <tr>
            <th scope="col">Parent block</th>
            <th scope="col">Hash</th>
            <th scope="col" class="number">
              Transactions
            </th>
            <th scope="col">Time</th>
          </tr>
        </thead>
        <tbody>
          {blocks.map(({ height, hash, time, transactionCount }) => (
            <tr key={hash}>
              <td class="mono">#{grouped(height)}</td>
              <td>
                <ParentText text={hash} digits={ID_DIGITS} label="Copy block hash" />
              </td>
              <td class="number">{grouped(transactionCount)}</td>
              <td>
                <time dateTime={absoluteTime(time)} title={absoluteTime(time)}>
                  {ageText(time - clockOffset.value, now.value)}
                </time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

function Mempool({ chain: { mempool } }: { readonly chain: ParentChain }): JSX.Element {
  if (mempool.length === 0)
    return <Empty>The mempool is empty. New Bitcoin transactions wait here for a block.</Empty>;
  return (
    <Scrolled label="Mempool">
      <table class="narrow">
        <thead>
          <tr>
            <th scope="col">Bitcoin transaction</th>
            <th scope="col" class="number">
              Outputs
            </th>
            <th scope="col" class="number">
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {mempool.map(({ txid, outputs }) => (
            <tr key={txid}>
              <td>
                <ParentText text={txid} digits={ID_DIGITS} label="Copy transaction id" />
              </td>
              <td class="number">{grouped(outputs.length)}</td>
              <td class="number">
                <Coins satoshis={outputs.reduce((sum, { satoshis }) => sum + BigInt(satoshis), 0n)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

/** The Bridge's best header, and the simulated parent chain beside it. */
export function Chains({ status }: { readonly status: PegStatus }): JSX.Element {
  const { bestHeader, parentChain } = status;
  return (
    <>
      <Facts
        rows={[
          [
            'Bridge',
            <span key="bridge">
              <span class="mono">#{grouped(bestHeader.height)}</span>{' '}
              <ParentText text={bestHeader.hash} digits={ID_DIGITS} label="Copy block hash" />{' '}
              <span class="faint">{lagText(status)}</span>
            </span>,
          ],
          ...(parentChain === null
            ? []
            : [['Federate', parentChain.hasFederate ? 'on' : 'off (--no-federate)'] as const]),
        ]}
      />
      {parentChain === null ? (
        <Empty>
          This node has no parent chain. To simulate Bitcoin and the federation, start the node with{' '}
          <code>--parent-chain</code>.
        </Empty>
      ) : (
        <div class="chains">
          <section aria-label="Parent blocks">
            <h3>Latest parent blocks</h3>
            <Blocks chain={parentChain} />
          </section>
          <section aria-label="Mempool of the parent chain">
            <h3>Mempool</h3>
            <Mempool chain={parentChain} />
          </section>
        </div>
      )}
    </>
  );
}
