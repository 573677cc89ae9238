/** The session of one editor: the requests of the Debug Adapter Protocol over recorded executions. */

import type { DebugProtocol } from '@vscode/debugprotocol';
import { internalErrorText } from '../../log/log-entries.ts';
import { AttachedExecutions } from './attached-executions.ts';
import { BreakpointTable } from './breakpoint-table.ts';
import { CAPABILITIES } from './capabilities.ts';
import { DebugError } from './debug-error.ts';
import { DebugThread, type Stop, type ThreadParts } from './debug-thread.ts';
import type { Debuggee, SessionControl } from './debuggee.ts';
import {
  DEFAULT_FILTERS,
  EXCEPTION_FILTERS,
  type ExceptionFilter,
  stopDescription,
} from './exception-filters.ts';
import { type AttachArguments, attachArguments, launchArguments } from './launch-arguments.ts';
import { LaunchedExecution } from './launched-execution.ts';
import type { DebugConnection, RequestHandler, RequestHandlers } from './protocol-server.ts';
import { ReadRequests } from './read-requests.ts';
import {
  argumentsOf,
  listIn,
  numberIn,
  optionalText,
  sourceIn,
  textIn,
  textsIn,
} from './request-arguments.ts';
import { SessionOutput } from './session-output.ts';
import { type FileExists, Sources } from './sources.ts';
import { type Granularity, type StepRequest, stepBackward, stepForward } from './stepping.ts';
import type { DebugNodes } from './targets.ts';

/** The parts of the process that a session uses. */
export interface SessionParts {
  /** Resolves to the node, as soon as it has started. */
  readonly nodes: Promise<DebugNodes>;
  readonly workingDirectory: string;
  readonly host: 'posix' | 'windows';
  readonly exists: FileExists;
  /** Called after the response to `disconnect`. */
  onEnd(): void;
  /** Writes to the error output. */
  report(text: string): void;
}

/** A launched or attached target, with everything that the editor may request. */
interface Opened {
  readonly sources: Sources;
  readonly debuggee: Debuggee;
  /** Opens the target again, with other arguments if given. */
  restart(changed: unknown): Promise<void>;
}

export class DebugSession {
  readonly #connection: DebugConnection;
  readonly #parts: SessionParts;
  readonly #breakpoints: BreakpointTable;
  readonly #reads: ReadRequests;
  readonly #output: SessionOutput;
  #filters: ReadonlySet<ExceptionFilter> = DEFAULT_FILTERS;
  #opened: Opened | null = null;
  #isConfigured = false;
  #isStarted = false;
  #isEnded = false;
  #offsets = { line: 0, column: 0 };

