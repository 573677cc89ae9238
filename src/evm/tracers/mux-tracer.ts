import type { Log } from '../../protocol/receipt.ts';
import type { Task } from '../../scheduling/task.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { ExecutionResult } from '../engine.ts';
import type { ExecutionStep, FrameEnd, FrameStart, StateNow } from '../observer.ts';
import type { Tracer } from './tracer.ts';

/** Runs several tracers over one execution and returns each trace under its name (geth's muxTracer). */
export class MuxTracer implements Tracer {
  readonly #tracers: ReadonlyMap<string, Tracer>;
  readonly step?: (step: ExecutionStep) => void;
  readonly wantedSteps?: ReadonlySet<number>;

  constructor(tracers: ReadonlyMap<string, Tracer>) {
    this.#tracers = tracers;
    const all = [...tracers.values()];
    const stepping = all.filter((tracer) => tracer.step !== undefined);
    if (stepping.length === 0) return;
    this.step = (step) => {
      for (const tracer of stepping) tracer.step?.(step);
    };
    const wanted = stepping.map((tracer) => tracer.wantedSteps);
    if (wanted.every((opcodes) => opcodes !== undefined)) {
      this.wantedSteps = new Set(wanted.flatMap((opcodes) => [...opcodes]));
    }
  }

  begin(state: StateNow, ended: readonly Uint8Array[]): void {
    for (const tracer of this.#tracers.values()) tracer.begin?.(state, ended);
  }

  frameStart(start: FrameStart): void {
    for (const tracer of this.#tracers.values()) tracer.frameStart?.(start);
  }

  frameEnd(end: FrameEnd): void {
    for (const tracer of this.#tracers.values()) tracer.frameEnd?.(end);
  }

  fault(reason: string): void {
    for (const tracer of this.#tracers.values()) tracer.fault?.(reason);
  }

  log(log: Log): void {
    for (const tracer of this.#tracers.values()) tracer.log?.(log);
  }

  remark(text: string): void {
    for (const tracer of this.#tracers.values()) tracer.remark?.(text);
  }

  *result(execution: ExecutionResult, after: Overlay): Task<unknown> {
    const results: [string, unknown][] = [];
    for (const [name, tracer] of this.#tracers) results.push([name, yield* tracer.result(execution, after)]);
    return Object.fromEntries(results);
  }
}
