// Adds decoded calls, errors and events to traces. Loaded with the first decoded trace.

import type { TracerFactory } from '../evm/tracers/tracer.ts';
import type { CreationIndexes, RecordedCreations } from '../inspect/creations.ts';
import type { RecordedExecution, RecordedFrame } from '../inspect/execution-recorder.ts';
import type { InspectedCall } from '../inspect/inspection.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import type { TraceDecoding } from './codecs/trace-options.ts';
import type { RpcContext } from './rpc-context.ts';
import { decodedCallView, decodedEventView } from './views/inspection.ts';

/** A frame of a tracer's result. Each response has its own, so it may be modified. */
export type TraceFrame = Record<string, unknown>;

/** Runs traces with a tracer and a cancel check. */
export type RunTraces<Result> = (createTracer: TracerFactory, checkCancelled: CancelCheck) => Promise<Result>;

export interface Traced {
  readonly trace: unknown;
}

/** Returns a function that finds the places of creations. It runs all executions again at most once. */
export function placesOfCreations(
  run: (createTracer: TracerFactory) => Promise<readonly Traced[]>,
): (index: number) => Promise<CreationIndexes> {
  let recorded: Promise<readonly Traced[]> | null = null;
  const record = async (): Promise<readonly Traced[]> => {
    const { CreationRecorder } = await import('../inspect/creations.ts');
    return run((subject) => new CreationRecorder(subject));
  };
  return async (index) => {
    recorded ??= record();
    const { trace } = (await recorded)[index] ?? {};
    // The tracer above returns this shape.
    return (trace as RecordedCreations).places;
  };
}

type Calls = ReadonlyMap<RecordedFrame, InspectedCall>;

export async function callsOf(
  { node: { inspector: lazy }, deadline }: Pick<RpcContext, 'node' | 'deadline'>,
  recording: RecordedExecution,
  placesOf: () => Promise<CreationIndexes>,
): Promise<Calls> {
  const { contractsOfFrames, InspectionBuilder } = await import('../inspect/inspection.ts');
  const { contracts } = await lazy.load();
  const found = await contractsOfFrames(recording, contracts, deadline, placesOf);
  return new InspectionBuilder(contracts, found).calls(recording, deadline);
}

/** Visits the frames in the order of their start, as the recording lists them. */
export function decodeTree(root: TraceFrame, frames: readonly RecordedFrame[], calls: Calls): void {
  const next = frames.values();
  const left = [root];
  for (let frame = left.pop(); frame !== undefined; frame = left.pop()) {
    const call = nextCall(next, calls);
    if (call === null) return;
    frame.decoded = decodedCallView(call);
    decodeLogs(frame, call);
    const inner = (frame.calls ?? []) as TraceFrame[];
    for (let index = inner.length - 1; index >= 0; index--) {
      const child = inner[index];
      if (child !== undefined) left.push(child);
    }
  }
}

/** A frame has all its logs, or no logs if they were reverted. */
function decodeLogs({ logs }: TraceFrame, { items }: InspectedCall): void {
  const events = items.filter((item) => item.kind === 'event');
  for (const [index, log] of ((logs ?? []) as TraceFrame[]).entries()) {
    const event = events[index];
    if (event !== undefined) log.decoded = decodedEventView(event);
  }
}

export function decodeList(
  listed: readonly TraceFrame[],
  frames: readonly RecordedFrame[],
  calls: Calls,
  { includesPrecompiles }: TraceDecoding,
): void {
  const shown = frames.filter(
    ({ start: { kind, isPrecompile, depth } }) =>
      includesPrecompiles || depth === 0 || !isPrecompile || (kind !== 'CALL' && kind !== 'STATICCALL'),
  );
  const next = shown.values();
  for (const frame of listed) {
    const call = nextCall(next, calls);
    if (call !== null) frame.decoded = decodedCallView(call);
  }
}

function nextCall(frames: Iterator<RecordedFrame>, calls: Calls): InspectedCall | null {
  const { value, done } = frames.next();
  return done === true ? null : (calls.get(value) ?? null);
}
