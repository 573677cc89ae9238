/** Formats gas reports and comparisons: as a table for a terminal, as Markdown, or by file extension. */

import { grouped } from '../../primitives/grouped.ts';
import type { FigureChange, GasComparison, GasDifference } from './gas-difference.ts';
import type { ChainGas, ContractGas, DeploymentGas, GasFigures, GasReport } from './gas-report.ts';

/** Formats parts of a table. Each function returns its text, with or without colour codes. */
export interface TableStyle {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bad: (text: string) => string;
}

const COLUMNS = ['calls', 'reverted', 'min', 'average', 'median', 'max'] as const;
/** Characters between two columns. */
const GAP = 2;
const INDENT = 2;
/** Minimum width of the name column. */
const MIN_NAME = 16;

interface Row {
  readonly name: string;
  /** Empty for a row without figures. */
  readonly cells: readonly string[];
  readonly kind: 'contract' | 'function' | 'internal' | 'note';
}

function cellsOf(figures: GasFigures): string[] {
  const { calls, reverted, min, average, median, max, isMedianExact } = figures;
  const middle = `${isMedianExact ? '' : '~'}${grouped(median)}`;
  return [
    grouped(calls),
    reverted === 0 ? '-' : grouped(reverted),
    grouped(min),
    grouped(average),
    middle,
    grouped(max),
  ];
}

function percentText(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** Returns `2,311 bytes (9.4 %), initcode 2,640 (5.4 %)`. */
function sizeText({ codeSize, codeSizeShare, initcodeSize, initcodeSizeShare }: DeploymentGas): string {
  const code =
    codeSize === 0 ? '' : `code ${grouped(codeSize)} bytes (${percentText(codeSizeShare)} of limit), `;
  return `${code}initcode ${grouped(initcodeSize)} (${percentText(initcodeSizeShare)})`;
}

/** Replaces control characters in an untrusted name, because a terminal would interpret them. */
function shown(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?');
}

function headingOf({ name, source, address, proxies }: ContractGas): string {
  const unknown = address === null ? '' : ' (no artifact)';
  const place = source === null ? unknown : ` (${source})`;
  const behind = proxies.length === 0 ? '' : `, behind ${proxies.join(', ')}`;
  return shown(`${name}${place}${behind}`);
}

/** The label of the row of calls by other contracts, below the row of transactions. */
const INTERNAL = 'from contracts';

function rowsOf(name: string, transactions: GasFigures | null, internal: GasFigures | null): Row[] {
  const rows: Row[] = [];
  if (transactions !== null) rows.push({ name, cells: cellsOf(transactions), kind: 'function' });
  if (internal === null) return rows;
  if (transactions === null) rows.push({ name, cells: [], kind: 'function' });
  return [...rows, { name: INTERNAL, cells: cellsOf(internal), kind: 'internal' }];
}

function contractRows(contract: ContractGas): Row[] {
  const { deployments, functions } = contract;
  const rows: Row[] = [{ name: headingOf(contract), cells: [], kind: 'contract' }];
  if (deployments !== null) {
    rows.push(...rowsOf('deployment', deployments.transactions, deployments.internal));
    rows.push({ name: sizeText(deployments), cells: [], kind: 'note' });
  }
  for (const { name, isGuess, transactions, internal } of functions)
    rows.push(...rowsOf(shown(`${name}${isGuess ? ' (guess)' : ''}`), transactions, internal));
  return rows;
}

const INDENTS: Readonly<Record<Row['kind'], number>> = {
  contract: 0,
  function: INDENT,
  internal: 2 * INDENT,
  note: 2 * INDENT,
};

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
}

/** Returns the totals: `18 transactions (2 failed, 1 transfer), 1,741,835 gas`. */
function sumText({ transactions, transfers, omittedCalls }: ChainGas): string {
  if (transactions === null) return 'no transactions';
  const { reverted, calls, total } = transactions;
  const parts = [
    ...(reverted === 0 ? [] : [`${grouped(reverted)} failed`]),
    ...(transfers === null ? [] : [counted(transfers.calls, 'transfer')]),
  ];
  const among = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  const omitted = omittedCalls === 0 ? '' : `; ${counted(omittedCalls, 'internal call')} not counted`;
  return `${counted(calls, 'transaction')}${among}, ${grouped(total)} gas${omitted}`;
}

