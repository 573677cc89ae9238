/** One recorded execution with a position, as a thread of the editor. */

import { type Breakpoint, PlacedBreakpoints } from './breakpoints.ts';
import { type ExceptionFilter, type StoppingEvent, stoppingEvents } from './exception-filters.ts';
import type { Execution } from './execution.ts';
import type { OutlineEvent } from './outline.ts';
import { Timeline } from './timeline.ts';
import { valueText } from './value-text.ts';

export interface Stop {
  readonly reason: 'entry' | 'step' | 'breakpoint' | 'function breakpoint' | 'exception' | 'pause';
  readonly step: number;
  readonly breakpointIds: readonly number[];
  /** The event of an exception; otherwise `null`. */
  readonly stopping: StoppingEvent | null;
}

/** Receives the output of an execution. `step` is its position. */
export interface ThreadOutput {
  event(event: OutlineEvent): Promise<void>;
  message(text: string, step: number): void;
  /** A condition or an expression of a log point that cannot be evaluated. */
  problem(text: string, step: number): void;
}

/** A thread of the editor. */
export interface ThreadParts {
  readonly id: number;
  readonly name: string;
  readonly execution: Execution;
  readonly output: ThreadOutput;
  /** Returns the hits of a breakpoint in earlier executions, for hit conditions. */
  readonly hitsBefore?: (breakpoint: number) => number;
}

/** The statements of a breakpoint with a fulfilled condition. */
interface CountedHits {
  /** The indexes of the statements, ascending. */
  readonly indexes: number[];
  /** The number of checked statements. */
  checked: number;
}

/** Statements between two yields. A search must not delay the request `pause`. */
const STATEMENTS_PER_SLICE = 1_000;

export class DebugThread {
  readonly id: number;
  readonly name: string;
  readonly execution: Execution;
  readonly timeline: Timeline;
  readonly #output: ThreadOutput;
  readonly #hitsBefore: (breakpoint: number) => number;
  #breakpoints: readonly Breakpoint[] = [];
  #placed: PlacedBreakpoints;
  #stopping: readonly StoppingEvent[] = [];
  /** The next step to execute; -1 before the start. */
  #position = -1;
  #stop: Stop | null = null;
  /** The events before this step were printed. */
  #printed = 0;
  #isPausing = false;
  #hasStopped = false;
  /** Conditions by breakpoint and statement: true if fulfilled. */
  readonly #conditions = new Map<string, boolean>();
  readonly #counted = new Map<Breakpoint, CountedHits>();
  /** Statements since the last yield. */
  #searched = 0;

  constructor({ id, name, execution, output, hitsBefore = () => 0 }: ThreadParts) {
    this.id = id;
    this.name = name;
    this.execution = execution;
    this.timeline = new Timeline(execution.outline);
    this.#output = output;
    this.#hitsBefore = hitsBefore;
    this.#placed = new PlacedBreakpoints([], execution.outline, this.timeline);
  }

