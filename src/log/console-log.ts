import { printable } from '../config/printable.ts';
import type { ConsoleEntry } from './log-entries.ts';
import type { Style } from './style.ts';

const LONGEST_LINE = 10_000;

/** The lines of a text of a contract; tabs stay, anything else that moves a cursor is made visible. */
function linesOf(text: string): string[] {
  return text.split(/\r?\n/).map((line) =>
    line
      .split('\t')
      .map((cell) => printable(cell, LONGEST_LINE))
      .join('\t'),
  );
}

/** What contracts told the console, below the name of who said it, each line with two spaces in front. */
export function consoleLines({ messages, omitted }: ConsoleEntry, style: Style): string[] {
  const lines: string[] = [];
  let speaker: string | null = null;
  for (const { contract, text } of messages) {
    if (contract !== speaker) lines.push(`  console.log of ${contract}:`);
    speaker = contract;
    lines.push(...linesOf(text).map((line) => `    ${line}`));
  }
  if (omitted > 0) lines.push(`  ${style.dim(`console.log: ${omitted} more calls were not kept`)}`);
  return lines;
}
