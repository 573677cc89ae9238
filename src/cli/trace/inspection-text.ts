/** Writes what a transaction or call did: the tree, what it changed, and the stack trace of one that failed. */

import { changeLines } from '../../inspect/change-text.ts';
import type { Inspection } from '../../inspect/inspection.ts';
import { stackText, type TreeStyle, treeLines } from '../../inspect/tree-text.ts';

/** Returns the text of an inspection; `isDetailed` adds the addresses and the bytes of each call. */
export function inspectionText(
  { call, failure, stackTrace, changes }: Inspection,
  style: TreeStyle,
  isDetailed: boolean,
): string {
  const lines = [...treeLines(call, { style, isDetailed }), ...changeLines(changes, style)];
  if (failure !== null) {
    lines.push('', style.failed(`Error: ${failure.message}`));
    if (stackTrace.length > 0) lines.push(...stackText(stackTrace).split('\n').map(style.dim));
  }
  return `${lines.join('\n')}\n`;
}