  /** The next step to execute. */
  get position(): number {
    return Math.max(0, this.#position);
  }

  /** The latest stop; `null` before the first one. */
  get stop(): Stop | null {
    return this.#stop;
  }

  /** True after the first stop. */
  get hasStopped(): boolean {
    return this.#hasStopped;
  }

  setBreakpoints(breakpoints: readonly Breakpoint[]): void {
    this.#breakpoints = breakpoints;
    this.#placed = new PlacedBreakpoints(breakpoints, this.execution.outline, this.timeline);
    this.#conditions.clear();
    this.#counted.clear();
  }

  setFilters(filters: ReadonlySet<ExceptionFilter>): void {
    this.#stopping = stoppingEvents(this.execution.outline, filters);
  }

  /** Resolves to the hits of each breakpoint with a hit condition, in this and all earlier executions. */
  async hitCounts(): Promise<Map<number, number>> {
    this.#isPausing = false;
    const counts = new Map<number, number>();
    for (const breakpoint of this.#breakpoints) {
      if (breakpoint.place === null || breakpoint.hitCondition === null) continue;
      const count = await this.#hitCount(breakpoint, this.timeline.statementCount - 1);
      if (count !== null) counts.set(breakpoint.id, count);
    }
    return counts;
  }

  /** Ends a running search for the next stop. */
  pause(): void {
    this.#isPausing = true;
  }

  /** Stops at the first statement. */
  enter(): Stop {
    return this.#stopAt({ reason: 'entry', step: this.timeline.firstStop ?? 0 });
  }

  /**
   * Runs to the next breakpoint or exception, or to the step `until`. Resolves to `null` if the execution ends
   * first.
   */
  async forward(until: number | null): Promise<Stop | null> {
    this.#isPausing = false;
    const { timeline } = this;
    const from = this.#position;
    const [exception] = this.#later;
    let index = timeline.indexAfter(from);
    for (;;) {
      index = this.#nextPlaced(index);
      const placed = timeline.statement(index)?.first ?? Number.POSITIVE_INFINITY;
      const step = Math.min(
        placed,
        exception?.step ?? Number.POSITIVE_INFINITY,
        until ?? Number.POSITIVE_INFINITY,
      );
      if (step === Number.POSITIVE_INFINITY) return this.#end();
      await this.#print(step);
      if (step === placed) {
        await this.#nextStatement();
        const hits = await this.#hits(index, true);
        if (hits.length > 0) return this.#stopAtBreakpoints(hits, step);
        index++;
        if (this.#isPausing) return this.#stopAt({ reason: 'pause', step });
      }
      if (step === exception?.step) {
        await this.#print(step + 1);
        return this.#stopAt({ reason: 'exception', step, stopping: exception });
      }
      if (step === until) return this.#stopAt({ reason: 'step', step });
    }
  }

  /** Runs back to the previous breakpoint or exception, else to the first statement. */
  async backward(): Promise<Stop> {
    this.#isPausing = false;
    const { timeline } = this;
    const before = this.#earlier.filter(({ isUncaught }) => !isUncaught);
    let index = timeline.indexAfter(this.#position - 1) - 1;
    for (;;) {
      while (index >= 0 && this.#placed.at(index).length === 0) index--;
      const placed = timeline.statement(index)?.first ?? -1;
      const exception = before.at(-1);
      if (exception !== undefined && exception.step > placed)
        return this.#stopAt({ reason: 'exception', step: exception.step, stopping: exception });
      if (index < 0) return this.enter();
      await this.#nextStatement();
      const hits = await this.#hits(index, false);
      if (hits.length > 0) return this.#stopAtBreakpoints(hits, placed);
      if (this.#isPausing) return this.#stopAt({ reason: 'pause', step: placed });
      index--;
    }
  }

  /** Moves to an earlier step. */
  moveBack(step: number | null): Stop {
    return step === null ? this.enter() : this.#stopAt({ reason: 'step', step });
  }

  /** The index of the stopping event of the current stop; -1 for other stops, and if its filter is off. */
  get #ownEvent(): number {
    const event = this.#stop?.stopping?.event;
    return event === undefined ? -1 : this.#stopping.findIndex((each) => each.event === event);
  }

  /** The stopping events after the current stop. A stop for another reason is before the events of its step. */
  get #later(): readonly StoppingEvent[] {
    const own = this.#ownEvent;
    if (own >= 0) return this.#stopping.slice(own + 1);
    const first = this.#position + (this.#stop?.reason === 'exception' ? 1 : 0);
    return this.#stopping.filter(({ step }) => step >= first);
  }

  /** The stopping events before the current stop. */
  get #earlier(): readonly StoppingEvent[] {
    const own = this.#ownEvent;
    return own >= 0
      ? this.#stopping.slice(0, own)
      : this.#stopping.filter(({ step }) => step < this.#position);
  }

  /** Yields to the event loop from time to time. */
  #nextStatement(): Promise<void> | undefined {
    this.#searched = (this.#searched + 1) % STATEMENTS_PER_SLICE;
    return this.#searched === 0 ? new Promise((resolve) => setImmediate(resolve)) : undefined;
  }

  #nextPlaced(from: number): number {
    if (this.#placed.isEmpty) return this.timeline.statementCount;
    let index = from;
    while (index < this.timeline.statementCount && this.#placed.at(index).length === 0) index++;
    return index;
  }

  async #end(): Promise<null> {
    await this.#print(this.timeline.count + 1);
    this.#position = this.timeline.count;
    this.#stop = null;
    return null;
  }

  #stopAtBreakpoints(hits: readonly Breakpoint[], step: number): Stop {
    const isFunction = hits.every(({ place }) => place?.kind === 'function');
    const breakpointIds = hits.map(({ id }) => id);
    return this.#stopAt({ reason: isFunction ? 'function breakpoint' : 'breakpoint', step, breakpointIds });
  }

