/** The gas report: what was measured, in the form that is written as JSON, printed, and compared. */

import type { LazyInspector } from '../../inspect/lazy-inspector.ts';
import { nextTurn } from '../../scheduling/interrupt.ts';
import type { GasMeter, GasOfLane } from './gas-meter.ts';
import type { GasStatistics } from './gas-statistics.ts';
import type { NamedContract, NamedFunction, NamedGas } from './named-gas.ts';

/** The name of the format, by which a file is known for a gas report. */
export const GAS_REPORT_FORMAT = 'node-cli gas report';
/** Changes when the members do. */
export const GAS_REPORT_VERSION = 1;
/** Bytes that an account's code may have (EIP-170), and the code of a creation (EIP-3860). */
const CODE_SIZE_LIMIT = 24_576;
const INITCODE_SIZE_LIMIT = 49_152;

/** Amounts of gas. All calls are counted, those that failed too. */
export interface GasFigures {
  readonly calls: number;
  readonly reverted: number;
  readonly min: number;
  /** Rounded to the nearest whole number, as the median is. */
  readonly average: number;
  readonly median: number;
  readonly max: number;
  readonly total: number;
  /** False where there were too many different amounts for an exact median. */
  readonly isMedianExact: boolean;
}

/** The gas of a function. */
export interface FunctionGas {
  /** As it is shown: `transfer`, with its types where there are several of that name. */
  readonly name: string;
  readonly signature: string;
  /** True when the name is only well known for the selector, and not said by the contract's own ABI. */
  readonly isGuess: boolean;
  /** The gas of transactions, as their receipts say it; `null` for none. */
  readonly transactions: GasFigures | null;
  /** The gas of calls by other contracts: that of the frame, before refunds; `null` for none. */
  readonly internal: GasFigures | null;
}

/** The creations of a contract. */
export interface DeploymentGas {
  readonly transactions: GasFigures | null;
  readonly internal: GasFigures | null;
  /** Bytes; the largest of all creations. */
  readonly codeSize: number;
  readonly initcodeSize: number;
  /** The parts of the limits (24,576 and 49,152 bytes), from 0 to 1 and beyond. */
  readonly codeSizeShare: number;
  readonly initcodeSizeShare: number;
}

/** The gas of a contract. */
export interface ContractGas {
  readonly name: string;
  /** `contracts/Token.sol`; `null` for a contract that no artifact describes. */
  readonly source: string | null;
  /** The address of a contract that no artifact describes; `null` otherwise. */
  readonly address: string | null;
  /** The names of proxies through which it was called. */
  readonly proxies: readonly string[];
  readonly deployments: DeploymentGas | null;
  /** By signature. */
  readonly functions: readonly FunctionGas[];
}

/** The gas of one chain, or of several together. */
export interface ChainGas {
  /** All transactions. */
  readonly transactions: GasFigures | null;
  /** Transactions to accounts without code. */
  readonly transfers: GasFigures | null;
  /** Calls inside transactions that were not looked at, as there were too many in one transaction. */
  readonly omittedCalls: number;
  /** By name, contracts with a source first. */
  readonly contracts: readonly ContractGas[];
}

/** The report of a node. */
export interface GasReport extends ChainGas {
  readonly format: typeof GAS_REPORT_FORMAT;
  readonly version: typeof GAS_REPORT_VERSION;
  /** Each lane by itself; `lane` is `null` for the base chain. Empty when only that was used. */
  readonly lanes: readonly (ChainGas & { readonly lane: string | null })[];
  /** True when there were more lanes than are listed; their gas is in the sums. */
  readonly hasMoreLanes: boolean;
}

/** Resolves to the report of everything that was measured; with `lane` of that lane alone. Yields the event loop meanwhile. */
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
    await nextTurn();
  }
  contracts.sort(compareContracts);
  return {
    transactions: figures(gas.transactions),
    transfers: figures(gas.transfers),
    omittedCalls: gas.omitted,
    contracts,
  };
}

/** The order does not depend on the language of the machine. */
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
