/** The execution of a launch. The session ends with it. */

import { ExecutionScope } from './breakpoint-scope.ts';
import type { DebugThread } from './debug-thread.ts';
import type { Debuggee, SessionControl } from './debuggee.ts';
import { Execution } from './execution.ts';
import type { LaunchArguments } from './launch-arguments.ts';
import type { Sources } from './sources.ts';
import { type DebugNodes, findTarget } from './targets.ts';

export class LaunchedExecution implements Debuggee {
  readonly scope: ExecutionScope;
  readonly thread: DebugThread;
  readonly #stopOnEntry: boolean;
  readonly #session: SessionControl;

  private constructor(
    scope: ExecutionScope,
    thread: DebugThread,
    stopOnEntry: boolean,
    session: SessionControl,
  ) {
    this.scope = scope;
    this.thread = thread;
    this.#stopOnEntry = stopOnEntry;
    this.#session = session;
  }

  /** Rejects with {@link DebugError} if the execution does not exist. */
  static async open(
    args: LaunchArguments,
    nodes: DebugNodes,
    sources: Sources,
    session: SessionControl,
  ): Promise<LaunchedExecution> {
    const { node, name, target } = await findTarget(args, nodes);
    const execution = await Execution.open(node, target);
    for (const file of execution.outline.files) await sources.of(file);
    const thread = session.createThread({ id: 1, name, execution }, sources);
    return new LaunchedExecution(new ExecutionScope(execution, sources), thread, args.stopOnEntry, session);
  }

  start(): void {
    const { thread } = this;
    const { connection } = this.#session;
    connection.emitEvent('thread', { reason: 'started', threadId: thread.id });
    if (this.#stopOnEntry && thread.timeline.count > 0)
      connection.afterRequests(async () => this.#session.stopped(thread, thread.enter()));
    else this.#session.run(thread);
  }

  async setFilters(): Promise<void> {
    // Only threads use them.
  }

  async end({ hasStopped, timeline }: DebugThread): Promise<void> {
    if (!hasStopped && timeline.count > 0)
      this.#session.output.print(
        'console',
        'the execution ended without a stop; set a breakpoint, or set stopOnEntry',
      );
    this.#session.terminate();
  }

  close(): void {
    this.thread.pause();
  }
}
