/**
 * Formats inspections and comparisons for commands, with colours on a terminal. A comparison has one column
 * per hardfork and one row per difference.
 */

import { printable } from '../../config/errors.ts';
import type { NodeOptions } from '../../config/options.ts';
import { changeLines } from '../../inspect/change-text.ts';
import type { Inspection } from '../../inspect/inspection.ts';
import { stackText, type TreeStyle, treeLines } from '../../inspect/tree-text.ts';
import { grouped } from '../../primitives/grouped.ts';
import { isRecord } from '../../primitives/record.ts';
import { hasColors } from '../colors.ts';
import type { Host } from '../host.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** A row with one cell per run. */
interface Row {
  readonly name: string;
  readonly cells: readonly string[];
  readonly isHeading?: boolean;
}

/** Maximum characters of a row's name. Calls with many arguments are longer. */
const MAX_NAME_LENGTH = 72;
/** Maximum characters of a cell. */
const MAX_CELL_LENGTH = 60;
const NONE = '–';
const WORD = /^0x[0-9a-f]{64}$/;

function recordsIn(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Characters of a cut cell before the first difference in its row. */
const COMMON_CHARACTERS = 16;

/** Cuts long cells of a row so that their first difference stays visible. */
function cutCells(cells: readonly string[]): string[] {
  const long = cells.filter((cell) => cell.length > MAX_CELL_LENGTH);
  const [first = ''] = long;
  const place = [...first].findIndex((character, index) => long.some((cell) => cell[index] !== character));
  const start = place < MAX_CELL_LENGTH - COMMON_CHARACTERS ? 0 : place - COMMON_CHARACTERS;
  return cells.map((cell) =>
    cut(start > 0 && cell.length > MAX_CELL_LENGTH ? `…${cell.slice(start)}` : cell, MAX_CELL_LENGTH),
  );
}

/** Returns gas by run. Later runs include the difference from the first run. */
function gasCells(values: readonly unknown[]): string[] {
  const numbers = values.map((value) => (typeof value === 'string' ? BigInt(value) : null));
  const [first = null] = numbers;
  return numbers.map((value, run) => {
    if (value === null) return NONE;
    const change = run === 0 || first === null ? 0n : value - first;
    return change === 0n ? `${value}` : `${value} (${change > 0n ? '+' : ''}${change})`;
  });
}

function texts(values: readonly unknown[]): string[] {
  return values.map((value) => (value === null || value === undefined ? NONE : String(value)));
}

/** Returns the final values of a slot or variable by run. Full 32-byte words are written as numbers. */
function storageCells(values: readonly unknown[]): string[] {
  return texts(values).map((text) => (WORD.test(text) ? `0x${BigInt(text).toString(16)}` : text));
}

function nameOf(value: unknown): string {
  if (!isRecord(value)) return '';
  return typeof value.name === 'string' ? value.name : String(value.address);
}

function frameRows(frames: readonly JsonRecord[]): Row[] {
  return frames.flatMap((frame) => {
    const indent = '  '.repeat(1 + listIn(frame.path).length);
    const name = `${indent}${String(frame.call)}${frame.isSameCall === false ? ' (a different call)' : ''}`;
    const outcomes = texts(listIn(frame.outcomes));
    const isMixed = new Set(outcomes).size > 1;
    return [
      { name, cells: gasCells(listIn(frame.ownGas)) },
      ...(isMixed ? [{ name: `${indent}  outcome`, cells: outcomes }] : []),
    ];
  });
}

function headed(name: string, rows: readonly Row[], columns: number): Row[] {
  return rows.length === 0
    ? []
    : [{ name, cells: Array<string>(columns).fill(''), isHeading: true }, ...rows];
}

/** True if only the gas limit makes the run fail. */
export function needsMoreGas({ gasUsedWithMore }: JsonRecord): boolean {
  return typeof gasUsedWithMore === 'string';
}

function rowsOf(answer: JsonRecord, runs: readonly JsonRecord[]): Row[] {
  const columns = runs.length;
  const storage = recordsIn(answer.storage).map(({ account, variable, slot, after }) => ({
    name: `  ${nameOf(account)} ${typeof variable === 'string' ? variable : `slot ${String(slot)}`}`,
    cells: storageCells(listIn(after)),
  }));
  const balances = recordsIn(answer.balances).map(({ account, after }) => ({
    name: `  ${nameOf(account)}`,
    cells: gasCells(listIn(after)),
  }));
  const logs = recordsIn(answer.logs).map(({ index, logs: values }) => ({
    name: `  log ${String(index)}`,
    cells: texts(listIn(values)),
  }));
  const reasons = runs.map(({ reason }) => reason ?? '');
  return [
    { name: 'outcome', cells: runs.map(({ outcome }) => String(outcome)) },
    ...(reasons.some((reason) => reason !== '') ? [{ name: 'reason', cells: texts(reasons) }] : []),
    { name: 'gas used', cells: gasCells(runs.map(({ gasUsed }) => gasUsed)) },
    ...(runs.some(needsMoreGas)
      ? [
          {
            name: 'gas used with a higher gas limit (succeeds)',
            cells: gasCells(runs.map(({ gasUsedWithMore }) => gasUsedWithMore)),
          },
        ]
      : []),
    ...headed('gas of each call (without inner calls)', frameRows(recordsIn(answer.frames)), columns),
    ...headed('logs', logs, columns),
    ...headed('final storage', storage, columns),
    ...headed('final balances in wei', balances, columns),
  ];
}

/** Returns the compared call, as decoded in the first run that executed it. */
export function comparedCall(answer: JsonRecord): string {
  for (const { inspection } of recordsIn(answer.runs)) {
    if (!isRecord(inspection) || !isRecord(inspection.call)) continue;
    const { to, call } = inspection.call;
    const entry = isRecord(call) ? `.${String(call.name)}` : '';
    return `${nameOf(to)}${entry}`;
  }
  return 'rejected under all hardforks';
}

/** Returns the table of a comparison. */
export function comparisonLines(answer: JsonRecord, style: TreeStyle): string[] {
  const runs = recordsIn(answer.runs);
  const hardforks = runs.map(({ hardfork }) => String(hardfork));
  return tableLines([{ name: '', cells: hardforks, isHeading: true }, ...rowsOf(answer, runs)], style);
}

/** The gas of all transactions with the same call, by run. */
export interface CallGas {
  readonly count: number;
  readonly gas: readonly bigint[];
}

/** Maximum calls of a summary. */
const MAX_CALLS = 20;

function largestChange({ gas: [first = 0n, ...others] }: CallGas): bigint {
  return others.reduce((largest, gas) => {
    const change = gas > first ? gas - first : first - gas;
    return change > largest ? change : largest;
  }, 0n);
}

/** Returns a table of the calls whose gas differs, with the largest change first. */
export function callGasLines(
  calls: ReadonlyMap<string, CallGas>,
  hardforks: readonly string[],
  style: TreeStyle,
): string[] {
  const changed = [...calls].filter(([, call]) => largestChange(call) > 0n);
  if (changed.length === 0) return [];
  const sorted = changed.sort(([, left], [, right]) =>
    largestChange(right) > largestChange(left) ? 1 : largestChange(right) < largestChange(left) ? -1 : 0,
  );
  const rows = sorted.slice(0, MAX_CALLS).map(([name, { count, gas }]) => ({
    name,
    cells: [String(count), ...changesOf(gas)],
  }));
  const head = { name: 'gas by call', cells: ['count', ...hardforks], isHeading: true };
  const rest = sorted.length - rows.length;
  const more = rest > 0 ? [style.dim(`${rest} more calls with smaller changes`)] : [];
  return [...tableLines([head, ...rows], style), ...more];
}

/** Returns amounts of gas. Later ones include the change from the first one, in percent too. */
export function changesOf(gas: readonly bigint[]): string[] {
  const [first = 0n] = gas;
  return gas.map((amount) => {
    const change = amount - first;
    if (change === 0n) return grouped(amount);
    const percent = first === 0n ? '' : `, ${signed((Number(change) * 100) / Number(first))} %`;
    return `${grouped(amount)} (${change > 0n ? '+' : '-'}${grouped(change > 0n ? change : -change)}${percent})`;
  });
}

function signed(number: number): string {
  return `${number < 0 ? '' : '+'}${number.toFixed(1)}`;
}

function tableLines(wanted: readonly Row[], style: TreeStyle): string[] {
  const rows = wanted.map(({ name, cells, ...rest }) => ({
    name: cut(name, MAX_NAME_LENGTH),
    cells: cutCells(cells),
    ...rest,
  }));
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const [{ cells: columns } = { cells: [] }] = rows;
  const widths = columns.map((_, run) => Math.max(...rows.map(({ cells }) => cells[run]?.length ?? 0)));
  return rows.map(({ name, cells, isHeading }) => {
    const padded = cells.map((cell, run) => cell.padEnd(widths[run] ?? 0));
    const line = [name.padEnd(nameWidth), ...padded].join('  ').trimEnd();
    return isHeading === true ? style.dim(line) : style.plain(line);
  });
}

/** Returns the names of further differences, if outcome, reason and gas of all runs are equal. */
function otherDifferences(answer: JsonRecord, runs: readonly JsonRecord[]): string[] {
  const seen = runs.map(({ outcome, reason, gasUsed }) => [outcome, reason, gasUsed].join());
  if (new Set(seen).size > 1) return [];
  return ['frames', 'logs', 'storage', 'balances'].filter((part) => listIn(answer[part]).length > 0);
}

/** Returns a comparison on one line: outcome and gas of each run, or the further differences. */
export function comparisonLine(answer: JsonRecord): string {
  const runs = recordsIn(answer.runs);
  const gas = gasCells(runs.map(({ gasUsed }) => gasUsed));
  const higher = gasCells(runs.map(({ gasUsed, gasUsedWithMore }) => gasUsedWithMore ?? gasUsed));
  const others = otherDifferences(answer, runs);
  const parts = runs.map((each, run) => {
    const { hardfork, outcome, reason } = each;
    if (needsMoreGas(each))
      return `${String(hardfork)}: ${String(reason)}; succeeds with ${higher[run]} gas and a higher gas limit`;
    const why = outcome === 'success' ? '' : `, ${String(reason)}`;
    return `${String(hardfork)}: ${String(outcome)}${gas[run] === NONE ? '' : `, ${gas[run]} gas`}${why}`;
  });
  return [...parts, ...(others.length === 0 ? [] : [`different ${others.join(' and ')}`])].join('; ');
}

/** Maximum characters of a line. Paths, names and bytes can be long. */
const MAX_LINE_LENGTH = 5_000;

/** Returns a style with or without colours. */
export async function styleOf(options: NodeOptions, host: Host): Promise<TreeStyle> {
  const clean = (text: string): string => printable(text, MAX_LINE_LENGTH);
  if (!hasColors(options, host)) return { plain: clean, contract: clean, failed: clean, dim: clean };
  const { Chalk } = await import('chalk');
  const { cyan, dim, red } = new Chalk({ level: 1 });
  return {
    plain: clean,
    contract: (text) => cyan(clean(text)),
    failed: (text) => red(clean(text)),
    dim: (text) => dim(clean(text)),
  };
}

interface TextParts {
  /** True to add the addresses and the bytes of each call. */
  readonly isDetailed: boolean;
  /** The gas limit of the transaction, `null` if unknown; absent for a call, whose text has no total. */
  readonly gasLimit?: bigint | null;
}

export function inspectionText(
  { call, gasUsed, failure, stackTrace, labels, changes }: Inspection,
  style: TreeStyle,
  { isDetailed, gasLimit }: TextParts,
): string {
  const names = new Map(labels.map(({ address, name }) => [address, name]));
  const labelOf = (address: string): string | null => names.get(address.toLowerCase()) ?? null;
  const lines = treeLines(call, { style, labelOf, isDetailed });
  if (gasLimit !== undefined) {
    const limit = gasLimit === null ? '' : ` of ${grouped(gasLimit)}`;
    lines.push(style.plain(`Gas used: ${grouped(gasUsed)}${limit}`));
  }
  lines.push(...changeLines(changes, style));
  if (failure !== null) {
    lines.push('', style.failed(`Error: ${failure.message}`));
    if (stackTrace.length > 0) lines.push(...stackText(stackTrace).split('\n').map(style.dim));
  }
  return `${lines.join('\n')}\n`;
}
