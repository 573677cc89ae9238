import { printable } from '../config/errors.ts';
import { parentTransactionFacts } from '../inspect/parent-transaction-text.ts';
import { readableAmount } from '../primitives/ether.ts';
import { bannerLines, listeningLine, workLine } from './banner.ts';
import { consoleLines } from './console-log.ts';
import {
  type BlockEntry,
  type ConsoleEntry,
  type ExplainedFacts,
  internalErrorText,
  type RemovedEntry,
  type RequestEntry,
  type StartEntry,
  type TransactionEntry,
  type WorkEntry,
} from './log-entries.ts';
import type { LogWriter, Style, TextOutput } from './log-writer.ts';

const INDENT = '  ';

/** Maximum words of a custom error in the log. */
const MAX_ARGUMENTS = 16;

/** Latest date of JavaScript, in milliseconds since 1970. */
const LAST_DATE = 8.64e15;

/** Formats seconds since 1970 as a date and a number. */
function timeText(seconds: number): string {
  const milliseconds = seconds * 1_000;
  if (milliseconds > LAST_DATE) return String(seconds);
  return `${new Date(milliseconds).toISOString().replace('.000Z', 'Z')} (${seconds})`;
}

/** The name and the text of a line. */
type Fact = readonly [name: string, text: string];

function subjectOf(entry: TransactionEntry): Fact[] {
  const { subject = null } = entry;
  switch (entry.kind) {
    case 'deployment': {
      // A failed creation leaves no contract at its address.
      const end = entry.failure === null ? entry.contractAddress : 'failed';
      if (end === null) return subject === null ? [] : [['Contract deployment', printable(subject)]];
      const place = entry.failure === null ? `at ${end}` : end;
      return [['Contract deployment', subject === null ? end : `${printable(subject)} ${place}`]];
    }
    case 'call': {
      const selector = entry.selector === null ? 'no function selector' : `selector ${entry.selector}`;
      return [['Contract call', subject === null ? selector : printable(subject)]];
    }
    case 'transfer':
      return [];
  }
}

/** The style, and the explorer's URL for links to failures; `null` without explorer. */
interface Look {
  readonly style: Style;
  readonly page: string | null;
}

/** Returns two aligned columns, followed by console output and the reason of a failure. */
function transactionLines(entry: TransactionEntry, block: BlockEntry, { style, page }: Look): string[] {
  const facts: Fact[] = [
    ...subjectOf(entry),
    ['Transaction', entry.hash],
    ['From', labelled(entry.from, entry.fromLabel)],
    ...(entry.to === null ? [] : [['To', labelled(entry.to, entry.toLabel)] as const]),
    ['Value', readableAmount(entry.value)],
    ['Gas used', `${entry.gasUsed} of ${entry.gasLimit}`],
    [`Block #${block.number}`, block.hash],
    ['Block time', timeText(block.timestamp)],
    ...(block.lane === undefined ? [] : [['Lane', block.lane] as const]),
    ...eventFacts(entry),
    ...bridgeFacts(entry),
  ];
  const width = Math.max(...facts.map(([name]) => name.length)) + 3;
  const lines = facts.map(([name, value]) => `${INDENT}${`${name}:`.padEnd(width)}${value}`);
  if (entry.calledWithoutCode) {
    lines.push(
      `${INDENT}${style.warning('Warning: the recipient of this call has no code; check the address')}`,
    );
  }
  if (entry.console !== null) lines.push('', ...consoleLines(entry.console, style));
  if (entry.failure !== null) {
    lines.push('', `${INDENT}${style.bad(`Error: ${printable(entry.failure)}`)}`);
    lines.push(...argumentLines(entry));
    lines.push(...stackLines(entry, style));
  }
  const tree = treeLinesOf(entry, entry.failure);
  if (tree.length > 0) lines.push('', ...tree);
  if (entry.failure !== null) lines.push(...linkLines(page, block, `tx/${entry.hash}`));
  return [...lines, ''];
}

/** Returns a link to the explorer; empty without explorer, or if the lane's path is secret. */
function linkLines(
  page: string | null,
  { lane, lanePath }: Pick<RequestEntry, 'lane' | 'lanePath'>,
  view: string,
): string[] {
  if (page === null || (lane !== undefined && lanePath === undefined)) return [];
  return [`${INDENT}See ${page}${lanePath === undefined ? '' : `/${lanePath}`}/_/${view}`];
}

