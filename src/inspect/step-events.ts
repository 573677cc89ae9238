/** Finds the steps of events, console output and failures of an execution. */

import type { RecordedExecution, RecordedFrame } from './execution-recorder.ts';
import { failingPath } from './failing-path.ts';
import type { Failure } from './failure.ts';
import type { InspectedCall } from './inspection.ts';
import type { ContractsOfFrames } from './known-contracts.ts';
import type { Steps } from './steps.ts';
import { eventText } from './tree-text.ts';
import type { NameOfAddress } from './value-text.ts';

/** An event, a console message or a failed frame, with the step that caused it. */
export interface StepEvent {
  /** The step of the log or the console call; for a failure, the last step of the frame. */
  readonly step: number;
  readonly frame: number;
  readonly kind: 'event' | 'console' | 'failure';
  /** `Transfer(from: 0x…, to: 0x…, value: 5)`, the console text, or the reason of the failure. */
  readonly text: string;
  /** The contract's name; `null` if unknown. */
  readonly contract: string | null;
  /** The name of the error of a failure; absent if it has none. */
  readonly error?: string;
  /** True for a failure that the frame passes on from its last call. */
  readonly isPassedOn?: true;
  /** True for the first failure on the path to the failure of the execution. */
  readonly isCause?: true;
}

export interface StepEvents {
  /** In the order of the steps. */
  readonly events: readonly StepEvent[];
  /** The number of events beyond the limits. */
  readonly omittedEvents: number;
}

const MAX_EVENTS = 20_000;
/** Maximum characters of one text, and of all texts. */
const MAX_TEXT = 4_096;
const MAX_TEXTS = 8 * 2 ** 20;

/** The errors of the language, by kind of the revert reason. */
const LANGUAGE_ERRORS: Readonly<Record<string, string>> = { panic: 'Panic', text: 'Error' };

/** A recorded execution with its description. */
interface DescribedExecution {
  readonly recorded: RecordedExecution;
  readonly calls: ReadonlyMap<RecordedFrame, InspectedCall>;
  readonly contracts: ContractsOfFrames;
  /** The failure of the execution; `null` if it succeeded. */
  readonly failure: Failure | null;
}

/** Returns the events of all frames. */
export function stepEvents(
  { recorded: { root, frames }, calls, contracts, failure }: DescribedExecution,
  { callSteps, lastSteps, logSteps }: Pick<Steps, 'callSteps' | 'lastSteps' | 'logSteps'>,
  nameOf: NameOfAddress,
): StepEvents {
  const failed = failure === null ? undefined : failingPath(root, contracts).at(-1);
  const found: StepEvent[] = [];
  let left = MAX_TEXTS;
  let omittedEvents = 0;
  const add = (event: StepEvent): void => {
    if (found.length >= MAX_EVENTS || left <= 0) {
      omittedEvents++;
      return;
    }
    const text = event.text.length > MAX_TEXT ? `${event.text.slice(0, MAX_TEXT)}…` : event.text;
    left -= text.length;
    found.push({ ...event, text });
  };
  for (const recorded of frames) {
    const { index: frame, items } = recorded;
    const call = calls.get(recorded);
    if (call === undefined) continue;
    const contract = contracts[frame]?.name ?? null;
    let logs = 0;
    for (const [place, item] of items.entries()) {
      const shown = call.items[place];
      if (item.kind === 'log') {
        const step = logSteps[frame]?.[logs++] ?? callSteps[frame] ?? 0;
        if (shown?.kind === 'event')
          add({ step, frame, kind: 'event', text: eventText(shown, nameOf), contract });
      } else if (shown?.kind === 'console')
        add({ step: callSteps[item.frame.index] ?? 0, frame, kind: 'console', text: shown.text, contract });
    }
    if (call.failure === null) continue;
    const { message, error, cause } = (recorded === failed ? failure : null) ?? call.failure;
    const last = lastSteps[frame] ?? -1;
    const name = error?.name ?? (cause?.kind === 'revert' ? LANGUAGE_ERRORS[cause.reason.kind] : undefined);
    add({
      // A message to a precompile has no steps.
      step: Math.max(0, last < 0 ? (callSteps[frame] ?? 0) : last),
      frame,
      kind: 'failure',
      text: message,
      contract,
      ...(name === undefined ? {} : { error: name }),
      ...(failingPath(recorded, contracts).length > 1 ? { isPassedOn: true } : {}),
      ...(recorded === failed ? { isCause: true } : {}),
    });
  }
  return { events: found.sort((one, other) => one.step - other.step), omittedEvents };
}
