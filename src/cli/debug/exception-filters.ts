/** The exception filters: the events of an execution where the debugger stops without a breakpoint. */

import { DebugError } from './debug-error.ts';
import type { Outline, OutlineEvent } from './outline.ts';

export const EXCEPTION_FILTERS = [
  {
    filter: 'uncaught',
    label: 'Failure of the execution',
    description: 'Stops at the cause of a failure that ends the execution',
    default: true,
  },
  {
    filter: 'revert',
    label: 'Every failure',
    description: 'Stops where a call fails, also if its caller catches the failure',
    default: false,
  },
  {
    filter: 'panic',
    label: 'Panics',
    description: 'Stops at failed assertions, overflows and other panics, also if a caller catches them',
    default: false,
  },
  {
    filter: 'log',
    label: 'Console output and events',
    description: 'Stops at console.log and at emitted events',
    default: false,
  },
] as const;

export type ExceptionFilter = (typeof EXCEPTION_FILTERS)[number]['filter'];

/** The filters that are on if the editor sets none. */
export const DEFAULT_FILTERS: ReadonlySet<ExceptionFilter> = new Set(
  EXCEPTION_FILTERS.filter((each) => each.default).map(({ filter }) => filter),
);

/** An event where the debugger stops. */
export interface StoppingEvent {
  readonly step: number;
  readonly event: OutlineEvent;
  /** True for the failure that ends the execution. */
  readonly isUncaught: boolean;
}

/** Returns the failure that ends the execution; `null` if the execution succeeds or has no steps. */
export function uncaughtFailure({ failedAt, events }: Outline): StoppingEvent | null {
  if (failedAt === null) return null;
  const event = events.find(({ isCause }) => isCause === true);
  const unknown = {
    step: failedAt,
    frame: 0,
    kind: 'failure',
    text: 'the execution failed',
    contract: null,
  } as const;
  return { step: failedAt, event: event ?? unknown, isUncaught: true };
}

/** Returns the events where the debugger stops, in the order of the steps. */
export function stoppingEvents(outline: Outline, filters: ReadonlySet<ExceptionFilter>): StoppingEvent[] {
  const uncaught = uncaughtFailure(outline);
  const stopsAtUncaught = uncaught !== null && filters.has('uncaught');
  const found: StoppingEvent[] = [];
  for (const event of outline.events) {
    if (stopsAtUncaught && event === uncaught.event) continue;
    const isOrigin = event.kind === 'failure' && event.isPassedOn === undefined;
    const isWanted =
      event.kind === 'failure'
        ? isOrigin && (filters.has('revert') || (filters.has('panic') && event.error === 'Panic'))
        : filters.has('log');
    if (isWanted) found.push({ step: event.step, event, isUncaught: event === uncaught?.event });
  }
  if (stopsAtUncaught) found.push(uncaught);
  return found.sort((one, other) => one.step - other.step);
}

/** Returns the body of `exceptionInfo`. Throws {@link DebugError} without an event. */
export function exceptionDetails(stopping: StoppingEvent | null): object {
  if (stopping === null) throw new DebugError('exceptionInfo: the thread did not stop at an exception');
  const { event, isUncaught } = stopping;
  return {
    exceptionId: event.error ?? (event.kind === 'failure' ? 'failure' : event.kind),
    description: event.text,
    breakMode: isUncaught ? 'unhandled' : 'always',
    details: { message: event.text, ...(event.error === undefined ? {} : { typeName: event.error }) },
  };
}

export function stopDescription({ kind }: OutlineEvent): string {
  if (kind === 'console') return 'Paused on console output';
  return kind === 'event' ? 'Paused on event' : 'Paused on failure';
}