/** Returns `alice (0x…)`, or the address if it has no label. */
function labelled(address: string, label: string | undefined): string {
  return label === undefined ? address : `${printable(label)} (${address})`;
}

function stackLines({ stack = '' }: ExplainedFacts, style: Style): string[] {
  const places = stack === '' ? [] : stack.split('\n');
  return places.map((line) => style.dim(`${INDENT}${printable(line)}`));
}

/** The gas at the end of a call's line. */
const GAS_AT_END = / (?:\d+ gas|\(frame: \d+ gas\))$/;

/** Removes the reason `failure` from a call's line, because the error line already contains it. */
function withoutReason(line: string, failure: string): string {
  const [gas = ''] = GAS_AT_END.exec(line) ?? [];
  const start = line.slice(0, line.length - gas.length);
  return start.endsWith(` ✗ ${failure}`) ? `${start.slice(0, -failure.length).trimEnd()}${gas}` : line;
}

/** Returns the lines of the call tree. Frames that failed with `failure` have only the mark ✗. */
function treeLinesOf({ tree = [] }: ExplainedFacts, failure: string | null): string[] {
  const lines = failure === null || failure === '' ? tree : tree.map((line) => withoutReason(line, failure));
  return lines.map((line) => `${INDENT}${printable(line, MAX_LINE_LENGTH)}`);
}

const MAX_LINE_LENGTH = 1_000;
/** Maximum events in the line of a transaction. */
const MAX_EVENTS = 4;

/** Returns the line of the events; empty if the tree contains them. */
function eventFacts({ events = [], tree = [] }: TransactionEntry): Fact[] {
  if (events.length === 0 || tree.length > 0) return [];
  const more = events.length > MAX_EVENTS ? `, and ${events.length - MAX_EVENTS} more` : '';
  return [
    [
      'Events',
      `${events
        .slice(0, MAX_EVENTS)
        .map((event) => printable(event))
        .join(', ')}${more}`,
    ],
  ];
}

/** Returns the lines of Bitcoin transactions and remarks; empty if the tree contains them. */
function bridgeFacts({ tree = [], parentTransactions = [], remarks = [] }: TransactionEntry): Fact[] {
  if (tree.length > 0) return [];
  return [
    ...parentTransactions.flatMap(parentTransactionFacts),
    ...remarks.map((text): Fact => ['Remark', text]),
  ].map(([name, text]) => [name, printable(text)]);
}

/** Returns the argument words of a custom error, one per line. */
function argumentLines({ errorArguments, errorArgumentCount }: TransactionEntry): string[] {
  const more = errorArgumentCount - MAX_ARGUMENTS;
  const lines = errorArguments.slice(0, MAX_ARGUMENTS).map((word) => `${INDENT.repeat(2)}${word}`);
  return more > 0
    ? [...lines, `${INDENT.repeat(2)}… and ${more} more ${more === 1 ? 'word' : 'words'}`]
    : lines;
}

/**
 * Returns the lines of a block with transactions. A single transaction below its request needs no heading.
 */
function blockLines(block: BlockEntry, isBelowItsRequest: boolean, look: Look): string[] {
  const count = block.transactions.length;
  const content = count === 1 ? '' : ` with ${count} transactions`;
  const heading =
    count === 1 && isBelowItsRequest
      ? []
      : [look.style.bold(`Mined block #${block.number}${onLane(block.lane)}${content}`)];
  return [...heading, ...block.transactions.flatMap((entry) => transactionLines(entry, block, look))];
}

/** An API key that shares the base chain with other keys. */
const API_KEY = /^API key \d+$/;

/** Returns the suffix with the lane, or with the API key on a shared chain; empty for the base chain. */
function onLane(lane: string | undefined): string {
  if (lane === undefined) return '';
  return API_KEY.test(lane) ? ` with ${lane}` : ` on lane ${lane}`;
}

/** Consecutive empty blocks. */
interface EmptyBlocks {
  readonly first: number;
  readonly last: number;
  /** Time of the last block in seconds since 1970. */
  readonly timestamp: number;
  readonly lane: string | undefined;
}

