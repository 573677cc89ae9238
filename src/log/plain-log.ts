import { printable } from '../config/printable.ts';
import { bannerLines, listeningLine, workLine } from './banner.ts';
import { consoleLines } from './console-log.ts';
import {
  type BlockEntry,
  type ConsoleEntry,
  internalErrorText,
  type RemovedEntry,
  type RequestEntry,
  type StartEntry,
  type WorkEntry,
} from './log-entries.ts';
import type { LogWriter, TextOutput } from './log-writer.ts';
import type { Style } from './style.ts';
import { blockLines, type EmptyBlocks, emptyBlocksLine, onLane } from './transaction-log.ts';

const LONGEST_METHOD = 80;

/** What was called: the method, and the lane if there is one. */
export type CalledMethod = Pick<RequestEntry, 'method' | 'lane'>;

/** The line of an answered call that was made `count` times in a row. */
export function requestLine({ method, lane }: CalledMethod, count: number, style: Style): string {
  const name = `${printable(method.slice(0, LONGEST_METHOD))}${onLane(lane)}`;
  return count === 1 ? name : `${name} ${style.dim(`(${count})`)}`;
}

/** The lines of a call that was answered with an error. */
export function failedRequestLines({ method, lane, error }: RequestEntry, style: Style): string[] {
  const name = `${style.bad(printable(method.slice(0, LONGEST_METHOD)))}${onLane(lane)}`;
  return error === null ? [name] : [name, `  Error ${error.code}: ${printable(error.message)}`];
}

/** What a plain log is made of. */
export interface PlainLogParts {
  readonly output: TextOutput;
  readonly errorOutput: TextOutput;
  readonly style: Style;
  /** True to write each request and each empty block on its own. */
  readonly isVerbose: boolean;
}

/** The last line, as long as another event of its kind may still be counted in it. */
type OpenLine =
  | { readonly kind: 'request'; readonly called: CalledMethod; readonly count: number }
  | { readonly kind: 'empty'; readonly blocks: EmptyBlocks; readonly isHeldBack: boolean }
  /** `isTakenBack`: any other line takes its place. Fetching goes on beside requests, and would stand between all of them. */
  | { readonly kind: 'work'; readonly isTakenBack: boolean }
  | { readonly kind: 'none' };

/** An empty block as a row of one. */
function asRow({ number, timestamp, lane }: BlockEntry): EmptyBlocks {
  return { first: number, last: number, timestamp, lane };
}

const NONE: OpenLine = { kind: 'none' };

/** The log that people read. */
export class PlainLog implements LogWriter {
  readonly #output: TextOutput;
  readonly #errorOutput: TextOutput;
  readonly #style: Style;
  readonly #isVerbose: boolean;
  #open: OpenLine = NONE;

  constructor({ output, errorOutput, style, isVerbose }: PlainLogParts) {
    this.#output = output;
    this.#errorOutput = errorOutput;
    this.#style = style;
    this.#isVerbose = isVerbose;
  }

  banner(entry: StartEntry): void {
    this.#write(bannerLines(entry, this.#style));
  }

  listening(url: string): void {
    this.#write([listeningLine(url)]);
  }

  request(entry: RequestEntry): void {
    if (this.#isVerbose || entry.error !== null) {
      const lines = failedRequestLines(entry, this.#style);
      this.#write(
        entry.error === null ? [`${requestLine(entry, 1, this.#style)} ${this.#took(entry)}`] : lines,
      );
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
    if (entry.transactions.length > 0) this.#write(blockLines(entry, isBelowItsRequest, this.#style));
    else if (this.#isVerbose) this.#write([`${emptyBlocksLine(asRow(entry))}, ${entry.hash}`]);
    else this.#emptyBlock(asRow(entry));
  }

  console(entry: ConsoleEntry, isBelowItsRequest: boolean, lane?: string): void {
    const heading = isBelowItsRequest ? [] : [this.#style.bold(`Logged in a call${onLane(lane)}`)];
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
    // Written lines cannot be taken back here, so the rest of the row is told once it has ended.
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