function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns the table of one chain for this line width. */
function chainLines(chain: ChainGas, width: number, style: TableStyle): string[] {
  const rows = chain.contracts.flatMap(contractRows);
  if (rows.length === 0) return [];
  const widths = COLUMNS.map((column, index) =>
    Math.max(column.length, ...rows.map(({ cells }) => cells[index]?.length ?? 0)),
  );
  const figures = widths.reduce((sum, column) => sum + column + GAP, 0);
  const longest = Math.max(
    ...rows.filter(({ cells }) => cells.length > 0).map(({ name, kind }) => INDENTS[kind] + name.length),
  );
  const nameWidth = Math.max(MIN_NAME, Math.min(longest, width - figures));
  const line = (name: string, cells: readonly string[]): string =>
    `${cut(name, nameWidth).padEnd(nameWidth)}${cells.map((cell, index) => cell.padStart((widths[index] ?? 0) + GAP)).join('')}`;
  const lines = [style.dim(line('', COLUMNS))];
  for (const { name, cells, kind } of rows) {
    const text = `${' '.repeat(INDENTS[kind])}${name}`;
    if (kind === 'contract') lines.push('', style.bold(cut(text, width)));
    else if (cells.length === 0) lines.push(kind === 'note' ? style.dim(cut(text, width)) : cut(text, width));
    else lines.push(kind === 'internal' ? style.dim(line(text, cells)) : line(text, cells));
  }
  return lines;
}

/** Returns the report as a table of this width, with one line per lane instead of the lane tables. */
export function gasReportLines(report: GasReport, width: number, style: TableStyle): string[] {
  const lines = [style.bold(`Gas report: ${sumText(report)}`), ...chainLines(report, width, style)];
  if (report.lanes.length === 0) return lines;
  lines.push('', style.bold('Lanes'));
  const most = Math.max(...report.lanes.map(({ lane }) => laneName(lane).length));
  for (const { lane, ...chain } of report.lanes)
    lines.push(cut(`  ${laneName(lane).padEnd(most)}  ${sumText(chain)}`, width));
  if (report.hasMoreLanes) lines.push(style.dim('  … more lanes: not listed, but included in the totals'));
  return lines;
}

function laneName(lane: string | null): string {
  return lane ?? '/ (base chain)';
}

/** Returns the differences from an earlier report as lines. */
export function differenceLines(
  comparison: GasComparison,
  { name, tolerance }: BaselineFacts,
  style: TableStyle,
): string[] {
  const { differences, isBeyond } = comparison;
  const lines = [style.bold(`Compared with ${name}: ${comparisonText(comparison)}`)];
  const width = Math.max(0, ...differences.map((difference) => subjectOf(difference).length));
  for (const difference of differences) {
    const subject = subjectOf(difference);
    if (difference.status !== 'changed') lines.push(`  ${subject.padEnd(width)}  ${difference.status}`);
    for (const [index, change] of difference.changes.entries()) {
      const text = `  ${(index === 0 ? subject : '').padEnd(width)}  ${changeText(change)}`;
      lines.push(change.isBeyond ? style.bad(`${text}  above ${tolerance} %`) : text);
    }
  }
  if (tolerance !== null && !isBeyond) lines.push(`  no average or median grew by more than ${tolerance} %`);
  return lines;
}

/** The earlier report and the tolerance. */
export interface BaselineFacts {
  /** The name of its file. */
  readonly name: string;
  /** In percent; `null` for no limit. */
  readonly tolerance: number | null;
}

function comparisonText({ differences, unchanged }: GasComparison): string {
  const of = (status: GasDifference['status']): number =>
    differences.filter((difference) => difference.status === status).length;
  return `${of('changed')} changed, ${of('new')} new, ${of('removed')} removed, ${unchanged} unchanged`;
}

