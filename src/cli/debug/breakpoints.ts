/** The breakpoints of an editor, and the statements of an execution where they stop. */

import { type FunctionDefinition, type FunctionName, functionDefinitions } from './function-definitions.ts';
import type { HitCondition } from './hit-condition.ts';
import type { MessagePart } from './log-message.ts';
import type { Outline } from './outline.ts';
import type { Timeline } from './timeline.ts';

/** A line of a file of the build output, or the entry of a function. */
export type BreakpointPlace =
  | { readonly kind: 'line'; readonly file: string; readonly line: number }
  | ({ readonly kind: 'function' } & FunctionName);

export interface Breakpoint {
  readonly id: number;
  /** `null` if the breakpoint is not verified: it never stops. */
  readonly place: BreakpointPlace | null;
  /** An expression; `null` to stop always. */
  readonly condition: string | null;
  readonly hitCondition: HitCondition | null;
  /** The message of a log point, which never stops; `null` for a breakpoint. */
  readonly message: readonly MessagePart[] | null;
}

/** The verified breakpoints by the statements of one execution. */
export class PlacedBreakpoints {
  readonly #timeline: Timeline;
  /** Keys are numbers of file and line (`Timeline.placeOf`). */
  readonly #byLine = new Map<number, Breakpoint[]>();
  readonly #functions: { readonly breakpoint: Breakpoint; readonly definitions: FunctionDefinition[] }[] = [];
  readonly #outline: Outline;

  constructor(breakpoints: Iterable<Breakpoint>, outline: Outline, timeline: Timeline) {
    this.#timeline = timeline;
    this.#outline = outline;
    for (const breakpoint of breakpoints) {
      const { place } = breakpoint;
      if (place?.kind === 'function') {
        const definitions = functionDefinitions(outline.files).filter(({ name }) => name === place.name);
        this.#functions.push({ breakpoint, definitions });
      } else if (place !== null)
        for (const [file, { name }] of outline.files.entries()) {
          if (name !== place.file) continue;
          const key = timeline.placeOf(file, place.line);
          this.#byLine.set(key, [...(this.#byLine.get(key) ?? []), breakpoint]);
        }
    }
  }

  get isEmpty(): boolean {
    return this.#byLine.size === 0 && this.#functions.length === 0;
  }

  /** Returns the breakpoints of a statement. Conditions are not checked. */
  at(index: number): readonly Breakpoint[] {
    const ofLine = this.#timeline.startsLine(index)
      ? this.#byLine.get(this.#timeline.placeAt(index))
      : undefined;
    if (this.#functions.length === 0 || !this.#timeline.entersFunction(index)) return ofLine ?? NONE;
    const ofFunction = this.#functions.filter((each) => this.#entered(each, index));
    return [...(ofLine ?? []), ...ofFunction.map(({ breakpoint }) => breakpoint)];
  }

  #entered({ breakpoint: { place }, definitions }: PlacedFunction, index: number): boolean {
    const statement = this.#timeline.statement(index);
    if (statement === null || place?.kind !== 'function') return false;
    const running = this.#outline.frames[statement.frame]?.contract ?? null;
    return definitions.some(
      ({ file, firstLine, lastLine, contract }) =>
        file === statement.file &&
        statement.line >= firstLine &&
        statement.line <= lastLine &&
        (place.contract === null || place.contract === contract || place.contract === running),
    );
  }
}

interface PlacedFunction {
  readonly breakpoint: Breakpoint;
  readonly definitions: readonly FunctionDefinition[];
}

const NONE: readonly Breakpoint[] = [];
