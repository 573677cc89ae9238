/** The REMASC payments in a block. */

import type { JSX } from 'preact';
import { client } from '../../chain.ts';
import { counted, shortHex } from '../../format.ts';
import { paymentOf, REMASC } from '../../merged-mining.ts';
import type { MinedBlock } from '../../mined-block.ts';
import { Table } from '../../parts/table.tsx';
import { useReadState } from '../../parts/use-read.ts';
import { Address, Amount, Empty, Loaded, TransactionHash } from '../../parts/values.tsx';
import { pathTo } from '../../router.ts';

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** The block's REMASC transaction, and the fee shares that it paid. */
export function Payments({ block }: { readonly block: MinedBlock }): JSX.Element {
  const asked = useReadState(async () => {
    const logs = await client.read<readonly Log[]>('eth_getLogs', [
      { blockHash: block.hash, address: REMASC },
    ]);
    const last = block.transactions.at(-1);
    const transaction =
      last === undefined
        ? null
        : await client.read<{ readonly to: string | null } | null>('eth_getTransactionByHash', [last]);
    return {
      payments: logs.flatMap((log) => paymentOf(log) ?? []),
      closing: transaction?.to === REMASC ? last : null,
    };
  }, [block.hash]);
  return (
    <Loaded asked={asked}>
      {({ payments, closing }) => {
        if (closing == null)
          return (
            <Empty>
              No REMASC transaction: all fees went to the miner. To distribute fees as Rootstock does, start
              the node with --remasc.
            </Empty>
          );
        const [first] = payments;
        return (
          <>
            <p>
              <TransactionHash hash={closing} />{' '}
              {first === undefined ? (
                'paid nothing: REMASC distributes the fees of older blocks.'
              ) : (
                <>
                  paid {counted(payments.length, 'share')} of the fees of block{' '}
                  <a class="mono" href={pathTo('block', first.block)}>
                    {shortHex(first.block, 6)}
                  </a>
                </>
              )}
            </p>
            {payments.length === 0 ? null : (
              <div class="scrolled">
                <Table class="narrow" columns={['Receiver', { number: 'Amount' }]}>
                  {payments.map(({ receiver, wei }, index) => (
                    <tr key={`${index}${receiver}`}>
                      <td>
                        <Address address={receiver} />
                      </td>
                      <td class="number">
                        <Amount wei={wei} />
                      </td>
                    </tr>
                  ))}
                </Table>
              </div>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
