import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { client, head, momentTag } from '../chain.ts';
import { errorText, numberOf } from '../format.ts';
import { useAsked } from '../parts/use-read.ts';
import { Address, Amount, announcement, Empty, Loaded } from '../parts/values.tsx';

interface Row {
  readonly address: string;
  readonly balance: bigint;
  readonly nonce: number;
  readonly isContract: boolean;
}

async function rowOf(address: string, tag: string): Promise<Row> {
  const [balance, nonce, code] = await Promise.all([
    client.read<string>('eth_getBalance', [address, tag]),
    client.read<string>('eth_getTransactionCount', [address, tag]),
    client.read<string>('eth_getCode', [address, tag]),
  ]);
  return { address, balance: BigInt(balance), nonce: numberOf(nonce), isContract: code !== '0x' };
}

const ONE_COIN = 10n ** 18n;

/** Gives an account coins, beside those that it has. */
function Fund({ row }: { readonly row: Row }): JSX.Element {
  const [error, setError] = useState('');
  const fund = async (): Promise<void> => {
    const answer = window.prompt(`How many coins is ${row.address} to have?`, '1000');
    if (answer === null) return;
    if (!/^\d{1,30}$/.test(answer.trim())) {
      setError('A whole number of coins is needed.');
      return;
    }
    try {
      await client.act('hardhat_setBalance', [
        row.address,
        `0x${(BigInt(answer.trim()) * ONE_COIN).toString(16)}`,
      ]);
      await client.act('evm_mine');
      announcement.value = 'Balance set';
    } catch (cause) {
      setError(errorText(cause));
    }
  };
  return (
    <>
      <button type="button" onClick={() => void fund()}>
        Set balance
      </button>
      {error === '' ? null : <span class="reason"> {error}</span>}
    </>
  );
}

/** The accounts that the node signs for. */
export function Accounts(): JSX.Element {
  const tag = momentTag.value;
  const asked = useAsked(async () => {
    const addresses = await client.read<readonly string[]>('eth_accounts');
    return Promise.all(addresses.map((address) => rowOf(address, tag)));
  }, [tag, head.value?.hash]);
  return (
    <>
      <h1>Accounts</h1>
      <p>
        The node signs for these accounts. Their keys come from the words that it prints when it starts;
        unless you chose your own,{' '}
        <b>everybody knows them: never send anything of value to them on a public chain.</b>
      </p>
      <Loaded asked={asked}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>The node signs for no account.</Empty>
          ) : (
            <div class="scrolled">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Account</th>
                    <th scope="col" class="number">
                      Balance
                    </th>
                    <th scope="col" class="number">
                      Nonce
                    </th>
                    <th scope="col">Change</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={row.address}>
                      <td>
                        <Address address={row.address} />
                      </td>
                      <td class="number">
                        <Amount wei={row.balance} />
                      </td>
                      <td class="number">{row.nonce}</td>
                      <td>
                        <Fund row={row} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </>
  );
}