function emptyBlocksLine({ first, last, timestamp, lane }: EmptyBlocks): string {
  const blocks = first === last ? `block #${first}` : `blocks #${first} to #${last}`;
  const which = first === last ? '' : ', the last';
  return `Mined empty ${blocks}${onLane(lane)}${which} at ${timeText(timestamp)}`;
}

const MAX_METHOD_LENGTH = 80;

/** The called method and its lane. */
export type CalledMethod = Pick<RequestEntry, 'method' | 'lane'>;

/** Returns the line of an answered call that was repeated `count` times. */
function requestLine({ method, lane }: CalledMethod, count: number, style: Style): string {
  const name = `${printable(method.slice(0, MAX_METHOD_LENGTH))}${onLane(lane)}`;
  return count === 1 ? name : `${name} ${style.dim(`(${count})`)}`;
}

/** Returns the lines of a failed request. Like a transaction, a failed execution ends with a link. */
function failedRequestLines(entry: RequestEntry, { style, page }: Look): string[] {
  const { method, lane, error, subject = null, failure, failureNumber } = entry;
  const name = `${style.bad(printable(method.slice(0, MAX_METHOD_LENGTH)))}${onLane(lane)}`;
  const code = error === null ? '' : ` ${error.code}`;
  const reason = failure ?? (error?.message ?? '').replaceAll(/\s*\n\s*/g, ' ');
  const tree = treeLinesOf(entry, reason);
  const end = failureNumber === undefined ? [] : [...linkLines(page, entry, `failure/${failureNumber}`), ''];
  return [
    name,
    ...(subject === null ? [] : [`${INDENT}Contract call:  ${printable(subject)}`]),
    `${INDENT}Error${code}: ${printable(reason)}`,
    ...stackLines(entry, style),
    ...(tree.length === 0 ? [] : ['', ...tree]),
    ...warningLines(entry, style),
    ...end,
  ];
}

function warningLines({ warnings = [] }: RequestEntry, style: Style): string[] {
  return warnings.map((text) => `${INDENT}${style.warning(`Warning: ${printable(text)}`)}`);
}

export interface PlainLogOptions {
  readonly output: TextOutput;
  readonly errorOutput: TextOutput;
  readonly style: Style;
  /** True to write each request and each empty block separately. */
  readonly isVerbose: boolean;
  /** Characters per line of a report. */
  readonly width?: number;
}

/** The last line, if it can be updated for the next event of its kind. */
type OpenLine =
  | { readonly kind: 'request'; readonly called: CalledMethod; readonly count: number }
  | { readonly kind: 'empty'; readonly blocks: EmptyBlocks; readonly isHeldBack: boolean }
  /** `isTakenBack`: any other line replaces it. Fetching continues between requests. */
  | { readonly kind: 'work'; readonly isTakenBack: boolean }
  | { readonly kind: 'none' };

function asRow({ number, timestamp, lane }: BlockEntry): EmptyBlocks {
  return { first: number, last: number, timestamp, lane };
}

const NONE: OpenLine = { kind: 'none' };

/** Characters per line of a report if the terminal width is unknown. */
const REPORT_WIDTH = 100;

export class PlainLog implements LogWriter {
  readonly #output: TextOutput;
  readonly #errorOutput: TextOutput;
  readonly #style: Style;
  readonly #isVerbose: boolean;
  readonly #width: number;
  #open: OpenLine = NONE;
  #page: string | null = null;

  constructor({ output, errorOutput, style, isVerbose, width = REPORT_WIDTH }: PlainLogOptions) {
    this.#output = output;
    this.#errorOutput = errorOutput;
    this.#style = style;
    this.#isVerbose = isVerbose;
    this.#width = width;
  }

  banner(entry: StartEntry): void {
    // With API keys, the URL of the explorer contains a key, which the log must not contain.
    if (entry.servesExplorer && !entry.needsApiKey) this.#page = entry.url;
    this.#write(bannerLines(entry, this.#style));
  }

  listening(url: string): void {
    this.#write([listeningLine(url)]);
  }

