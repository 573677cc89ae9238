/** The stack frames of the latest stop. Their ids are valid until the next one. */

import type { DebugProtocol } from '@vscode/debugprotocol';
import { DebugError, InvalidArgumentError } from './debug-error.ts';
import type { DebugThread } from './debug-thread.ts';
import { instructionAddress } from './disassembly.ts';
import { functionDefinitions } from './function-definitions.ts';
import type { CallFrame } from './outline.ts';
import type { FrameSite } from './scopes.ts';
import type { Offsets } from './session-output.ts';
import type { Sources } from './sources.ts';

/** The wanted frames. No `levels` means all frames. */
export interface StackRange {
  readonly start: number;
  readonly levels: number;
}

export class StoppedFrames {
  readonly #frames = new Map<number, FrameSite>();

  clear(): void {
    this.#frames.clear();
  }

  /** Returns the frame with an id. Throws {@link InvalidArgumentError}. */
  site(id: number): FrameSite {
    const site = this.#frames.get(id);
    if (site === undefined) throw new InvalidArgumentError('frameId', 'a frame of the latest stop', id);
    return site;
  }

  /** Resolves to the frames in a range, innermost first, and the number of all frames. */
  async stack(
    thread: DebugThread,
    { start, levels }: StackRange,
    sources: Sources,
    offsets: Offsets,
  ): Promise<{ stackFrames: DebugProtocol.StackFrame[]; totalFrames: number }> {
    const { execution, position } = thread;
    if (execution.outline.count === 0) return { stackFrames: [], totalFrames: 0 };
    const frames = await execution.frames(position);
    const end = levels <= 0 ? frames.length : start + levels;
    const stackFrames: DebugProtocol.StackFrame[] = [];
    for (const [index, frame] of frames.entries()) {
      if (index < start || index >= end) continue;
      const step = index === 0 ? position : continuation(frames[index - 1]);
      const id = this.#frames.size + 1;
      const isShared = index === 0 && isInSharedCode(frame, thread);
      this.#frames.set(id, { thread: thread.id, execution, frame, step, isShared });
      const shown = {
        id,
        name: frameName(frame),
        ...(step === null ? {} : { instructionPointerReference: instructionAddress(thread.id, step) }),
      };
      stackFrames.push({
        ...shown,
        ...(await placeOf(frame, { thread, isInnermost: index === 0 }, sources, offsets)),
      });
    }
    return { stackFrames, totalFrames: frames.length };
  }
}

/** Resolves to the innermost frame of a thread. Rejects with {@link DebugError} if it has no steps. */
export async function innermostSite(thread: DebugThread): Promise<FrameSite> {
  const { id, execution, position } = thread;
  const [frame] = await execution.frames(position);
  if (frame === undefined) throw new DebugError('evaluate: the execution has no steps');
  return { thread: id, execution, frame, step: position, isShared: isInSharedCode(frame, thread) };
}

/** True if the code that failed is in another function than the frame. */
function isInSharedCode({ source, line }: CallFrame, thread: DebugThread): boolean {
  if (thread.stop?.reason !== 'exception' || line === null) return false;
  const statement = thread.timeline.statementAt(thread.position);
  const file = statement === null ? undefined : thread.execution.outline.files[statement.file];
  if (statement === null || file === undefined) return false;
  const around = functionDefinitions([file]).find(
    ({ firstLine, lastLine }) => firstLine <= statement.line && statement.line <= lastLine,
  );
  if (around === undefined) return false;
  return file.name !== source || line < around.firstLine || line > around.lastLine;
}

async function placeOf(
  frame: CallFrame,
  { thread, isInnermost }: { readonly thread: DebugThread; readonly isInnermost: boolean },
  sources: Sources,
  offsets: Offsets,
): Promise<Omit<DebugProtocol.StackFrame, 'id' | 'name'>> {
  const { source: name, line, column, endLine, endColumn } = frame;
  const { files } = thread.execution.outline;
  const statement = isInnermost ? thread.timeline.statementAt(thread.position) : null;
  const running = statement === null ? undefined : files[statement.file];
  const file = running?.name === name ? running : files.find((each) => each.name === name);
  if (file === undefined || line === null) return { line: 0, column: 0, presentationHint: 'subtle' };
  const source = await sources.of(file);
  // The innermost frame is at the statement where the thread stopped.
  const isAtStatement = thread.stop?.reason !== 'exception' && statement?.first === thread.position;
  const isMoved = isAtStatement && running === file && statement?.line !== line;
  if (isMoved && statement !== null)
    return { source, line: statement.line + offsets.line, column: 1 + offsets.column };
  return {
    source,
    line: line + offsets.line,
    column: (column ?? 1) + offsets.column,
    ...(endLine === null ? {} : { endLine: endLine + offsets.line }),
    ...(endColumn === null ? {} : { endColumn: endColumn + offsets.column }),
  };
}

/** Returns the step of the call that entered a function; `null` if it is unknown. */
function continuation(inner: CallFrame | undefined): number | null {
  return inner?.firstStep == null || inner.firstStep === 0 ? null : inner.firstStep - 1;
}

function frameName({ contract, function: name, definedIn, kind, address }: CallFrame): string {
  if (contract === null && name === null) return address;
  // A free function is in no contract.
  const subject = [definedIn ?? contract, name].filter((part) => part !== null).join('.');
  const behind = definedIn !== null && contract !== null && definedIn !== contract ? ` of ${contract}` : '';
  return kind === 'delegatecall' || kind === 'library'
    ? `${subject}${behind} (${kind})`
    : `${subject}${behind}`;
}
