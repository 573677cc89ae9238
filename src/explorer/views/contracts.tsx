/** The contracts from artifacts with their deployments, and the contracts created on the chain. */

import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { client, moment } from '../chain.ts';
import { blockText, counted, grouped, numberOf, shown } from '../format.ts';
import { Scrolled } from '../parts/lists.tsx';
import { Table } from '../parts/table.tsx';
import { LONG_PAUSE, useCalmHead, useReadState } from '../parts/use-read.ts';
import { Address, BlockNumber, Empty, Loaded, TransactionHash } from '../parts/values.tsx';
import { go, pathTo, place } from '../router.ts';

interface Deployment {
  readonly address: string;
  /** `null` without an artifact. */
  readonly contract: string | null;
  /** The implementation of a proxy; `null` if the contract is not a proxy. */
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

/** Contracts per request. */
const ROWS_AT_ONCE = 100;

/** Resolves to the latest contracts up to block `until`, in at most `questions` requests. */
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

/** Returns true if a name or an address of the contract contains the lower-case text. */
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
        <Address address={address} isNamed={false} />
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

/** The list. `wanted` is a part of the name or address. */
function CreatedContracts({ wanted }: { readonly wanted: string }): JSX.Element {
  const [questions, setQuestions] = useState(1);
  const until = moment.value;
  const asked = useReadState(() => read(questions, until), [questions, until, useCalmHead(LONG_PAUSE)]);
  return (
    <section aria-label="Created on this chain">
      <h2>Created on this chain</h2>
      <Loaded asked={asked}>
        {({ contracts, next }) => {
          const found = contracts.filter((each) => matches(each, wanted));
          const first = next === null ? null : numberOf(next.blockNumber);
          return (
            <>
              {found.length === 0 ? (
                <Empty>
                  {wanted === '' ? 'No contracts' : 'No matching contracts'}
                  {first === null ? '' : ` after block ${blockText(first)}`}
                </Empty>
              ) : (
                <Scrolled label="Created contracts">
                  <Table columns={['Contract', 'Address', 'Created by', 'Transaction', 'Block']}>
                    {found.map((deployment) => (
                      <Row key={deployment.address} deployment={deployment} />
                    ))}
                  </Table>
                </Scrolled>
              )}
              {first === null ? null : (
                <p>
                  <button type="button" onClick={() => setQuestions(questions + 1)}>
                    Search older blocks
                  </button>{' '}
                  <span class="faint">searched all blocks after {blockText(first)}</span>
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

interface Contract {
  readonly name: string;
  readonly sourceName: string;
  readonly hasInitcode: boolean;
  readonly deployments: readonly { readonly address: string }[];
}

/** Maximum rows to render. A project can have thousands of artifacts. */
const MAX_ROWS = 200;

/** Returns true for a contract of a package. The project's own contracts are listed first. */
function isLibrary({ sourceName }: Contract): boolean {
  return /^(?:@|npm\/|lib\/|(?:\.\/)?node_modules\/)/.test(sourceName);
}

/** All known contracts, deployed ones first, and a field to open any address. */
export function Contracts(): JSX.Element {
  const searched = place.value.query.get('search') ?? '';
  const [filter, setFilter] = useState(searched);
  // A search can lead here while the view is open.
  useEffect(() => setFilter(searched), [searched]);
  const id = useId();
  const asked = useReadState(() => client.read<readonly Contract[]>('inspect_contracts'), [useCalmHead()]);
  const open = (): void => {
    if (/^0x[0-9a-f]{40}$/i.test(filter.trim())) go(pathTo('address', filter.trim()));
  };
  return (
    <>
      <h1>Contracts</h1>
      <form
        class="field"
        onSubmit={(event) => {
          event.preventDefault();
          open();
        }}
      >
        <label for={id}>Contract name or address (Enter opens an address)</label>
        <input
          id={id}
          type="text"
          value={filter}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      </form>
      <CreatedContracts wanted={filter.trim().toLowerCase()} />
      <h2>From artifacts</h2>
      <Loaded asked={asked}>
        {(contracts) => {
          const wanted = filter.trim().toLowerCase();
          const found = contracts
            .filter(({ name, deployments }) =>
              [name, ...deployments.map(({ address }) => address)].some((text) =>
                text.toLowerCase().includes(wanted),
              ),
            )
            .toSorted(
              (left, right) =>
                right.deployments.length - left.deployments.length ||
                Number(isLibrary(left)) - Number(isLibrary(right)) ||
                left.name.localeCompare(right.name),
            );
          const isDeployed = found.some(({ deployments }) => deployments.length > 0);
          if (contracts.length === 0)
            return (
              <Empty>
                No artifacts found. Start the node in your project, or pass --artifacts. To add a single ABI,
                open the contract's address.
              </Empty>
            );
          if (found.length === 0) return <Empty>No contracts match “{shown(filter, 60)}”</Empty>;
          return (
            <Scrolled label="Known contracts">
              <Table columns={['Contract', 'Source', ...(isDeployed ? ['Deployed at'] : []), 'Actions']}>
                {found.slice(0, MAX_ROWS).map(({ name, sourceName, hasInitcode, deployments }) => (
                  <tr key={`${sourceName}:${name}`}>
                    <td>
                      <bdi>{shown(name, 60)}</bdi>
                    </td>
                    <td class="mono faint">{shown(sourceName, 80)}</td>
                    {isDeployed ? (
                      <td>
                        {deployments.slice(0, 5).map(({ address }) => (
                          <div key={address}>
                            <Address address={address} isNamed={false} />
                          </div>
                        ))}
                        {deployments.length > 5 ? (
                          <span class="faint">and {grouped(deployments.length - 5)} more</span>
                        ) : null}
                      </td>
                    ) : null}
                    <td>
                      {hasInitcode ? (
                        <a
                          href={pathTo('deploy', '', { source: sourceName, contract: name })}
                          aria-label={`Deploy ${shown(name, 60)}`}
                        >
                          Deploy
                        </a>
                      ) : (
                        <span class="faint">no code</span>
                      )}
                    </td>
                  </tr>
                ))}
              </Table>
              {found.length > MAX_ROWS ? (
                <p class="faint">
                  {counted(found.length - MAX_ROWS, 'more contract')} not shown; filter by name
                </p>
              ) : null}
            </Scrolled>
          );
        }}
      </Loaded>
    </>
  );
}
