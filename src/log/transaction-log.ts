import { printable } from '../config/printable.ts';
import { readableAmount } from './amounts.ts';
import { consoleLines } from './console-log.ts';
import type { BlockEntry, TransactionEntry } from './log-entries.ts';
import type { Style } from './style.ts';

const INDENT = '  ';

/** Words of a custom error that are shown. */
const MOST_ARGUMENTS = 16;

/** Milliseconds since 1970 after which there is no date in JavaScript. */
const LAST_DATE = 8.64e15;

/** Seconds since 1970 as a date and as they are. */
function timeText(seconds: number): string {
  const milliseconds = seconds * 1_000;
  if (milliseconds > LAST_DATE) return String(seconds);
  return `${new Date(milliseconds).toISOString().replace('.000Z', 'Z')} (${seconds})`;
}

function subjectOf(entry: TransactionEntry): (readonly [string, string])[] {
  switch (entry.kind) {
    case 'deployment':
      return entry.contractAddress === null ? [] : [['Contract deployment', entry.contractAddress]];
    case 'call':
      return [
        ['Contract call', entry.selector === null ? 'no function selector' : `selector ${entry.selector}`],
      ];
    case 'transfer':
      return [];
  }
}

/** The facts of a transaction as two aligned columns, and below them what its code told the console, and why it failed, if it did. */
function transactionLines(entry: TransactionEntry, block: BlockEntry, style: Style): string[] {
  const facts: (readonly [string, string])[] = [
    ...subjectOf(entry),
    ['Transaction', entry.hash],
    ['From', entry.from],
    ...(entry.to === null ? [] : [['To', entry.to] as const]),
    ['Value', readableAmount(entry.value)],
    ['Gas used', `${entry.gasUsed} of ${entry.gasLimit}`],
    [`Block #${block.number}`, block.hash],
    ['Block time', timeText(block.timestamp)],
    ...(block.lane === undefined ? [] : [['Lane', block.lane] as const]),
  ];
  const width = Math.max(...facts.map(([name]) => name.length)) + 3;
  const lines = facts.map(([name, value]) => `${INDENT}${`${name}:`.padEnd(width)}${value}`);
  if (entry.calledWithoutCode) {
    lines.push(`${INDENT}${style.warning('Warning: data was sent to an account that is not a contract')}`);
  }
  if (entry.console !== null) lines.push('', ...consoleLines(entry.console, style));
  if (entry.failure !== null) {
    lines.push('', `${INDENT}${style.bad(`Error: ${printable(entry.failure)}`)}`);
    lines.push(...argumentLines(entry.errorArguments));
  }
  return [...lines, ''];
}

/** The words behind the selector of a custom error, below each other. */
function argumentLines(words: readonly string[]): string[] {
  const more = words.length - MOST_ARGUMENTS;
  const lines = words.slice(0, MOST_ARGUMENTS).map((word) => `${INDENT.repeat(2)}${word}`);
  return more > 0 ? [...lines, `${INDENT.repeat(2)}… and ${more} words more`] : lines;
}

/**
 * A block that holds transactions: a heading, unless it holds a single one and stands below its request, then the facts
 * of each.
 */
export function blockLines(block: BlockEntry, isBelowItsRequest: boolean, style: Style): string[] {
  const count = block.transactions.length;
  const content = count === 1 ? '' : ` with ${count} transactions`;
  const heading =
    count === 1 && isBelowItsRequest
      ? []
      : [style.bold(`Mined block #${block.number}${onLane(block.lane)}${content}`)];
  return [...heading, ...block.transactions.flatMap((entry) => transactionLines(entry, block, style))];
}

/** What names the lane in a line; nothing for the base chain. */
export function onLane(lane: string | undefined): string {
  return lane === undefined ? '' : ` on lane ${lane}`;
}

/** Empty blocks in a row. */
export interface EmptyBlocks {
  readonly first: number;
  readonly last: number;
  /** Seconds since 1970 of the last one. */
  readonly timestamp: number;
  readonly lane: string | undefined;
}

/** Returns the line that stands for one or more empty blocks in a row. */
export function emptyBlocksLine({ first, last, timestamp, lane }: EmptyBlocks): string {
  const blocks = first === last ? `block #${first}` : `blocks #${first} to #${last}`;
  const which = first === last ? '' : ', the last';
  return `Mined empty ${blocks}${onLane(lane)}${which} at ${timeText(timestamp)}`;
}
