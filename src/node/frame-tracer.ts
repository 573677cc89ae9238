import { type CallNode, CallTree } from '../engine/tracers/call-tree.ts';
import type { Tracer } from '../engine/tracers/tracer.ts';

/** Traces an execution as the tree of its frames. */
export class FrameTracer extends CallTree implements Tracer<CallNode> {
  result(): CallNode {
    return this.root;
  }
}

/** The frame and all inside it, in the order they began. */
export function* framesOf(node: CallNode): Generator<CallNode, void, undefined> {
  yield node;
  for (const call of node.calls) yield* framesOf(call);
}

/** The frame and those inside it that no failure took back, in the order they began. */
export function* lastingFrames(node: CallNode): Generator<CallNode, void, undefined> {
  if (node.end.outcome !== 'success') return;
  yield node;
  for (const call of node.calls) yield* lastingFrames(call);
}
