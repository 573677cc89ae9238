/** The requests that read the open execution: its stack, variables, sources and instructions. */

import type { DebugProtocol } from '@vscode/debugprotocol';
import { DebugError, InvalidArgumentError } from './debug-error.ts';
import type { DebugThread } from './debug-thread.ts';
import { disassembled, placeOfAddress } from './disassembly.ts';
import { exceptionDetails } from './exception-filters.ts';
import type { Execution } from './execution.ts';
import { memoryAt, memoryPlace } from './memory.ts';
import type { RequestHandler } from './protocol-server.ts';
import { argumentsOf, numberIn, optionalNumber, textIn } from './request-arguments.ts';
import { FrameScopes, VariableReferences } from './scopes.ts';
import type { Offsets } from './session-output.ts';
import type { Sources } from './sources.ts';
import { innermostSite, StoppedFrames } from './stopped-frames.ts';

/** The executions of the session. */
export interface ReadTarget {
  /** At most one. */
  readonly threads: readonly DebugThread[];
  /** `null` before `launch` and `attach`. */
  readonly sources: Sources | null;
  readonly offsets: Offsets;
}

export class ReadRequests {
  readonly #read: () => ReadTarget;
  readonly #references = new VariableReferences();
  readonly #frames = new StoppedFrames();

  /** `read` returns the current executions. */
  constructor(read: () => ReadTarget) {
    this.#read = read;
  }

  get #target(): ReadTarget {
    return this.#read();
  }

  get handlers(): Record<string, RequestHandler> {
    return {
      threads: async () => ({ threads: this.#target.threads.map(({ id, name }) => ({ id, name })) }),
      stackTrace: (given) => this.#stackTrace(given),
      scopes: async (given) => {
        const site = this.#frames.site(numberIn(argumentsOf(given), 'frameId'));
        return { scopes: new FrameScopes(this.#references, site).scopes() };
      },
      variables: (given) => this.#variables(given),
      evaluate: (given) => this.#evaluate(given),
      source: (given) => this.#source(given),
      loadedSources: () => this.#loadedSources(),
      disassemble: (given) => this.#disassemble(given),
      readMemory: (given) => this.#readMemory(given),
      exceptionInfo: async (given) => exceptionDetails(this.threadIn(given).stop?.stopping ?? null),
    };
  }

  /** Invalidates frames and variables, when the execution moves. */
  forgetStop(): void {
    this.#references.clear();
    this.#frames.clear();
  }

  /** Returns the thread of a request. Throws {@link InvalidArgumentError}. */
  threadIn(given: unknown): DebugThread {
    const id = argumentsOf(given).threadId;
    const thread = this.#target.threads.find((each) => each.id === id);
    if (thread === undefined)
      throw new InvalidArgumentError(
        'threadId',
        `one of ${this.#target.threads.map((each) => each.id).join(', ') || 'no threads'}`,
        id,
      );
    return thread;
  }

  /** Returns the execution of a reference. References to ended executions are invalid. */
  #executionOf(id: number, reference: unknown): Execution {
    const thread = this.#target.threads.find((each) => each.id === id);
    if (thread === undefined)
      throw new InvalidArgumentError('memoryReference', 'a reference to an open execution', reference);
    return thread.execution;
  }

  async #stackTrace(given: unknown): Promise<object> {
    const args = argumentsOf(given);
    const thread = this.threadIn(given);
    const range = {
      start: optionalNumber(args, 'startFrame') ?? 0,
      levels: optionalNumber(args, 'levels') ?? 0,
    };
    return this.#frames.stack(thread, range, this.#sources('stackTrace'), this.#target.offsets);
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
    const [thread] = this.#target.threads;
    if (args.frameId === undefined && thread === undefined)
      throw new DebugError('evaluate: no execution is open');
    const site =
      args.frameId === undefined && thread !== undefined
        ? await innermostSite(thread)
        : this.#frames.site(numberIn(args, 'frameId'));
    if (site.step === null)
      throw new DebugError('<not available: the compiler inlined the function that this function called>');
    const value = await site.execution.evaluate(site.step, expression);
    return new FrameScopes(this.#references, site).result(value, expression);
  }

  async #source(given: unknown): Promise<object> {
    const args = argumentsOf(given);
    const { source } = args;
    const reference =
      optionalNumber(argumentsOf(source), 'sourceReference') ?? numberIn(args, 'sourceReference');
    return { content: this.#sources('source').content(reference) };
  }

  async #loadedSources(): Promise<object> {
    const files = this.#target.threads.flatMap(({ execution }) => execution.outline.files);
    const sources: DebugProtocol.Source[] = [];
    for (const file of files) sources.push(await this.#sources('loadedSources').of(file));
    return { sources };
  }

  async #disassemble(given: unknown): Promise<object> {
    const args = argumentsOf(given);
    const { thread, step } = placeOfAddress(args.memoryReference);
    const range = {
      thread,
      step: step + (optionalNumber(args, 'offset') ?? 0),
      offset: optionalNumber(args, 'instructionOffset') ?? 0,
      count: numberIn(args, 'instructionCount'),
    };
    return { instructions: await disassembled(this.#executionOf(thread, args.memoryReference), range) };
  }

  async #readMemory(given: unknown): Promise<object> {
    const args = argumentsOf(given);
    const place = memoryPlace(args.memoryReference);
    const offset = place.offset + (optionalNumber(args, 'offset') ?? 0);
    const execution = this.#executionOf(place.thread, args.memoryReference);
    return memoryAt(execution, { ...place, offset }, Math.max(0, numberIn(args, 'count')));
  }

  #sources(request: string): Sources {
    const { sources } = this.#target;
    if (sources === null) throw new DebugError(`${request}: nothing is launched`);
    return sources;
  }
}
