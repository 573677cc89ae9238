/** The gas report of `inspect_gasReport`; computed from transactions if the node does not measure gas. */

import type { GasCall } from './gas-history.ts';

export interface GasFigures {
  readonly calls: number;
  readonly reverted: number;
  readonly min: number;
  readonly average: number;
  readonly median: number;
  readonly max: number;
  readonly total: number;
  readonly isMedianExact: boolean;
}

export interface FunctionGas {
  readonly name: string;
  readonly signature: string;
  /** The gas of transactions; `null` for none. */
  readonly transactions: GasFigures | null;
  /** The gas of calls by other contracts; `null` for none. */
  readonly internal: GasFigures | null;
}

export interface DeploymentGas {
  readonly transactions: GasFigures | null;
  readonly internal: GasFigures | null;
  /** Sizes in bytes, and relative to their limits. */
  readonly codeSize: number;
  readonly initcodeSize: number;
  readonly codeSizeShare: number;
  readonly initcodeSizeShare: number;
}

export interface ContractGas {
  readonly name: string;
  readonly source: string | null;
  readonly address: string | null;
  readonly proxies: readonly string[];
  readonly deployments: DeploymentGas | null;
  readonly functions: readonly FunctionGas[];
}

export interface ChainGas {
  readonly transactions: GasFigures | null;
  readonly transfers: GasFigures | null;
  readonly omittedCalls: number;
  readonly contracts: readonly ContractGas[];
}

export interface GasReport extends ChainGas {
  readonly lanes: readonly (ChainGas & { readonly lane: string | null })[];
  readonly hasMoreLanes: boolean;
}

/** Returns the figures of calls; `null` for none. */
function figuresOf(calls: readonly GasCall[]): GasFigures | null {
  const amounts = calls.map(({ gas }) => gas).toSorted((left, right) => left - right);
  const [min] = amounts;
  const max = amounts.at(-1);
  if (min === undefined || max === undefined) return null;
  const total = amounts.reduce((sum, gas) => sum + gas, 0);
  const middle = amounts.slice(Math.floor((amounts.length - 1) / 2), Math.floor(amounts.length / 2) + 1);
  const median = middle.reduce((sum, gas) => sum + gas, 0) / middle.length;
  return {
    calls: amounts.length,
    reverted: calls.filter(({ isFailed }) => isFailed).length,
    min,
    average: Math.round(total / amounts.length),
    median: Math.round(median),
    max,
    total,
    isMedianExact: true,
  };
}

function groupedBy(calls: readonly GasCall[], key: (call: GasCall) => string): Map<string, GasCall[]> {
  const groups = new Map<string, GasCall[]>();
  for (const call of calls) {
    const name = key(call);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [call]);
    else group.push(call);
  }
  return groups;
}

function contractOf(calls: readonly GasCall[]): ContractGas {
  const [{ contract: name, source } = { contract: '', source: null }] = calls;
  const deployments = figuresOf(calls.filter((call) => call.function === 'constructor'));
  const others = calls.filter((call) => call.function !== 'constructor');
  const sizes = { codeSize: 0, initcodeSize: 0, codeSizeShare: 0, initcodeSizeShare: 0 };
  return {
    name,
    source,
    address: null,
    proxies: [],
    deployments: deployments === null ? null : { transactions: deployments, internal: null, ...sizes },
    functions: Array.from(groupedBy(others, (call) => call.function))
      .map(([label, own]) => ({
        name: label,
        signature: label,
        transactions: figuresOf(own),
        internal: null,
      }))
      .toSorted((left, right) => (left.name < right.name ? -1 : 1)),
  };
}

/** Computes a report from transactions. It lacks inner calls and code sizes, which the node measures. */
export function reportOf(calls: readonly GasCall[]): ChainGas {
  const transfers = calls.filter(({ contract }) => contract === '');
  const byContract = groupedBy(
    calls.filter(({ contract }) => contract !== ''),
    ({ contract, source }) => JSON.stringify([source === null, contract, source]),
  );
  return {
    transactions: figuresOf(calls),
    transfers: figuresOf(transfers),
    omittedCalls: 0,
    contracts: Array.from(byContract)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([, own]) => contractOf(own)),
  };
}
