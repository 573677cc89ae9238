import { type CallNode, CallTree } from '../../evm/tracers/call-tree.ts';
import type { Tracer } from '../../evm/tracers/tracer.ts';

/** Traces an execution as the tree of its frames. */
export class FrameTracer extends CallTree implements Tracer<CallNode> {
  result(): CallNode {
    return this.root;
  }
}
