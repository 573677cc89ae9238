/** The gas report as JSON. The table and the comparison use it too. */

import type { LazyInspector } from '../../inspect/lazy-inspector.ts';
import { nextIteration } from '../../scheduling/cancel-check.ts';
import type { GasMeter, GasOfLane } from './gas-meter.ts';
import type { GasStatistics } from './gas-statistics.ts';
import type { NamedContract, NamedFunction, NamedGas } from './named-gas.ts';

/** Identifies a file as a gas report. */
export const GAS_REPORT_FORMAT = 'node-cli gas report';
/** Incremented if the members change. */
export const GAS_REPORT_VERSION = 1;
/** Maximum bytes of deployed code (EIP-170) and of initcode (EIP-3860). */
const CODE_SIZE_LIMIT = 24_576;
const INITCODE_SIZE_LIMIT = 49_152;

/** Amounts of gas. Failed calls are included. */
export interface GasFigures {
  readonly calls: number;
  readonly reverted: number;
  readonly min: number;
  /** Rounded to the nearest integer, like the median. */
  readonly average: number;
  readonly median: number;
  readonly max: number;
  readonly total: number;
  /** False if there were too many different amounts for an exact median. */
  readonly isMedianExact: boolean;
}

export interface FunctionGas {
  /** `transfer`; with its types if several functions have that name. */
  readonly name: string;
  readonly signature: string;
  /** True if the name is a guess from the selector, not from the contract's own ABI. */
  readonly isGuess: boolean;
  /** Gas of transactions, as in their receipts; `null` for none. */
  readonly transactions: GasFigures | null;
  /** Gas of calls by other contracts: the frame's gas before refunds; `null` for none. */
  readonly internal: GasFigures | null;
}

export interface DeploymentGas {
  readonly transactions: GasFigures | null;
  readonly internal: GasFigures | null;
  /** In bytes, the maximum of all deployments. */
  readonly codeSize: number;
  readonly initcodeSize: number;
  /** Size relative to the limit (24,576 and 49,152 bytes); above 1 if it exceeds the limit. */
  readonly codeSizeShare: number;
  readonly initcodeSizeShare: number;
}

export interface ContractGas {
  readonly name: string;
  /** `contracts/Token.sol`; `null` without an artifact. */
  readonly source: string | null;
  /** The address of a contract without an artifact; otherwise `null`. */
  readonly address: string | null;
  /** The names of the proxies that called it. */
  readonly proxies: readonly string[];
  readonly deployments: DeploymentGas | null;
  /** Sorted by signature. */
  readonly functions: readonly FunctionGas[];
}

/** The gas of one chain, or of several together. */
export interface ChainGas {
  readonly transactions: GasFigures | null;
  /** Transactions to accounts without code. */
  readonly transfers: GasFigures | null;
  /** Inner calls that were not counted because their transaction had too many. */
  readonly omittedCalls: number;
  /** Contracts with a source first, then by name. */
  readonly contracts: readonly ContractGas[];
}

export interface GasReport extends ChainGas {
  readonly format: typeof GAS_REPORT_FORMAT;
  readonly version: typeof GAS_REPORT_VERSION;
  /** The figures of each lane; `lane` is `null` for the base chain. Empty if only the base chain was used. */
  readonly lanes: readonly (ChainGas & { readonly lane: string | null })[];
  /** True if there were more lanes than listed. Their gas is in the totals. */
  readonly hasMoreLanes: boolean;
}

/** Resolves to the report of all measured gas; with `lane`, only of that lane. Yields to the event loop. */
export async function gasReport(
  meter: GasMeter,
  inspector: LazyInspector,
  lane: string | null = null,
): Promise<GasReport> {
  const { all, lanes, hasMoreLanes } = await meter.measured(inspector);
  const head = { format: GAS_REPORT_FORMAT, version: GAS_REPORT_VERSION } as const;
  if (lane !== null) {
    const own = lanes.find((measured) => measured.lane === lane);
    const chain = await chainGas(own?.gas ?? null);
    return { ...head, ...chain, lanes: [], hasMoreLanes: false };
  }
  const isBaseOnly = lanes.every((measured) => measured.lane === null) && !hasMoreLanes;
  const each = isBaseOnly ? [] : await lanesOf(lanes);
  return { ...head, ...(await chainGas(all)), lanes: each, hasMoreLanes };
}

async function lanesOf(lanes: readonly GasOfLane[]): Promise<GasReport['lanes']> {
  const each: GasReport['lanes'][number][] = [];
  for (const { lane, gas } of lanes) each.push({ lane, ...(await chainGas(gas)) });
  return each;
}

async function chainGas(gas: NamedGas | null): Promise<ChainGas> {
  if (gas === null) return { transactions: null, transfers: null, omittedCalls: 0, contracts: [] };
  const contracts: ContractGas[] = [];
  for (const contract of gas.contracts.values()) {
    contracts.push(contractGas(contract));
    await nextIteration();
  }
  contracts.sort(compareContracts);
  return {
    transactions: figures(gas.transactions),
    transfers: figures(gas.transfers),
    omittedCalls: gas.omitted,
    contracts,
  };
}

/** Independent of the machine's locale. */
function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function compareContracts(left: ContractGas, right: ContractGas): number {
  if ((left.source === null) !== (right.source === null)) return left.source === null ? 1 : -1;
  return compareText(left.name, right.name) || compareText(left.source ?? '', right.source ?? '');
}

function contractGas({ name, source, address, proxies, functions, deployments }: NamedContract): ContractGas {
  const transactions = figures(deployments.transactions);
  const internal = figures(deployments.calls);
  const { codeSize, initcodeSize } = deployments;
  const codeSizeShare = codeSize / CODE_SIZE_LIMIT;
  const initcodeSizeShare = initcodeSize / INITCODE_SIZE_LIMIT;
  const sizes = { codeSize, initcodeSize, codeSizeShare, initcodeSizeShare };
  return {
    name,
    source,
    address,
    proxies: [...proxies].sort(),
    deployments: transactions === null && internal === null ? null : { transactions, internal, ...sizes },
    functions: Array.from(functions.values(), functionGas).sort((left, right) =>
      compareText(left.signature, right.signature),
    ),
  };
}

function functionGas({ label, signature, isGuess, transactions, calls }: NamedFunction): FunctionGas {
  return {
    name: label,
    signature,
    isGuess,
    transactions: figures(transactions),
    internal: figures(calls),
  };
}

function figures(statistics: GasStatistics): GasFigures | null {
  const summary = statistics.summary();
  if (summary === null) return null;
  const { calls, reverted, min, average, median, max, total, isMedianExact } = summary;
  return {
    calls,
    reverted,
    min: Number(min),
    average: Number(average),
    median: Number(median),
    max: Number(max),
    total: Number(total),
    isMedianExact,
  };
}
