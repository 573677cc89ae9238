/** The contracts that the node knows, and where they are deployed. */

import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { client } from '../chain.ts';
import { grouped, shown } from '../format.ts';
import { Scrolled } from '../parts/scrolled.tsx';
import { useCalmHead } from '../parts/use-calm-head.ts';
import { useAsked } from '../parts/use-read.ts';
import { Address, Empty, Loaded } from '../parts/values.tsx';
import { go, pathTo, place } from '../router.ts';
import { CreatedContracts } from './contracts/created.tsx';

interface Contract {
  readonly name: string;
  readonly sourceName: string;
  readonly deployments: readonly { readonly address: string }[];
}

/** Rows that are drawn; a project can have thousands of artifacts. */
const MOST_ROWS = 200;

/** True for a contract of a package that the project uses; its own ones come before those. */
function isLibrary({ sourceName }: Contract): boolean {
  return /^(?:@|npm\/|lib\/|(?:\.\/)?node_modules\/)/.test(sourceName);
}

/** All known contracts, those that are deployed first, and a way to any other one. */
export function Contracts(): JSX.Element {
  const searched = place.value.query.get('search') ?? '';
  const [filter, setFilter] = useState(searched);
  // Another search leads here, too, while the view is open.
  useEffect(() => setFilter(searched), [searched]);
  const id = useId();
  const asked = useAsked(() => client.read<readonly Contract[]>('inspect_contracts'), [useCalmHead()]);
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
        <label for={id}>Find a contract by its name, or open any address with Enter</label>
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
      <h2>Known from artifacts</h2>
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
                The node knows no artifacts. Start it in your project, or with --artifacts; the ABI of a
                single contract is added at its address.
              </Empty>
            );
          if (found.length === 0) return <Empty>No contract has “{shown(filter, 60)}” in its name.</Empty>;
          return (
            <Scrolled label="Known contracts">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Contract</th>
                    <th scope="col">Source</th>
                    {isDeployed ? <th scope="col">Deployed at</th> : null}
                  </tr>
                </thead>
                <tbody>
                  {found.slice(0, MOST_ROWS).map(({ name, sourceName, deployments }) => (
                    <tr key={`${sourceName}:${name}`}>
                      <td>
                        <bdi>{shown(name, 60)}</bdi>
                      </td>
                      <td class="mono faint">{shown(sourceName, 80)}</td>
                      {isDeployed ? (
                        <td>
                          {deployments.slice(0, 5).map(({ address }) => (
                            <div key={address}>
                              <Address address={address} />
                            </div>
                          ))}
                          {deployments.length > 5 ? (
                            <span class="faint">and {grouped(deployments.length - 5)} more</span>
                          ) : null}
                        </td>
                      ) : null}
                    </tr>
                  ))}
                </tbody>
              </table>
              {found.length > MOST_ROWS ? (
                <p class="faint">{grouped(found.length - MOST_ROWS)} more; a name finds them.</p>
              ) : null}
            </Scrolled>
          );
        }}
      </Loaded>
    </>
  );
}
