/** The text of calls and differences as commands write it: in colours on a terminal, as text elsewhere. */

import { printable } from '../../config/errors.ts';
import type { NodeOptions } from '../../config/options.ts';
import { changeLines } from '../../inspect/change-text.ts';
import type { Inspection } from '../../inspect/inspection.ts';
import { stackText, type TreeStyle, treeLines } from '../../inspect/tree-text.ts';
import type { Host } from '../host.ts';

/** Characters of one line; paths, names and bytes can be long. */
const LONGEST_LINE = 5_000;

/** Resolves to the way in which parts of lines are written: in colours on a terminal, unless these are refused. */
export async function styleOf({ noColor }: NodeOptions, { output, environment }: Host): Promise<TreeStyle> {
  const clean = (text: string): string => printable(text, LONGEST_LINE);
  if (!output.isTerminal || noColor || (environment.NO_COLOR ?? '') !== '')
    return { plain: clean, contract: clean, failed: clean, dim: clean };
  const { Chalk } = await import('chalk');
  const { cyan, dim, red } = new Chalk({ level: 1 });
  return {
    plain: clean,
    contract: (text) => cyan(clean(text)),
    failed: (text) => red(clean(text)),
    dim: (text) => dim(clean(text)),
  };
}

/** Returns the text of an inspection; `isDetailed` adds the addresses and the bytes of each call. */
export function inspectionText(
  { call, failure, stackTrace, labels, changes }: Inspection,
  style: TreeStyle,
  isDetailed: boolean,
): string {
  const names = new Map(labels.map(({ address, name }) => [address, name]));
  const labelOf = (address: string): string | null => names.get(address) ?? null;
  const lines = [...treeLines(call, { style, labelOf, isDetailed }), ...changeLines(changes, style)];
  if (failure !== null) {
    lines.push('', style.failed(`Error: ${failure.message}`));
    if (stackTrace.length > 0) lines.push(...stackText(stackTrace).split('\n').map(style.dim));
  }
  return `${lines.join('\n')}\n`;
}