function subjectOf({ contract, function: name }: GasDifference): string {
  return shown(name === null ? `${contract} deployment` : `${contract}.${name}`);
}

function changeText({ kind, figure, before, after, percent }: FigureChange): string {
  const sign = percent > 0 ? '+' : '';
  const grown = Number.isFinite(percent) ? `${sign}${percent.toFixed(2)} %` : 'from nothing';
  const place = kind === 'internal' ? ` ${INTERNAL}` : '';
  return `${figure}${place} ${grouped(before)} → ${grouped(after)} (${grown})`;
}

/** Escapes text for a Markdown table cell. */
function markdownText(text: string): string {
  return text.replace(/[\\|<>`*_[\]]/g, (mark) => `\\${mark}`);
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function chainMarkdown(chain: ChainGas, heading: string): string[] {
  const lines: string[] = [];
  for (const contract of chain.contracts) {
    const [, ...rows] = contractRows(contract);
    const { deployments } = contract;
    lines.push('', `${heading} ${markdownText(headingOf(contract))}`, '');
    if (deployments !== null) lines.push(`Deployed: ${sizeText(deployments)}.`, '');
    lines.push(markdownRow(['', ...COLUMNS]), `| --- |${COLUMNS.map(() => ' ---: |').join('')}`);
    for (const { name, cells, kind } of rows) {
      if (kind === 'note') continue;
      const shown = kind === 'internal' ? `… ${name}` : markdownText(name);
      lines.push(markdownRow([shown, ...COLUMNS.map((_, index) => cells[index] ?? '')]));
    }
  }
  return lines;
}

/** Returns the report as Markdown, with the tables of each lane and the comparison, if any. */
function gasReportMarkdown(
  report: GasReport,
  compared: { readonly comparison: GasComparison; readonly baseline: BaselineFacts } | null,
): string {
  const lines = ['# Gas report', '', `${sumText(report)}.`];
  if (compared !== null) lines.push(...differenceMarkdown(compared.comparison, compared.baseline));
  lines.push(...chainMarkdown(report, '##'));
  for (const { lane, ...chain } of report.lanes) {
    lines.push('', `## Lane ${markdownText(laneName(lane))}`, '', `${sumText(chain)}.`);
    lines.push(...chainMarkdown(chain, '###'));
  }
  return `${lines.join('\n')}\n`;
}

function differenceMarkdown(comparison: GasComparison, { name, tolerance }: BaselineFacts): string[] {
  const lines = ['', `Compared with ${markdownText(name)}: ${comparisonText(comparison)}.`];
  if (comparison.differences.length === 0) return lines;
  lines.push('', '| | change |', '| --- | --- |');
  for (const difference of comparison.differences) {
    const texts = difference.changes.map((change) => {
      const text = changeText(change);
      return change.isBeyond ? `**${text}, above ${tolerance} %**` : text;
    });
    const change = difference.status === 'changed' ? texts.join('<br>') : difference.status;
    lines.push(markdownRow([markdownText(subjectOf(difference)), change]));
  }
  return lines;
}

export interface ComparedGas {
  readonly comparison: GasComparison;
  readonly baseline: BaselineFacts;
}

const plain = (text: string): string => text;
const PLAIN: TableStyle = { bold: plain, dim: plain, bad: plain };
/** Characters per line of a text file. */
const FILE_WIDTH = 120;

/** Returns the file content by its extension: JSON for `.json`, Markdown for `.md`, otherwise the table. */
export function gasReportContent(name: string, report: GasReport, compared: ComparedGas | null): string {
  if (/\.json$/i.test(name)) return `${JSON.stringify(report, null, 2)}\n`;
  if (/\.(?:md|markdown)$/i.test(name)) return gasReportMarkdown(report, compared);
  const lines = gasReportLines(report, FILE_WIDTH, PLAIN);
  const different =
    compared === null ? [] : ['', ...differenceLines(compared.comparison, compared.baseline, PLAIN)];
  return `${[...lines, ...different].join('\n')}\n`;
}
