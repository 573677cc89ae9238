/** The session of one editor: the requests of the Debug Adapter Protocol over recorded executions. */

import type { DebugProtocol } from '@vscode/debugprotocol';
import { internalErrorText } from '../../log/log-entries.ts';
import { BreakpointTable } from './breakpoint-table.ts';
import { DebugError, InvalidArgumentError } from './debug-error.ts';
import { DebugThread, type Stop } from './debug-thread.ts';
import { disassembled, instructionAddress, stepOfAddress } from './disassembly.ts';
import { DEFAULT_FILTERS, EXCEPTION_FILTERS, type ExceptionFilter } from './exception-filters.ts';
import { Execution } from './execution.ts';
import { type LaunchArguments, launchArguments } from './launch-arguments.ts';
import type { CallFrame, OutlineEvent } from './outline.ts';
import type { DebugConnection, RequestHandler, RequestHandlers } from './protocol-server.ts';
import {
  argumentsOf,
  listIn,
  numberIn,
  optionalNumber,
  optionalText,
  sourceIn,
  textIn,
  textsIn,
} from './request-arguments.ts';
import { FrameScopes, type FrameSite, VariableReferences } from './scopes.ts';
import { type FileExists, Sources } from './sources.ts';
import { type DebugNodes, findTarget } from './targets.ts';

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

const CAPABILITIES: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsFunctionBreakpoints: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsEvaluateForHovers: true,
  supportsStepBack: true,
  supportsSteppingGranularity: true,
  supportsDisassembleRequest: true,
  supportsReadMemoryRequest: true,
  supportsLoadedSourcesRequest: true,
  supportsExceptionInfoRequest: true,
  supportsRestartRequest: true,
  supportsTerminateRequest: true,
  supportsDelayedStackTraceLoading: true,
  exceptionBreakpointFilters: [...EXCEPTION_FILTERS],
};

interface StoppedFrame {
  readonly thread: DebugThread;
  readonly site: FrameSite;
}

/** A launched target, with everything that the editor may request. */
interface Launched {
  readonly args: LaunchArguments;
  readonly sources: Sources;
  readonly threads: DebugThread[];
}

const CATEGORIES = { console: 'stdout', event: 'console', failure: 'stderr' } as const;

type Granularity = 'instruction' | 'statement';

export class DebugSession {
  readonly #connection: DebugConnection;
  readonly #parts: SessionParts;
  readonly #breakpoints = new BreakpointTable();
  readonly #references = new VariableReferences();
  readonly #frames = new Map<number, StoppedFrame>();
  #filters: ReadonlySet<ExceptionFilter> = DEFAULT_FILTERS;
  #launched: Launched | null = null;
  #isConfigured = false;
  #isStarted = false;
  #isEnded = false;
  /** Added to lines and columns that count from 1. */
  #lineOffset = 0;
  #columnOffset = 0;

  constructor(connection: DebugConnection, parts: SessionParts) {
    this.#connection = connection;
    this.#parts = parts;
  }

