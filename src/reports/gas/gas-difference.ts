/** Compares a gas report with an earlier one. */

import {
  type ContractGas,
  type FunctionGas,
  GAS_REPORT_FORMAT,
  GAS_REPORT_VERSION,
  type GasFigures,
  type GasReport,
} from './gas-report.ts';

/** The kind of gas that is compared: of transactions, or of calls by other contracts. */
export type GasKind = 'transactions' | 'internal';

/** A figure that is another one than before. */
export interface FigureChange {
  readonly kind: GasKind;
  readonly figure: 'average' | 'median';
  readonly before: number;
  readonly after: number;
  /** Percent of the earlier figure; above 0 for one that grew. */
  readonly percent: number;
  /** True when it grew by more than is tolerated. */
  readonly isBeyond: boolean;
}

/** A function, or the deployment of a contract, that changed. */
export interface GasDifference {
  /** `Token`; with its source where several contracts have that name. */
  readonly contract: string;
  /** The name of the function; `null` for the deployment. */
  readonly function: string | null;
  readonly status: 'new' | 'removed' | 'changed';
  /** Empty unless the status is `changed`. */
  readonly changes: readonly FigureChange[];
}

/** The differences from an earlier report. */
export interface GasComparison {
  readonly differences: readonly GasDifference[];
  /** Functions and deployments that are the same. */
  readonly unchanged: number;
  /** True when something grew by more than is tolerated. */
  readonly isBeyond: boolean;
}

const KINDS = ['transactions', 'internal'] as const;
const FIGURES = ['average', 'median'] as const;

/** Something that is compared: a function, or the deployment of a contract. */
type Compared = Pick<FunctionGas, GasKind>;

interface ComparedEntry {
  readonly contract: string;
  readonly function: string | null;
  readonly gas: Compared;
}

/**
 * Compares the sums of all lanes. Averages and medians count, of transactions and of calls by other contracts; a function
 * that is new or gone is said to be so, and exceeds nothing. `tolerance` is in percent; `null` tolerates anything.
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

/** Returns the report that the text holds; `null` when it is none, or one of another version. */
export function parseGasReport(text: string): GasReport | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  return isReport(parsed) ? parsed : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for what has everything that is compared: a report may have been written, or changed, by another program. */
function isReport(value: unknown): value is GasReport {
  if (!isObject(value) || value.format !== GAS_REPORT_FORMAT || value.version !== GAS_REPORT_VERSION)
    return false;
  return Array.isArray(value.contracts) && value.contracts.every(isContract);
}

function isContract(value: unknown): value is ContractGas {
  if (!isObject(value) || typeof value.name !== 'string') return false;
  if (![value.source, value.address].every((text) => text === null || typeof text === 'string')) return false;
  const isDeployment = value.deployments === null || isCompared(value.deployments);
  return isDeployment && Array.isArray(value.functions) && value.functions.every(isFunction);
}

function isFunction(value: unknown): value is FunctionGas {
  if (!isObject(value) || typeof value.name !== 'string' || typeof value.signature !== 'string') return false;
  return isCompared(value);
}

function isCompared(value: unknown): value is Compared {
  return isObject(value) && KINDS.every((kind) => value[kind] === null || isFigures(value[kind]));
}

function isFigures(value: unknown): value is GasFigures {
  return isObject(value) && FIGURES.every((figure) => Number.isFinite(value[figure]));
}
