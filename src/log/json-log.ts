import type { WallClock } from '../primitives/clock.ts';
import type {
  BlockEntry,
  ConsoleEntry,
  RemovedEntry,
  RequestEntry,
  StartEntry,
  WorkEntry,
} from './log-entries.ts';
import { internalErrorText } from './log-entries.ts';
import type { LogWriter, TextOutput } from './log-writer.ts';

/** The outputs and the clock of a JSON log. */
export interface JsonLogParts {
  readonly output: TextOutput;
  readonly errorOutput: TextOutput;
  readonly clock: WallClock;
}

/** The log that programs read: one object per line with `time` (ISO 8601) and `kind`; wei and gas are decimal texts. */
export class JsonLog implements LogWriter {
  readonly #output: TextOutput;
  readonly #errorOutput: TextOutput;
  readonly #clock: WallClock;

  constructor({ output, errorOutput, clock }: JsonLogParts) {
    this.#output = output;
    this.#errorOutput = errorOutput;
    this.#clock = clock;
  }

  banner(entry: StartEntry): void {
    this.#write(this.#output, 'banner', entry);
  }

  listening(url: string): void {
    this.#write(this.#output, 'listening', { url });
  }

  request({ method, durationMs, lane, error }: RequestEntry): void {
    const told = { ...(lane === undefined ? {} : { lane }), ...(error === null ? {} : { error }) };
    this.#write(this.#output, 'request', { method, durationMs, ...told });
  }

  block({ transactions, ...block }: BlockEntry): void {
    this.#write(this.#output, 'block', { ...block, transactionCount: transactions.length });
    for (const { kind, console: told, ...transaction } of transactions) {
      const lane = block.lane === undefined ? {} : { lane: block.lane };
      const place = { ...lane, blockNumber: block.number, blockHash: block.hash };
      this.#write(this.#output, 'transaction', { purpose: kind, ...transaction, ...place });
      if (told !== null) this.#console(told, { transactionHash: transaction.hash, ...place });
    }
  }

  console(entry: ConsoleEntry, _isBelowItsRequest: boolean, lane?: string): void {
    this.#console(entry, lane === undefined ? {} : { lane });
  }

  removed(entry: RemovedEntry): void {
    this.#write(this.#output, 'removed', entry);
  }

  notice(text: string): void {
    this.#write(this.#output, 'notice', { text });
  }

  problem(text: string): void {
    this.#write(this.#errorOutput, 'problem', { text });
  }

  work({ activity, ...entry }: WorkEntry): void {
    if (entry.stage === 'going') return;
    const place = 'path' in entry ? { path: entry.path } : { host: entry.host };
    this.#write(this.#output, activity, entry.stage === 'begun' ? { ...place, stage: 'begun' } : entry);
  }

  internalError(error: unknown): void {
    this.#write(this.#errorOutput, 'internal-error', { error: internalErrorText(error) });
  }

  flush(): void {
    // Every line is written at once.
  }

  #console({ messages, omitted }: ConsoleEntry, place: object): void {
    for (const message of messages) this.#write(this.#output, 'console', { ...message, ...place });
    if (omitted > 0) this.#write(this.#output, 'console-omitted', { calls: omitted, ...place });
  }

  #write(output: TextOutput, kind: string, facts: object): void {
    const entry = { time: new Date(this.#clock.now()).toISOString(), kind, ...facts };
    output.write(
      `${JSON.stringify(entry, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))}\n`,
    );
  }
}