  constructor(connection: DebugConnection, parts: SessionParts) {
    this.#connection = connection;
    this.#parts = parts;
    this.#output = new SessionOutput(connection, () => this.#offsets.line);
    this.#reads = new ReadRequests(() => ({
      threads: this.#threads,
      sources: this.#opened?.sources ?? null,
      offsets: this.#offsets,
    }));
    this.#breakpoints = new BreakpointTable((breakpoint) =>
      connection.emitEvent('breakpoint', { reason: 'changed', breakpoint: this.#shown(breakpoint) }),
    );
  }

  get handlers(): RequestHandlers {
    const inOrder: Record<string, RequestHandler> = {
      initialize: (given) => this.#initialize(given),
      launch: (given) => withoutBody(this.#launch(given)),
      attach: (given) => withoutBody(this.#attach(given)),
      restart: (given) => withoutBody(this.#restart(given)),
      setBreakpoints: (given) => this.#setBreakpoints(given),
      setFunctionBreakpoints: (given) => this.#setFunctionBreakpoints(given),
      setExceptionBreakpoints: (given) => this.#setExceptionBreakpoints(given),
      configurationDone: async () => {
        this.#isConfigured = true;
        this.#startIfReady();
        return undefined;
      },
      ...this.#reads.handlers,
      continue: async (given) => {
        this.#run(this.#reads.threadIn(given), () => null);
        return { allThreadsContinued: true };
      },
      next: (given) => withoutBody(this.#step(given, 'next')),
      stepIn: (given) => withoutBody(this.#step(given, 'stepIn')),
      stepOut: (given) => withoutBody(this.#step(given, 'stepOut')),
      stepBack: (given) => withoutBody(this.#stepBack(given)),
      reverseContinue: (given) => withoutBody(this.#reverseContinue(given)),
    };
    const immediately: Record<string, RequestHandler> = {
      pause: async () => this.#pause(),
      terminateThreads: async (given) => this.#terminateThreads(given),
      terminate: async () => {
        this.#pause();
        this.#connection.afterRequests(async () => {
          this.#opened?.debuggee.close();
          this.#terminate();
        });
        return undefined;
      },
      disconnect: async () => {
        this.end();
        this.#connection.afterRequests(async () => this.#parts.onEnd());
        return undefined;
      },
    };
    return {
      inOrder,
      immediately,
      onInternalError: (error) => this.#parts.report(internalErrorText(error)),
    };
  }

  /** Ends running searches and detaches, after the editor has closed the connection. */
  end(): void {
    this.#isEnded = true;
    this.#output.end();
    this.#opened?.debuggee.close();
  }

  get #threads(): readonly DebugThread[] {
    const thread = this.#opened?.debuggee.thread ?? null;
    return thread === null ? [] : [thread];
  }

  get #control(): SessionControl {
    return {
      connection: this.#connection,
      output: this.#output,
      createThread: (parts, sources) => this.#createThread(parts, sources),
      hasBreakpointAt: (place) => this.#breakpoints.hasBreakpointAt(place),
      relocate: () => this.#relocate(),
      stopped: (thread, stop) => this.#stopped(thread, stop),
      run: (thread) => this.#run(thread, () => null),
      terminate: () => this.#terminate(),
    };
  }

  async #initialize(given: unknown): Promise<DebugProtocol.Capabilities> {
    const { linesStartAt1, columnsStartAt1 } = argumentsOf(given);
    this.#offsets = { line: linesStartAt1 === false ? -1 : 0, column: columnsStartAt1 === false ? -1 : 0 };
    this.#connection.afterRequests(async () => this.#connection.emitEvent('initialized'));
    return CAPABILITIES;
  }

  async #launch(given: unknown): Promise<void> {
    const args = launchArguments(given, this.#parts.workingDirectory);
    await this.#open(
      args,
      (changed) => this.#launch(changed ?? given),
      async (sources) => LaunchedExecution.open(args, await this.#parts.nodes, sources, this.#control),
    );
  }

  async #attach(given: unknown): Promise<void> {
    const args = attachArguments(given, this.#parts.workingDirectory);
    await this.#open(
      args,
      (changed) => this.#attach(changed ?? given),
      async (sources) =>
        AttachedExecutions.open(
          args,
          await this.#parts.nodes,
          { sources, filters: this.#filters },
          this.#control,
        ),
    );
  }

  /** Opens a target. Nothing changes if it fails. */
  async #open(
    { projectRoot, pathMap }: AttachArguments,
    restart: Opened['restart'],
    open: (sources: Sources) => Promise<Debuggee>,
  ): Promise<void> {
    const sources = new Sources({ projectRoot, pathMap, host: this.#parts.host }, this.#parts.exists);
    const debuggee = await open(sources);
    this.#opened?.debuggee.close();
    this.#opened = { sources, debuggee, restart };
    // The editor can disconnect while the target opens.
    if (this.#isEnded) debuggee.close();
    this.#isStarted = false;
    this.#reads.forgetStop();
    await this.#relocate();
    this.#startIfReady();
  }

  /** Starts the target after both its request and `configurationDone`. */
  #startIfReady(): void {
    if (this.#opened === null || !this.#isConfigured || this.#isStarted) return;
    this.#isStarted = true;
    this.#opened.debuggee.start();
  }

  async #restart(given: unknown): Promise<void> {
    if (this.#opened === null) throw new DebugError('restart: nothing is launched');
    await this.#opened.restart(argumentsOf(given).arguments);
  }

  #terminate(): void {
    if (this.#isEnded) return;
    this.#connection.emitEvent('terminated');
  }

  #pause(): undefined {
    for (const thread of this.#threads) thread.pause();
  }

  #terminateThreads(given: unknown): undefined {
    const { threadIds } = argumentsOf(given);
    const wanted: readonly unknown[] = Array.isArray(threadIds) ? threadIds : [];
    this.#pause();
    this.#connection.afterRequests(async () => {
      for (const thread of this.#threads) if (wanted.includes(thread.id)) await this.#endThread(thread);
    });
  }

  async #endThread(thread: DebugThread): Promise<void> {
    this.#reads.forgetStop();
    await this.#opened?.debuggee.end(thread);
  }

  #createThread(parts: Omit<ThreadParts, 'output'>, sources: Sources): DebugThread {
    const thread: DebugThread = new DebugThread({
      ...parts,
      output: {
        event: (event) => this.#output.printEvent(event, thread, sources),
        message: (text, step) => this.#output.printAt('console', text, { thread, sources, step }),
        problem: (text, step) => this.#output.printAt('important', text, { thread, sources, step }),
      },
    });
    thread.setFilters(this.#filters);
    thread.setBreakpoints(this.#breakpoints.located);
    return thread;
  }

  /** Runs forward to the step of `until`, after the response to this request. */
  #run(thread: DebugThread, until: () => number | null): void {
    this.#reads.forgetStop();
    this.#connection.afterRequests(async () => {
      // A request before this one can have ended the thread.
      if (!this.#threads.includes(thread)) return;
      const stop = await thread.forward(until());
      if (stop === null) await this.#endThread(thread);
      else this.#stopped(thread, stop);
    });
  }

  #stopped(thread: DebugThread, { reason, breakpointIds, stopping }: Stop): void {
    if (this.#isEnded) return;
    this.#connection.emitEvent('stopped', {
      reason,
      threadId: thread.id,
      allThreadsStopped: true,
      ...(stopping === null
        ? {}
        : { text: stopping.event.text, description: stopDescription(stopping.event) }),
      ...(breakpointIds.length === 0 ? {} : { hitBreakpointIds: breakpointIds }),
    });
  }

  async #step(given: unknown, request: StepRequest): Promise<void> {
    const thread = this.#reads.threadIn(given);
    this.#run(thread, () => stepForward(thread, request, granularityIn(given)));
  }

  async #stepBack(given: unknown): Promise<void> {
    const thread = this.#reads.threadIn(given);
    const step = stepBackward(thread, granularityIn(given));
    this.#reads.forgetStop();
    this.#connection.afterRequests(async () => this.#stopped(thread, thread.moveBack(step)));
  }

  async #reverseContinue(given: unknown): Promise<void> {
    const thread = this.#reads.threadIn(given);
    this.#reads.forgetStop();
    this.#connection.afterRequests(async () => this.#stopped(thread, await thread.backward()));
  }

  async #setBreakpoints(given: unknown): Promise<object> {
    const args = argumentsOf(given);
    const source = sourceIn(args);
    // Old editors send only the lines.
    const lines = Array.isArray(args.lines) ? args.lines.map((line: unknown) => ({ line })) : [];
    const wanted = args.breakpoints === undefined ? lines : listIn(args, 'breakpoints');
    const requested = wanted.map((each) => ({ ...each, line: numberIn(each, 'line') - this.#offsets.line }));
    const breakpoints = await this.#breakpoints.setLines(source, requested, this.#scope);
    this.#placeBreakpoints();
    return { breakpoints: breakpoints.map((each) => this.#shown(each)) };
  }

  async #setFunctionBreakpoints(given: unknown): Promise<object> {
    const requested = listIn(argumentsOf(given), 'breakpoints');
    const breakpoints = await this.#breakpoints.setFunctions(requested, this.#scope);
    this.#placeBreakpoints();
    return { breakpoints };
  }

  async #setExceptionBreakpoints(given: unknown): Promise<object> {
    const args = argumentsOf(given);
    const options = listIn(args, 'filterOptions').map((each) => textIn(each, 'filterId'));
    const wanted = [...textsIn(args, 'filters'), ...options];
    const known = EXCEPTION_FILTERS.map(({ filter }) => filter);
    this.#filters = new Set(known.filter((filter) => wanted.includes(filter)));
    for (const thread of this.#threads) thread.setFilters(this.#filters);
    await this.#opened?.debuggee.setFilters(this.#filters);
    return {
      breakpoints: wanted.map((filter) =>
        known.some((each) => each === filter)
          ? { verified: true }
          : { verified: false, message: `unknown filter ${filter}; expected one of ${known.join(', ')}` },
      ),
    };
  }

  get #scope(): Debuggee['scope'] | null {
    return this.#opened?.debuggee.scope ?? null;
  }

  async #relocate(): Promise<void> {
    await this.#breakpoints.relocate(this.#scope);
    this.#placeBreakpoints();
  }

  #placeBreakpoints(): void {
    for (const thread of this.#threads) thread.setBreakpoints(this.#breakpoints.located);
  }

  /** Returns a breakpoint with the editor's line. */
  #shown(breakpoint: DebugProtocol.Breakpoint): DebugProtocol.Breakpoint {
    const { line } = breakpoint;
    return line === undefined ? breakpoint : { ...breakpoint, line: line + this.#offsets.line };
  }
}

/** Resolves to `undefined`, for requests whose response has no body. */
async function withoutBody(done: Promise<void>): Promise<undefined> {
  await done;
}

function granularityIn(given: unknown): Granularity {
  return optionalText(argumentsOf(given), 'granularity') === 'instruction' ? 'instruction' : 'statement';
}
