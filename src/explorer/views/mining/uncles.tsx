import type { JSX } from 'preact';
import { client } from '../../chain.ts';
import { grouped, numberOf } from '../../format.ts';
import type { MinedBlock } from '../../mined-block.ts';
import { useAsked } from '../../parts/use-read.ts';
import { Address, Amount, Empty, Hex, Loaded } from '../../parts/values.tsx';

/** The uncles that a block includes. */
export function Uncles({ block }: { readonly block: MinedBlock }): JSX.Element {
  const asked = useAsked(
    () =>
      Promise.all(
        block.uncles.map((_, index) =>
          client.read<MinedBlock | null>('eth_getUncleByBlockHashAndIndex', [
            block.hash,
            `0x${index.toString(16)}`,
          ]),
        ),
      ),
    [block.hash],
  );
  if (block.uncles.length === 0) return <Empty>The block includes no uncle.</Empty>;
  return (
    <Loaded asked={asked}>
      {(uncles) => (
        <div class="scrolled">
          <table>
            <thead>
              <tr>
                <th scope="col">Uncle</th>
                <th scope="col">Hash</th>
                <th scope="col">Made by</th>
                <th scope="col" class="number">
                  Fees
                </th>
                <th scope="col" class="number">
                  Difficulty
                </th>
              </tr>
            </thead>
            <tbody>
              {uncles.map((uncle, index) =>
                uncle === null ? null : (
                  <tr key={uncle.hash ?? index}>
                    <td class="mono">#{numberOf(uncle.number)}</td>
                    <td>
                      <Hex hex={uncle.hash} digits={8} />
                    </td>
                    <td>
                      <Address address={uncle.miner} />
                    </td>
                    <td class="number">
                      <Amount wei={BigInt(uncle.paidFees ?? '0x0')} />
                    </td>
                    <td class="number">{grouped(BigInt(uncle.difficulty))}</td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </div>
      )}
    </Loaded>
  );
}
