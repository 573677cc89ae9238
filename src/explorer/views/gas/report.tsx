/** A gas report as a table. */

import type { ComponentChildren, JSX } from 'preact';
import { counted, grouped, shown } from '../../format.ts';
import type { ChainGas, ContractGas, DeploymentGas, GasFigures } from '../../gas-report.ts';
import { Scrolled } from '../../parts/lists.tsx';
import { Address } from '../../parts/values.tsx';

/** Maximum contracts to render. A project can have thousands. */
const MAX_CONTRACTS = 300;
const COLUMNS = ['Calls', 'Reverted', 'Min', 'Average', 'Median', 'Max'] as const;

function Cells({ figures }: { readonly figures: GasFigures }): JSX.Element {
  const { calls, reverted, min, average, median, max, isMedianExact } = figures;
  return (
    <>
      <td class="number">{grouped(calls)}</td>
      <td class="number">{reverted === 0 ? '–' : <b class="reason">{grouped(reverted)}</b>}</td>
      <td class="number">{grouped(min)}</td>
      <td class="number">{grouped(average)}</td>
      <td
        class="number"
        title={isMedianExact ? undefined : 'Approximate: too many values for an exact median'}
      >
        {isMedianExact ? '' : '≈ '}
        {grouped(median)}
      </td>
      <td class="number">{grouped(max)}</td>
    </>
  );
}

/** The rows of a function or deployment: transactions, and calls by other contracts. */
function Lines({
  name,
  title,
  transactions,
  internal,
}: {
  readonly name: ComponentChildren;
  readonly title?: string;
  readonly transactions: GasFigures | null;
  readonly internal: GasFigures | null;
}): JSX.Element {
  return (
    <>
      {transactions === null ? null : (
        <tr>
          <th scope="row" title={title}>
            {name}
          </th>
          <Cells figures={transactions} />
        </tr>
      )}
      {internal === null ? null : (
        <tr class="faint">
          <th scope="row" title={title}>
            {name} <span class="tag">internal</span>
          </th>
          <Cells figures={internal} />
        </tr>
      )}
    </>
  );
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function Sizes({ deployments }: { readonly deployments: DeploymentGas }): JSX.Element | null {
  const { codeSize, codeSizeShare, initcodeSize, initcodeSizeShare } = deployments;
  if (initcodeSize === 0) return null;
  const isNear = codeSizeShare > 0.9 || initcodeSizeShare > 0.9;
  return (
    <span class={isNear ? 'reason' : 'faint'}>
      {codeSize === 0 ? '' : `code ${grouped(codeSize)} bytes (${percent(codeSizeShare)} of the limit), `}
      initcode {grouped(initcodeSize)} bytes ({percent(initcodeSizeShare)})
    </span>
  );
}

function Contract({ contract }: { readonly contract: ContractGas }): JSX.Element {
  const { name, source, address, proxies, deployments, functions } = contract;
  return (
    <tbody>
      <tr class="group">
        <th scope="rowgroup" colSpan={COLUMNS.length + 1}>
          <div>
            {address === null ? <bdi>{shown(name, 60)}</bdi> : <Address address={address} />}{' '}
            {source === null ? null : <span class="faint mono">{shown(source, 80)}</span>}{' '}
            {proxies.length === 0 ? null : <span class="faint">via {shown(proxies.join(', '), 120)}</span>}{' '}
            {deployments === null ? null : <Sizes deployments={deployments} />}
          </div>
        </th>
      </tr>
      {deployments === null ? null : (
        <Lines name="deployment" transactions={deployments.transactions} internal={deployments.internal} />
      )}
      {functions.map((each) => (
        <Lines
          key={each.signature}
          name={<span class="mono">{shown(each.name, 60)}</span>}
          title={shown(each.signature, 200)}
          transactions={each.transactions}
          internal={each.internal}
        />
      ))}
    </tbody>
  );
}

/** Calls, minimum, average, median and maximum of each function, by contract. */
export function ReportTable({ report }: { readonly report: ChainGas }): JSX.Element {
  const { contracts, transfers, transactions, omittedCalls } = report;
  return (
    <Scrolled label="Gas by contract and function">
      <table class="report">
        <thead>
          <tr>
            <th scope="col">Contract and function</th>
            {COLUMNS.map((column) => (
              <th key={column} scope="col" class="number">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        {contracts.slice(0, MAX_CONTRACTS).map((contract) => (
          <Contract key={`${contract.source}:${contract.name}:${contract.address}`} contract={contract} />
        ))}
        <tbody class="sum">
          <Lines name="Transfers to accounts without code" transactions={transfers} internal={null} />
          <Lines name="All transactions" transactions={transactions} internal={null} />
        </tbody>
      </table>
      {contracts.length > MAX_CONTRACTS ? (
        <p class="faint">
          {counted(contracts.length - MAX_CONTRACTS, 'more contract')} not listed, but included in the totals;
          inspect_gasReport lists all contracts.
        </p>
      ) : null}
      {omittedCalls === 0 ? null : (
        <p class="faint">
          {counted(omittedCalls, 'internal call')} not counted, because a transaction had too many internal
          calls.
        </p>
      )}
    </Scrolled>
  );
}
