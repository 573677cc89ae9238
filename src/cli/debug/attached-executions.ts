/** The executions of an attached node that stop in the editor, one after another. */

import { AttachedNode, type Hit } from './attached-node.ts';
import type { DebugThread } from './debug-thread.ts';
import type { Debuggee, SessionControl } from './debuggee.ts';
import type { ExceptionFilter } from './exception-filters.ts';
import { type DebugNode, Execution } from './execution.ts';
import type { AttachArguments } from './launch-arguments.ts';
import type { Sources } from './sources.ts';
import { type DebugNodes, findNode } from './targets.ts';

/** The execution in the editor, and its hit. */
interface OpenHit {
  readonly hit: Hit;
  readonly thread: DebugThread;
  /** True after the first stop: the editor knows the thread. */
  isShown: boolean;
}

export class AttachedExecutions implements Debuggee {
  readonly scope: AttachedNode;
  readonly #session: SessionControl;
  #open: OpenHit | null = null;
  #isAttached = false;
  #isStarted = false;
  #isClosed = false;
  /** The number of shown threads. */
  #shown = 0;
  /** Hits in ended executions by breakpoint, for hit conditions. */
  readonly #hits = new Map<number, number>();

  private constructor(
    node: DebugNode,
    sources: Sources,
    filters: ReadonlySet<ExceptionFilter>,
    session: SessionControl,
  ) {
    this.#session = session;
    this.scope = new AttachedNode(node, sources, filters, {
      waiting: () => this.#openLater(),
      ended: (reason) => this.#disconnected(reason),
    });
  }

  /** Connects. Rejects with {@link DebugError} if the node or the lane does not exist. */
  static async open(
    args: AttachArguments,
    nodes: DebugNodes,
    { sources, filters }: { readonly sources: Sources; readonly filters: ReadonlySet<ExceptionFilter> },
    session: SessionControl,
  ): Promise<AttachedExecutions> {
    const node = await findNode(args, nodes);
    const attached = new AttachedExecutions(node, sources, filters, session);
    try {
      await attached.scope.readNames();
      await attached.scope.map({ sources: [], functions: [] });
    } catch (error) {
      attached.close();
      throw error;
    }
    attached.#isAttached = true;
    return attached;
  }

  get thread(): DebugThread | null {
    return this.#open?.thread ?? null;
  }

  start(): void {
    this.#isStarted = true;
    this.#session.output.print('console', `attached to ${this.scope.node.name}`);
    this.#openLater();
  }

  async setFilters(filters: ReadonlySet<ExceptionFilter>): Promise<void> {
    this.scope.setFilters(filters);
    await this.#session.relocate();
  }

  async end(thread: DebugThread): Promise<void> {
    const open = this.#open;
    if (open === null || open.thread !== thread) return;
    this.#open = null;
    if (open.isShown) this.#session.connection.emitEvent('thread', { reason: 'exited', threadId: thread.id });
    try {
      for (const [breakpoint, count] of await thread.hitCounts()) this.#hits.set(breakpoint, count);
    } finally {
      await this.#release(open.hit);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#open?.thread.pause();
    this.scope.close();
  }

  #disconnected(reason: string): void {
    // The response to the request reports a failed connection.
    if (!this.#isAttached || this.#isClosed) return;
    this.#isClosed = true;
    this.#open?.thread.pause();
    const { connection, output } = this.#session;
    connection.afterRequests(async () => {
      output.print('important', `detached from ${this.scope.node.name}: ${reason}`);
      this.#session.terminate();
    });
  }

  /** Opens the oldest hit after the pending requests, unless another one is open. */
  #openLater(): void {
    this.#session.connection.afterRequests(async () => {
      if (!this.#isStarted || this.#isClosed || this.#open !== null) return;
      const hit = this.scope.next();
      if (hit !== undefined) await this.#openHit(hit);
    });
  }

  async #openHit(hit: Hit): Promise<void> {
    const { output, connection } = this.#session;
    if (hit.omitted > 0)
      output.print(
        'important',
        `${hit.omitted} executions were not checked: too many hits or executions waited`,
      );
    try {
      if (hit.place !== null && !this.#session.hasBreakpointAt(hit.place)) await this.#session.relocate();
      const open = await this.#opened(hit);
      const { thread } = open;
      const stop = await thread.forward(null);
      if (stop === null) await this.end(thread);
      else if (!this.#isClosed) {
        open.isShown = true;
        this.#shown++;
        connection.emitEvent('thread', { reason: 'started', threadId: thread.id });
        this.#session.stopped(thread, stop);
      }
    } catch (error) {
      if (this.#isClosed) return;
      const reason = error instanceof Error ? error.message : String(error);
      output.print('important', `cannot debug ${nameOf(hit)}: ${reason}`);
      this.#open = null;
      await this.#release(hit);
    }
  }

  async #opened(hit: Hit): Promise<OpenHit> {
    const { node, sources } = this.scope;
    const execution = await Execution.open(node, { recording: hit.number });
    for (const file of execution.outline.files) await sources.of(file);
    const id = this.#shown + 1;
    const hitsBefore = (breakpoint: number): number => this.#hits.get(breakpoint) ?? 0;
    const parts = { id, name: `${nameOf(hit)} #${id}`, execution, hitsBefore };
    const open = { hit, thread: this.#session.createThread(parts, sources), isShown: false };
    this.#open = open;
    return open;
  }

  /** The next hit opens, also if the node cannot release this one. */
  async #release(hit: Hit): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.scope.release(hit);
    } finally {
      this.#openLater();
    }
  }
}

function nameOf({ name }: Hit): string {
  return name ?? 'block';
}