  #stopAt(stop: Pick<Stop, 'reason' | 'step'> & Partial<Stop>): Stop {
    this.#position = stop.step;
    this.#hasStopped = true;
    this.#stop = { breakpointIds: [], stopping: null, ...stop };
    return this.#stop;
  }

  /** Prints the events before a step that were not printed yet. */
  async #print(step: number): Promise<void> {
    const first = this.#printed;
    this.#printed = Math.max(first, step);
    for (const event of this.execution.outline.events)
      if (event.step >= first && event.step < step) await this.#output.event(event);
  }

  /** Resolves to the breakpoints that stop at a statement. Log points print their message instead. */
  async #hits(index: number, isForward: boolean): Promise<Breakpoint[]> {
    const step = this.timeline.statement(index)?.first ?? 0;
    const hits: Breakpoint[] = [];
    for (const breakpoint of this.#placed.at(index)) {
      if (!(await this.#isFulfilled(breakpoint, index))) continue;
      const { hitCondition, message } = breakpoint;
      if (hitCondition !== null) {
        const count = await this.#hitCount(breakpoint, index);
        if (count === null || !hitCondition(count)) continue;
      }
      if (message === null) hits.push(breakpoint);
      else if (isForward) this.#output.message(await this.#messageText(message, step), step);
    }
    return hits;
  }

  /**
   * Resolves to the number of hits up to a statement; `null` after a pause. It does not depend on the direction of
   * the search.
   */
  async #hitCount(breakpoint: Breakpoint, last: number): Promise<number | null> {
    const counted = this.#counted.get(breakpoint) ?? { indexes: [], checked: 0 };
    this.#counted.set(breakpoint, counted);
    const { indexes } = counted;
    for (; counted.checked <= last; counted.checked++) {
      await this.#nextStatement();
      if (this.#isPausing) return null;
      const index = counted.checked;
      if (this.#placed.at(index).includes(breakpoint) && (await this.#isFulfilled(breakpoint, index)))
        indexes.push(index);
    }
    return this.#hitsBefore(breakpoint.id) + countUpTo(indexes, last);
  }

  async #isFulfilled({ id, condition }: Breakpoint, index: number): Promise<boolean> {
    if (condition === null) return true;
    const key = `${id} ${index}`;
    const known = this.#conditions.get(key);
    if (known !== undefined) return known;
    const step = this.timeline.statement(index)?.first ?? 0;
    const isFulfilled = await this.execution.evaluate(step, condition).then(
      ({ value }) => value === true || (typeof value === 'string' && /^-?0*[1-9]/.test(value)),
      (error: unknown) => {
        this.#output.problem(`condition ${condition}: ${messageOf(error)}`, step);
        return true;
      },
    );
    this.#conditions.set(key, isFulfilled);
    return isFulfilled;
  }

  async #messageText(message: NonNullable<Breakpoint['message']>, step: number): Promise<string> {
    const texts: string[] = [];
    for (const part of message) {
      if ('text' in part) texts.push(part.text);
      else
        texts.push(
          await this.execution
            .evaluate(step, part.expression)
            .then(valueText, (error: unknown) => `<${messageOf(error)}>`),
        );
    }
    return texts.join('');
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the number of values up to a maximum, in ascending values. */
function countUpTo(values: readonly number[], maximum: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) <= maximum) low = middle + 1;
    else high = middle;
  }
  return low;
}
