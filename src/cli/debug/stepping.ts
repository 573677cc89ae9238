/** The step where a request of the editor moves the execution. */

import type { DebugThread } from './debug-thread.ts';

export type Granularity = 'instruction' | 'statement';

export type StepRequest = 'next' | 'stepIn' | 'stepOut';

const BY_STATEMENT = { next: 'stepOver', stepIn: 'nextStop', stepOut: 'stepOut' } as const;

/** Returns the step after a step forward; `null` for the end of the execution. */
export function stepForward(
  { timeline, position }: DebugThread,
  request: StepRequest,
  granularity: Granularity,
): number | null {
  if (granularity === 'statement') return timeline[BY_STATEMENT[request]](position);
  if (request === 'next') return timeline.instructionOver(position);
  if (request === 'stepOut') return timeline.instructionOut(position);
  return position + 1 < timeline.count ? position + 1 : null;
}

/** Returns the step before; `null` for the first statement. */
export function stepBackward({ timeline, position }: DebugThread, granularity: Granularity): number | null {
  return granularity === 'instruction' ? Math.max(0, position - 1) : timeline.previousStop(position);
}
