/** The contracts that transactions of the chain created, also those that other contracts made. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { client, moment } from '../../chain.ts';
import { grouped, numberOf, shown } from '../../format.ts';
import { Scrolled } from '../../parts/scrolled.tsx';
import { LONG_PAUSE, useCalmHead } from '../../parts/use-calm-head.ts';
import { useAsked } from '../../parts/use-read.ts';
import { Address, BlockNumber, Empty, Loaded, TransactionHash } from '../../parts/values.tsx';
import { pathTo } from '../../router.ts';

interface Deployment {
  readonly address: string;
  /** `null` for one that nothing describes. */
  readonly contract: string | null;
  /** The contract behind a proxy; `null` for a contract that is no proxy. */
  readonly implementation: { readonly address: string; readonly contract: string | null } | null;
  readonly creator: string;
  readonly transactionHash: string;
  readonly blockNumber: string;
}

interface Place {
  readonly blockNumber: string;
  readonly index?: string;
}

interface Deployments {
  readonly contracts: readonly Deployment[];
  readonly next: Place | null;
}

/** Contracts that are asked for at once. */
const ROWS_AT_ONCE = 100;

/** Resolves to the newest contracts up to a block, in so many questions. Rejects as the node does. */
async function read(questions: number, until: number | null): Promise<Deployments> {
  const contracts: Deployment[] = [];
  let next: Place | null = until === null ? null : { blockNumber: `0x${until.toString(16)}` };
  for (let asked = 0; asked < questions; asked++) {
    const page: Deployments = await client.read<Deployments>('inspect_deployments', [next, ROWS_AT_ONCE]);
    contracts.push(...page.contracts);
    next = page.next;
    if (next === null) break;
  }
  return { contracts, next };
}

/** Returns true for a contract that has the text, in lower case, in a name or an address of it. */
function matches({ address, contract, implementation, creator }: Deployment, text: string): boolean {
  const facts = [address, contract, implementation?.contract, implementation?.address, creator];
  return facts.some((fact) => fact?.toLowerCase().includes(text));
}

function Row({ deployment }: { readonly deployment: Deployment }): JSX.Element {
  const { address, contract, implementation, creator, transactionHash, blockNumber } = deployment;
  return (
    <tr>
      <td>
        <a href={pathTo('address', address)}>
          <bdi>{contract === null ? 'unknown contract' : shown(contract, 60)}</bdi>
        </a>
        {implementation === null ? null : (
          <span class="faint">
            {' '}
            → <Address address={implementation.address} name={implementation.contract} />
          </span>
        )}
      </td>
      <td>
        <Address address={address} />
      </td>
      <td>
        <Address address={creator} />
      </td>
      <td>
        <TransactionHash hash={transactionHash} />
      </td>
      <td>
        <BlockNumber number={numberOf(blockNumber)} />
      </td>
    </tr>
  );
}

/** The list; `wanted` is the text that a contract has in its name or address. */
export function CreatedContracts({ wanted }: { readonly wanted: string }): JSX.Element {
  const [questions, setQuestions] = useState(1);
  const until = moment.value;
  const asked = useAsked(() => read(questions, until), [questions, until, useCalmHead(LONG_PAUSE)]);
  return (
    <section aria-label="Created on this chain">
      <h2>Created on this chain</h2>
      <Loaded asked={asked}>
        {({ contracts, next }) => {
          const found = contracts.filter((each) => matches(each, wanted));
          const first = next === null ? null : grouped(numberOf(next.blockNumber));
          return (
            <>
              {found.length === 0 ? (
                <Empty>
                  No transaction created {wanted === '' ? 'a contract' : 'such a contract'}
                  {first === null ? '' : ` after block ${first}`}.
                </Empty>
              ) : (
                <Scrolled label="Created contracts">
                  <table>
                    <thead>
                      <tr>
                        <th scope="col">Contract</th>
                        <th scope="col">Address</th>
                        <th scope="col">Created by</th>
                        <th scope="col">Transaction</th>
                        <th scope="col">Block</th>
                      </tr>
                    </thead>
                    <tbody>
                      {found.map((deployment) => (
                        <Row key={deployment.address} deployment={deployment} />
                      ))}
                    </tbody>
                  </table>
                </Scrolled>
              )}
              {first === null ? null : (
                <p>
                  <button type="button" onClick={() => setQuestions(questions + 1)}>
                    Look through older blocks
                  </button>{' '}
                  <span class="faint">those after block {first} were looked through</span>
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
