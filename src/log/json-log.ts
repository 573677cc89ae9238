import type { WallClock } from '../primitives/clock.ts';
import { EntryLog } from './entry-log.ts';
import type { TextOutput } from './log-writer.ts';

/** The outputs and the clock of a JSON log. */
export interface JsonLogParts {
  readonly output: TextOutput;
  readonly errorOutput: TextOutput;
  readonly clock: WallClock;
}

/** The log that programs read: one object per line with `time` (ISO 8601) and `kind`; wei and gas are decimal texts. */
export class JsonLog extends EntryLog {
  constructor({ output, errorOutput, clock }: JsonLogParts) {
    super(clock, (entry, isProblem) => {
      (isProblem ? errorOutput : output).write(`${JSON.stringify(entry)}\n`);
    });
  }
}