  request(entry: RequestEntry, isToldBelow = false): void {
    const warnings = warningLines(entry, this.#style);
    if (entry.error !== null || entry.failure !== undefined) {
      const lines = failedRequestLines(entry, { style: this.#style, page: this.#page });
      this.#write(isToldBelow ? [...lines.slice(0, 1), ...warnings] : lines);
      return;
    }
    this.#succeededRequest(entry);
    if (warnings.length > 0) this.#write(warnings);
  }

  #succeededRequest(entry: RequestEntry): void {
    if (this.#isVerbose) {
      this.#write([`${requestLine(entry, 1, this.#style)} ${this.#took(entry)}`]);
      return;
    }
    const { method, lane } = entry;
    const erase = this.#style.eraseLineAbove;
    const open = this.#open;
    const isRepeated = open.kind === 'request' && open.called.method === method && open.called.lane === lane;
    const count = isRepeated && erase !== null ? open.count + 1 : 1;
    const line = requestLine(entry, count, this.#style);
    if (count === 1) this.#write([line]);
    else this.#output.write(`${erase}${line}\n`);
    this.#open = { kind: 'request', called: entry, count };
  }

  block(entry: BlockEntry, isBelowItsRequest: boolean): void {
    if (entry.transactions.length > 0)
      this.#write(blockLines(entry, isBelowItsRequest, { style: this.#style, page: this.#page }));
    else if (this.#isVerbose) this.#write([`${emptyBlocksLine(asRow(entry))}, ${entry.hash}`]);
    else this.#emptyBlock(asRow(entry));
  }

  console(entry: ConsoleEntry, isBelowItsRequest: boolean, lane?: string): void {
    const heading = isBelowItsRequest ? [] : [this.#style.bold(`Console output of a call${onLane(lane)}`)];
    this.#write([...heading, ...consoleLines(entry, this.#style), '']);
  }

  removed({ first, last, lane }: RemovedEntry): void {
    const blocks = first === last ? `block #${first}` : `blocks #${first} to #${last}`;
    this.#write([`Removed ${blocks}${onLane(lane)}`]);
  }

  notice(text: string): void {
    this.#write([`Note: ${text}`]);
  }

  problem(text: string): void {
    this.flush();
    this.#errorOutput.write(`node-cli: ${text}\n`);
  }

  work(entry: WorkEntry): void {
    const erase = this.#style.eraseLineAbove;
    if (entry.stage === 'going' && erase === null) return;
    if (erase !== null && this.#open.kind === 'work') {
      this.#output.write(`${erase}${workLine(entry, true)}\n`);
    } else this.#write([workLine(entry, erase !== null)]);
    this.#open = entry.stage === 'done' ? NONE : { kind: 'work', isTakenBack: entry.activity === 'fetch' };
  }

  report(_kind: string, _facts: object, lines: (style: Style, width: number) => readonly string[]): void {
    this.flush();
    this.#write(['', ...lines(this.#style, this.#width)]);
  }

  internalError(error: unknown): void {
    this.flush();
    this.#errorOutput.write(`node-cli: internal error: ${internalErrorText(error)}\n`);
  }

  flush(): void {
    this.#write([]);
  }

  #took({ durationMs }: RequestEntry): string {
    return this.#style.dim(`${durationMs} ms`);
  }

  #emptyBlock(block: EmptyBlocks): void {
    const erase = this.#style.eraseLineAbove;
    const open = this.#open;
    if (open.kind !== 'empty' || open.blocks.last !== block.first - 1 || open.blocks.lane !== block.lane) {
      this.#write([emptyBlocksLine(block)]);
      this.#open = { kind: 'empty', blocks: block, isHeldBack: false };
      return;
    }
    if (erase !== null) {
      const blocks = { ...block, first: open.blocks.first };
      this.#output.write(`${erase}${emptyBlocksLine(blocks)}\n`);
      this.#open = { ...open, blocks };
      return;
    }
    // Lines cannot be rewritten here, so the rest is written after the last empty block.
    const first = open.isHeldBack ? open.blocks.first : block.first;
    this.#open = { kind: 'empty', blocks: { ...block, first }, isHeldBack: true };
  }

  #write(lines: readonly string[]): void {
    const open = this.#open;
    const heldBack = open.kind === 'empty' && open.isHeldBack ? [emptyBlocksLine(open.blocks)] : [];
    const erase = open.kind === 'work' && open.isTakenBack ? (this.#style.eraseLineAbove ?? '') : '';
    this.#open = NONE;
    const text = [...heldBack, ...lines].map((line) => `${line}\n`).join('');
    if (erase !== '' || text !== '') this.#output.write(`${erase}${text}`);
  }
}
