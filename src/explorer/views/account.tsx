import type { JSX } from 'preact';
import { client, head, momentTag } from '../chain.ts';
import { byteSize, grouped, numberOf, shown } from '../format.ts';
import { useAsked } from '../parts/use-read.ts';
import { Amount, Empty, Facts, Hex, Loaded } from '../parts/values.tsx';

interface AccountFacts {
  readonly balance: bigint;
  readonly nonce: number;
  readonly code: string;
}

/** One account: a person's, or a contract. */
export function Account({ subject: address }: { readonly subject: string }): JSX.Element {
  const tag = momentTag.value;
  const isAddress = /^0x[0-9a-f]{40}$/i.test(address);
  const asked = useAsked(async (): Promise<AccountFacts | null> => {
    if (!isAddress) return null;
    const [balance, nonce, code] = await Promise.all([
      client.read<string>('eth_getBalance', [address, tag]),
      client.read<string>('eth_getTransactionCount', [address, tag]),
      client.read<string>('eth_getCode', [address, tag]),
    ]);
    return { balance: BigInt(balance), nonce: numberOf(nonce), code };
  }, [address, tag, head.value?.hash]);
  return (
    <Loaded asked={asked}>
      {(account) =>
        account === null ? (
          <Empty>“{shown(address, 80)}” is no address: 0x and 40 hexadecimal digits are.</Empty>
        ) : (
          <>
            <h1>{account.code === '0x' ? 'Account' : 'Contract'}</h1>
            <Facts
              rows={[
                ['Address', <Hex key="address" hex={address} />],
                ['Balance', <Amount key="balance" wei={account.balance} />],
                ['Nonce', grouped(account.nonce)],
                ['Code', account.code === '0x' ? 'none' : byteSize((account.code.length - 2) / 2)],
              ]}
            />
          </>
        )
      }
    </Loaded>
  );
}