  get handlers(): RequestHandlers {
    const inOrder: Record<string, RequestHandler> = {
      initialize: (given) => this.#initialize(given),
      launch: (given) => withoutBody(this.#launch(given)),
      attach: async () => {
        throw new DebugError('attach: not supported; launch a transaction, failure, call or test');
      },
      setBreakpoints: (given) => this.#setBreakpoints(given),
      setFunctionBreakpoints: (given) => this.#setFunctionBreakpoints(given),
      setExceptionBreakpoints: (given) => this.#setExceptionBreakpoints(given),
      configurationDone: async () => {
        this.#isConfigured = true;
        this.#startIfReady();
        return undefined;
      },
      threads: async () => ({ threads: this.#threads.map(({ id, name }) => ({ id, name })) }),
      stackTrace: (given) => this.#stackTrace(given),
      scopes: async (given) => ({ scopes: this.#scopesOf(given).scopes() }),
      variables: (given) => this.#variables(given),
      evaluate: (given) => this.#evaluate(given),
      continue: async (given) => {
        this.#run(this.#threadIn(given), () => null);
        return { allThreadsContinued: true };
      },
      next: (given) => withoutBody(this.#stepForward(given, 'stepOver', 'instructionOver')),
      stepIn: (given) => withoutBody(this.#stepForward(given, 'nextStop', 'instructionIn')),
      stepOut: (given) => withoutBody(this.#stepForward(given, 'stepOut', 'instructionOut')),
      stepBack: (given) => withoutBody(this.#stepBack(given)),
      reverseContinue: (given) => withoutBody(this.#reverseContinue(given)),
      source: (given) => this.#source(given),
      loadedSources: () => this.#loadedSources(),
      disassemble: (given) => this.#disassemble(given),
      readMemory: (given) => this.#readMemory(given),
      exceptionInfo: (given) => this.#exceptionInfo(given),
      restart: (given) => withoutBody(this.#restart(given)),
    };
    const immediately: Record<string, RequestHandler> = {
      pause: async () => {
        for (const thread of this.#threads) thread.pause();
        return undefined;
      },
      terminate: async () => {
        for (const thread of this.#threads) thread.pause();
        this.#connection.afterRequests(async () => this.#terminate());
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

  /** Ends running searches, after the editor has closed the connection. */
  end(): void {
    this.#isEnded = true;
    for (const thread of this.#threads) thread.pause();
  }

  get #threads(): readonly DebugThread[] {
    return this.#launched?.threads ?? [];
  }

  async #initialize(given: unknown): Promise<DebugProtocol.Capabilities> {
    const { linesStartAt1, columnsStartAt1 } = argumentsOf(given);
    this.#lineOffset = linesStartAt1 === false ? -1 : 0;
    this.#columnOffset = columnsStartAt1 === false ? -1 : 0;
    this.#connection.afterRequests(async () => this.#connection.emitEvent('initialized'));
    return CAPABILITIES;
  }

  async #launch(given: unknown): Promise<void> {
    await this.#open(launchArguments(given, this.#parts.workingDirectory));
    this.#startIfReady();
  }

  /** Opens the execution of a launch. Nothing changes if it fails. */
  async #open(args: LaunchArguments): Promise<void> {
    const { node, name, target } = await findTarget(args, await this.#parts.nodes);
    const execution = await Execution.open(node, target);
    const { projectRoot, pathMap } = args;
    const sources = new Sources({ projectRoot, pathMap, host: this.#parts.host }, this.#parts.exists);
    for (const file of execution.outline.files) await sources.of(file);
    const thread: DebugThread = new DebugThread(1, name, execution, {
      event: (event) => this.#printEvent(thread, event),
      message: (text, step) => this.#print('console', text, thread, step),
      problem: (text, step) => this.#print('important', text, thread, step),
    });
    thread.setFilters(this.#filters);
    this.#launched = { args, sources, threads: [thread] };
    this.#isStarted = false;
    this.#forgetStop();
    for (const breakpoint of await this.#breakpoints.relocate(this.#launched))
      this.#connection.emitEvent('breakpoint', { reason: 'changed', breakpoint: this.#shown(breakpoint) });
    this.#placeBreakpoints();
  }

  /** Runs the execution after both `launch` and `configurationDone`. */
  #startIfReady(): void {
    const launched = this.#launched;
    if (launched === null || !this.#isConfigured || this.#isStarted) return;
    this.#isStarted = true;
    for (const thread of launched.threads) {
      this.#connection.emitEvent('thread', { reason: 'started', threadId: thread.id });
      if (launched.args.stopOnEntry && thread.timeline.count > 0)
        this.#connection.afterRequests(async () => this.#stopped(thread, thread.enter()));
      else this.#run(thread, () => null);
    }
  }

  async #restart(given: unknown): Promise<void> {
    const { arguments: changed } = argumentsOf(given);
    const args =
      changed === undefined ? this.#launched?.args : launchArguments(changed, this.#parts.workingDirectory);
    if (args === undefined) throw new DebugError('restart: nothing is launched');
    await this.#open(args);
    this.#startIfReady();
  }

  #terminate(): void {
    if (this.#isEnded) return;
    this.#connection.emitEvent('terminated');
  }

  #forgetStop(): void {
    this.#references.clear();
    this.#frames.clear();
  }

  #threadIn(given: unknown): DebugThread {
    const { threadId } = argumentsOf(given);
    const thread = this.#threads.find(({ id }) => id === threadId);
    if (thread === undefined)
      throw new InvalidArgumentError(
        'threadId',
        `one of ${this.#threads.map(({ id }) => id).join(', ') || 'no threads'}`,
        threadId,
      );
    return thread;
  }

  /** Runs forward to the step of `until`, after the response to this request. */
  #run(thread: DebugThread, until: () => number | null): void {
    this.#forgetStop();
    this.#connection.afterRequests(async () => {
      const stop = await thread.forward(until());
      if (stop === null) this.#terminate();
      else this.#stopped(thread, stop);
    });
  }

  #stopped(thread: DebugThread, { reason, breakpointIds, stopping }: Stop): void {
    if (this.#isEnded) return;
    const text = stopping?.event.text;
    this.#connection.emitEvent('stopped', {
      reason,
      threadId: thread.id,
      allThreadsStopped: true,
      ...(text === undefined ? {} : { text, description: descriptionOf(stopping?.event) }),
      ...(breakpointIds.length === 0 ? {} : { hitBreakpointIds: breakpointIds }),
    });
  }

  async #stepForward(
    given: unknown,
    byStatement: 'stepOver' | 'nextStop' | 'stepOut',
    byInstruction: 'instructionOver' | 'instructionIn' | 'instructionOut',
  ): Promise<void> {
    const thread = this.#threadIn(given);
    const { timeline } = thread;
    this.#run(thread, () => {
      const { position } = thread;
      if (granularityIn(given) === 'statement') return timeline[byStatement](position);
      if (byInstruction !== 'instructionIn') return timeline[byInstruction](position);
      return position + 1 < timeline.count ? position + 1 : null;
    });
  }

  async #stepBack(given: unknown): Promise<void> {
    const thread = this.#threadIn(given);
    const { position, timeline } = thread;
    const isByInstruction = granularityIn(given) === 'instruction';
    const step = isByInstruction ? Math.max(0, position - 1) : timeline.previousStop(position);
    this.#forgetStop();
    this.#connection.afterRequests(async () => this.#stopped(thread, thread.moveBack(step)));
  }

  async #reverseContinue(given: unknown): Promise<void> {
    const thread = this.#threadIn(given);
    this.#forgetStop();
    this.#connection.afterRequests(async () => this.#stopped(thread, await thread.backward()));
  }

  async #setBreakpoints(given: unknown): Promise<object> {
    const args = argumentsOf(given);
    const source = sourceIn(args);
    // Old editors send only the lines.
    const lines = Array.isArray(args.lines) ? args.lines.map((line: unknown) => ({ line })) : [];
    const wanted = args.breakpoints === undefined ? lines : listIn(args, 'breakpoints');
    const requested = wanted.map((each) => ({ ...each, line: numberIn(each, 'line') - this.#lineOffset }));
    const breakpoints = await this.#breakpoints.setLines(source, requested, this.#launched);
    this.#placeBreakpoints();
    return { breakpoints: breakpoints.map((each) => this.#shown(each)) };
  }

  async #setFunctionBreakpoints(given: unknown): Promise<object> {
    const requested = listIn(argumentsOf(given), 'breakpoints');
    const breakpoints = await this.#breakpoints.setFunctions(requested, this.#launched);
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
    return {
      breakpoints: wanted.map((filter) =>
        known.some((each) => each === filter)
          ? { verified: true }
          : { verified: false, message: `unknown filter ${filter}; expected one of ${known.join(', ')}` },
      ),
    };
  }

  #placeBreakpoints(): void {
    for (const thread of this.#threads) thread.setBreakpoints(this.#breakpoints.verified);
  }

  /** Returns a breakpoint with the editor's line. */
  #shown(breakpoint: DebugProtocol.Breakpoint): DebugProtocol.Breakpoint {
    const { line } = breakpoint;
    return line === undefined ? breakpoint : { ...breakpoint, line: line + this.#lineOffset };
  }

  async #stackTrace(given: unknown): Promise<object> {
    const args = argumentsOf(given);
    const thread = this.#threadIn(given);
    const { execution, position } = thread;
    if (execution.outline.count === 0) return { stackFrames: [], totalFrames: 0 };
    const frames = await execution.frames(position);
    const start = optionalNumber(args, 'startFrame') ?? 0;
    const levels = optionalNumber(args, 'levels') ?? 0;
    const end = levels <= 0 ? frames.length : start + levels;
    const stackFrames: DebugProtocol.StackFrame[] = [];
    for (const [index, frame] of frames.entries()) {
      if (index < start || index >= end) continue;
      const step = index === 0 ? position : continuation(frames[index - 1]);
      const id = this.#frames.size + 1;
      this.#frames.set(id, { thread, site: { execution, frame, step } });
      stackFrames.push(await this.#stackFrame(id, frame, step, index === 0 ? thread : null));
    }
    return { stackFrames, totalFrames: frames.length };
  }

  /** `thread` is the thread of the innermost frame; `null` for other frames. */
  async #stackFrame(
    id: number,
    frame: CallFrame,
    step: number | null,
    thread: DebugThread | null,
  ): Promise<DebugProtocol.StackFrame> {
    const { source: name, line, column, endLine, endColumn } = frame;
    const shown = {
      id,
      name: frameName(frame),
      ...(step === null ? {} : { instructionPointerReference: instructionAddress(step) }),
    };
    const statement = thread?.timeline.statementAt(thread.position) ?? null;
    const files = this.#threads.flatMap(({ execution }) => execution.outline.files);
    const running = statement === null ? undefined : thread?.execution.outline.files[statement.file];
    const file = running?.name === name ? running : files.find((each) => each.name === name);
    const sources = this.#launched?.sources;
    if (file === undefined || line === null || sources === undefined)
      return { ...shown, line: 0, column: 0, presentationHint: 'subtle' };
    const source = await sources.of(file);
    // The innermost frame is at the statement where the thread stopped.
    const isAtStatement = thread?.stop?.reason !== 'exception' && statement?.first === thread?.position;
    const isMoved = isAtStatement && running === file && statement?.line !== line;
    if (isMoved && statement !== null)
      return { ...shown, source, line: statement.line + this.#lineOffset, column: 1 + this.#columnOffset };
    return {
      ...shown,
      source,
      line: line + this.#lineOffset,
      column: (column ?? 1) + this.#columnOffset,
      ...(endLine === null ? {} : { endLine: endLine + this.#lineOffset }),
      ...(endColumn === null ? {} : { endColumn: endColumn + this.#columnOffset }),
    };
  }

  #frameIn(given: unknown): StoppedFrame {
    const id = numberIn(argumentsOf(given), 'frameId');
    const frame = this.#frames.get(id);
    if (frame === undefined) throw new InvalidArgumentError('frameId', 'a frame of the latest stop', id);
    return frame;
  }

  #scopesOf(given: unknown): FrameScopes {
    return new FrameScopes(this.#references, this.#frameIn(given).site);
  }

  async #variables(given: unknown): Promise<object> {
    const args = argumentsOf(given);
    const reference = numberIn(args, 'variablesReference');
    const load = this.#references.get(reference);
    if (load === null)
      throw new InvalidArgumentError('variablesReference', 'a reference of the latest stop', reference);
    const count = optionalNumber(args, 'count');
    const start = Math.max(0, optionalNumber(args, 'start') ?? 0);
    return { variables: await load({ start, count: count === null || count <= 0 ? null : count }) };
  }

  async #evaluate(given: unknown): Promise<object> {
    const args = argumentsOf(given);
    const expression = textIn(args, 'expression');
    const site = args.frameId === undefined ? await this.#topSite() : this.#frameIn(given).site;
    if (site.step === null)
      throw new DebugError('<not available: the compiler inlined the function that this function called>');
    const value = await site.execution.evaluate(site.step, expression);
    return new FrameScopes(this.#references, site).result(value, expression);
  }

  /** The innermost frame of the first thread. */
  async #topSite(): Promise<FrameSite> {
    const [thread] = this.#threads;
    if (thread === undefined) throw new DebugError('evaluate: nothing is launched');
    const { execution, position: step } = thread;
    const [frame] = await execution.frames(step);
    if (frame === undefined) throw new DebugError('evaluate: the execution has no steps');
    return { execution, frame, step };
  }

  async #source(given: unknown): Promise<object> {
    const args = argumentsOf(given);
    const { source } = args;
    const reference =
      optionalNumber(argumentsOf(source), 'sourceReference') ?? numberIn(args, 'sourceReference');
    const content = this.#launched?.sources.content(reference);
    if (content === undefined) throw new DebugError('source: nothing is launched');
    return { content };
  }

  async #loadedSources(): Promise<object> {
    const files = this.#threads.flatMap(({ execution }) => execution.outline.files);
    const sources: DebugProtocol.Source[] = [];
    for (const file of files) {
      const source = await this.#launched?.sources.of(file);
      if (source !== undefined) sources.push(source);
    }
    return { sources };
  }

  async #disassemble(given: unknown): Promise<object> {
    const args = argumentsOf(given);
    const [thread] = this.#threads;
    if (thread === undefined) throw new DebugError('disassemble: nothing is launched');
    const step = stepOfAddress(args.memoryReference) + (optionalNumber(args, 'offset') ?? 0);
    const offset = optionalNumber(args, 'instructionOffset') ?? 0;
    const count = numberIn(args, 'instructionCount');
    return { instructions: await disassembled(thread.execution, { step, offset, count }) };
  }

  async #readMemory(given: unknown): Promise<object> {
    const args = argumentsOf(given);
    const [thread] = this.#threads;
    const { step, place } =
      /^memory:(?<step>\d{1,9}):(?<place>\d{1,9})$/.exec(textIn(args, 'memoryReference'))?.groups ?? {};
    if (thread === undefined || step === undefined)
      throw new InvalidArgumentError(
        'memoryReference',
        'a reference of the scope Memory',
        args.memoryReference,
      );
    const { memory } = await thread.execution.details(Number(step));
    const bytes = Buffer.from(memory.join(''), 'hex');
    const start = Number(place) + (optionalNumber(args, 'offset') ?? 0);
    const count = Math.max(0, numberIn(args, 'count'));
    const part = start < 0 ? Buffer.alloc(0) : bytes.subarray(start, start + count);
    return {
      address: `0x${Math.max(0, start).toString(16)}`,
      data: part.toString('base64'),
      unreadableBytes: count - part.length,
    };
  }

  async #exceptionInfo(given: unknown): Promise<object> {
    const { stop } = this.#threadIn(given);
    if (stop?.stopping == null)
      throw new DebugError('exceptionInfo: the thread did not stop at an exception');
    const { event, isUncaught } = stop.stopping;
    return {
      exceptionId: event.error ?? (event.kind === 'failure' ? 'failure' : event.kind),
      description: event.text,
      breakMode: isUncaught ? 'unhandled' : 'always',
      details: { message: event.text, ...(event.error === undefined ? {} : { typeName: event.error }) },
    };
  }

  #printEvent(thread: DebugThread, event: OutlineEvent): void {
    if (event.isPassedOn === true) return;
    const subject = event.kind === 'console' || event.contract === null ? '' : `${event.contract}: `;
    this.#print(CATEGORIES[event.kind], `${subject}${event.text}`, thread, event.step);
  }

  #print(category: string, text: string, { timeline, execution }: DebugThread, step: number): void {
    if (this.#isEnded) return;
    const statement = timeline.statementAt(step);
    const file = statement === null ? undefined : execution.outline.files[statement.file];
    const output = { category, output: `${text}\n` };
    const sources = this.#launched?.sources;
    if (file === undefined || sources === undefined || statement === null) {
      this.#connection.emitEvent('output', output);
      return;
    }
    const line = statement.line + this.#lineOffset;
    this.#connection.emitEvent('output', { ...output, source: sources.known(file), line });
  }
}

/** Resolves to `undefined`, for requests whose response has no body. */
async function withoutBody(done: Promise<void>): Promise<undefined> {
  await done;
}

function granularityIn(given: unknown): Granularity {
  return optionalText(argumentsOf(given), 'granularity') === 'instruction' ? 'instruction' : 'statement';
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

function descriptionOf(event: OutlineEvent | undefined): string {
  if (event?.kind === 'console') return 'Paused on console output';
  return event?.kind === 'event' ? 'Paused on event' : 'Paused on failure';
}
