/** The creator of a contract, and how its sources match its code. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { client } from '../../chain.ts';
import type { KnownContract, KnownContracts } from '../../contract-facts.ts';
import { numberOf, shown } from '../../format.ts';
import { forkBlock } from '../../log-search.ts';
import { useReadState } from '../../parts/use-read.ts';
import { Address, BlockNumber, Loaded, TransactionHash } from '../../parts/values.tsx';

interface Creation {
  readonly creator: string;
  readonly hash: string;
  readonly block: number | null;
}

type Origin = Creation | 'none' | 'upstream';

/** Resolves to the creation. A search on the forked chain takes many requests, so it needs `isWanted`. */
async function readOrigin(address: string, isWanted: boolean): Promise<Origin> {
  const fork = await forkBlock();
  if (fork > 0 && !isWanted) {
    const code = await client.read<string>('eth_getCode', [address, `0x${fork.toString(16)}`]);
    if (code !== '0x') return 'upstream';
  }
  const found = await client.read<Omit<Creation, 'block'> | null>('ots_getContractCreator', [address]);
  if (found === null) return 'none';
  const transaction = await client.read<{ readonly blockNumber: string | null } | null>(
    'eth_getTransactionByHash',
    [found.hash],
  );
  const number = transaction?.blockNumber ?? null;
  return { ...found, block: number === null ? null : numberOf(number) };
}

/** The creator, the transaction and the block of a contract. */
export function CreatedBy({ address }: { readonly address: string }): JSX.Element {
  const [isWanted, setWanted] = useState(false);
  const asked = useReadState(() => readOrigin(address, isWanted), [address, isWanted]);
  return (
    <Loaded asked={asked}>
      {(origin) =>
        origin === 'upstream' ? (
          <>
            on the forked chain{' '}
            <button type="button" onClick={() => setWanted(true)}>
              Find creator
            </button>
          </>
        ) : origin === 'none' ? (
          <span class="faint">no transaction (genesis, or code set by a request)</span>
        ) : (
          <>
            <Address address={origin.creator} /> in <TransactionHash hash={origin.hash} />
            {origin.block === null ? null : (
              <>
                {' '}
                block <BlockNumber number={origin.block} />
              </>
            )}
          </>
        )
      }
    </Loaded>
  );
}

function Match({ contract }: { readonly contract: KnownContract }): JSX.Element {
  const isExact = contract.fit === 'exact';
  return (
    <div>
      <bdi>{shown(contract.name, 80)}</bdi> <span class="mono faint">{shown(contract.sourceName, 120)}</span>{' '}
      <span
        class={`tag ${isExact ? 'good' : ''}`}
        title={
          isExact
            ? 'The code and the metadata are the same'
            : 'The code is the same, but its metadata differs, for example after a changed comment'
        }
      >
        {isExact ? 'exact match' : 'same code, other metadata'}
      </span>
    </div>
  );
}

/** The sources of a contract and, for a proxy, of its implementation. */
export function SourceMatch({ sources }: { readonly sources: KnownContracts | null }): JSX.Element {
  const own = sources?.contract ?? null;
  const behind = sources?.implementation?.contract ?? null;
  if (own === null && behind === null) return <span class="faint">no artifact matches the code</span>;
  return (
    <>
      {own === null ? null : <Match contract={own} />}
      {behind === null ? null : <Match contract={behind} />}
    </>
  );
}
