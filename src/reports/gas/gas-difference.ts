/** Compares a gas report with an earlier one. */

import { isRecord } from '../../primitives/record.ts';
import {
  type ContractGas,
  type FunctionGas,
  GAS_REPORT_FORMAT,
  GAS_REPORT_VERSION,
  type GasFigures,
  type GasReport,
} from './gas-report.ts';

/** The compared gas: of transactions, or of calls by other contracts. */
export type GasKind = 'transactions' | 'internal';

export interface FigureChange {
  readonly kind: GasKind;
  readonly figure: 'average' | 'median';
  readonly before: number;
  readonly after: number;
  /** In percent of the earlier figure; above 0 if it grew. */
  readonly percent: number;
  /** True if it grew by more than the tolerance. */
  readonly isBeyond: boolean;
}

export interface GasDifference {
  /** `Token`, with its source if several contracts have that name. */
  readonly contract: string;
  /** The name of the function; `null` for the deployment. */
  readonly function: string | null;
  readonly status: 'new' | 'removed' | 'changed';
  /** Empty unless the status is `changed`. */
  readonly changes: readonly FigureChange[];
}

export interface GasComparison {
  readonly differences: readonly GasDifference[];
  /** The number of unchanged functions and deployments. */
  readonly unchanged: number;
  /** True if a figure grew by more than the tolerance. */
  readonly isBeyond: boolean;
}

const KINDS = ['transactions', 'internal'] as const;
const FIGURES = ['average', 'median'] as const;

type Compared = Pick<FunctionGas, GasKind>;

interface ComparedEntry {
  readonly contract: string;
  readonly function: string | null;
  readonly gas: Compared;
}

/**
 * Compares the sums of all lanes: averages and medians of transactions, and of calls by other contracts. New
 * and removed functions are listed, but never exceed the tolerance. `tolerance` is in percent; `null` for no
 * limit.
 */
export function compareGas(before: GasReport, after: GasReport, tolerance: number | null): GasComparison {
  const [earlier, later] = [entriesOf(before), entriesOf(after)];
  const differences: GasDifference[] = [];
  let unchanged = 0;
  for (const [key, entry] of later) {
    const { contract, function: name } = entry;
    const known = earlier.get(key);
    if (known === undefined) differences.push({ contract, function: name, status: 'new', changes: [] });
    else {
      const changes = changesOf(known.gas, entry.gas, tolerance);
      if (changes.length === 0) unchanged++;
      else differences.push({ contract, function: name, status: 'changed', changes });
    }
  }
  for (const [key, { contract, function: name }] of earlier) {
    if (!later.has(key)) differences.push({ contract, function: name, status: 'removed', changes: [] });
  }
  const isBeyond = differences.some(({ changes }) => changes.some((change) => change.isBeyond));
  return { differences, unchanged, isBeyond };
}

function entriesOf({ contracts }: GasReport): Map<string, ComparedEntry> {
  const entries = new Map<string, ComparedEntry>();
  const count = new Map<string, number>();
  for (const { name } of contracts) count.set(name, (count.get(name) ?? 0) + 1);
  for (const { name, source, address, deployments, functions } of contracts) {
    const isAmbiguous = (count.get(name) ?? 0) > 1 && source !== null;
    const contract = isAmbiguous ? `${name} (${source})` : name;
    const identity = `${source ?? address ?? ''}:${name}`;
    if (deployments !== null) entries.set(identity, { contract, function: null, gas: deployments });
    for (const gas of functions)
      entries.set(`${identity}.${gas.signature}`, { contract, function: gas.name, gas });
  }
  return entries;
}

function changesOf(before: Compared, after: Compared, tolerance: number | null): FigureChange[] {
  return KINDS.flatMap((kind) => {
    const [earlier, later] = [before[kind], after[kind]];
    if (earlier === null || later === null) return [];
    return FIGURES.flatMap((figure) => changeOf(kind, figure, earlier[figure], later[figure], tolerance));
  });
}

function changeOf(
  kind: GasKind,
  figure: FigureChange['figure'],
  before: number,
  after: number,
  tolerance: number | null,
): FigureChange[] {
  if (before === after) return [];
  const percent = before === 0 ? Number.POSITIVE_INFINITY : (100 * (after - before)) / before;
  return [{ kind, figure, before, after, percent, isBeyond: tolerance !== null && percent > tolerance }];
}

/** Parses a report; `null` if the text is not a gas report of this version. */
export function parseGasReport(text: string): GasReport | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  return isReport(parsed) ? parsed : null;
}

/** Checks all members that the comparison reads, because another program may have written the report. */
function isReport(value: unknown): value is GasReport {
  if (!isRecord(value) || value.format !== GAS_REPORT_FORMAT || value.version !== GAS_REPORT_VERSION)
    return false;
  return Array.isArray(value.contracts) && value.contracts.every(isContract);
}

function isContract(value: unknown): value is ContractGas {
  if (!isRecord(value) || typeof value.name !== 'string') return false;
  if (![value.source, value.address].every((text) => text === null || typeof text === 'string')) return false;
  const isDeployment = value.deployments === null || isCompared(value.deployments);
  return isDeployment && Array.isArray(value.functions) && value.functions.every(isFunction);
}

function isFunction(value: unknown): value is FunctionGas {
  if (!isRecord(value) || typeof value.name !== 'string' || typeof value.signature !== 'string') return false;
  return isCompared(value);
}

function isCompared(value: unknown): value is Compared {
  return isRecord(value) && KINDS.every((kind) => value[kind] === null || isFigures(value[kind]));
}

function isFigures(value: unknown): value is GasFigures {
  return isRecord(value) && FIGURES.every((figure) => Number.isFinite(value[figure]));
}
