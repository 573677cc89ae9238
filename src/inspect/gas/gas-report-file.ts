/** Writes a gas report in the form that its file's name asks for. */

import type { GasComparison } from './gas-difference.ts';
import type { GasReport } from './gas-report.ts';
import {
  type BaselineFacts,
  differenceLines,
  gasReportLines,
  gasReportMarkdown,
  type TableStyle,
} from './gas-table.ts';

/** A comparison with an earlier report. */
export interface ComparedGas {
  readonly comparison: GasComparison;
  readonly baseline: BaselineFacts;
}

const plain = (text: string): string => text;
const PLAIN: TableStyle = { bold: plain, dim: plain, bad: plain };
/** Characters of a line of a text file. */
const FILE_WIDTH = 120;

/** Returns the content of a file of that name: JSON for `.json`, Markdown for `.md`, else the table as text. */
export function gasReportContent(name: string, report: GasReport, compared: ComparedGas | null): string {
  if (/\.json$/i.test(name)) return `${JSON.stringify(report, null, 2)}\n`;
  if (/\.(?:md|markdown)$/i.test(name)) return gasReportMarkdown(report, compared);
  const lines = gasReportLines(report, FILE_WIDTH, PLAIN);
  const different =
    compared === null ? [] : ['', ...differenceLines(compared.comparison, compared.baseline, PLAIN)];
  return `${[...lines, ...different].join('\n')}\n`;
}
