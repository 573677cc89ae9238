// The sandbox of one tracer: QuickJS in its own WebAssembly module, with no access except the host calls
// below.

import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import { TracerFailedError } from '../errors.ts';
import { QUICKJS } from './quickjs.ts';
import { makeSandboxInterface, type SandboxFunctions, type TracedContext } from './sandbox-interface.ts';
import { type HostQuestion, SANDBOX_LAYOUT } from './sandbox-layout.ts';
import { MAX_TRACE_LENGTH, NotATracerError } from './trace-job.ts';

/** TypeScript uses the types of the CommonJS module, but esbuild uses the default export of the ES module. */
const VARIANT = QUICKJS.variant as unknown as QuickJSSyncVariant;

/** Memory in pages of 64 KiB. The memory limit of the library does not work in WebAssembly. */
const PAGES = { initial: 256, maximum: 4096 };
/** Stack of a tracer in bytes: below the module's stack, so that the sandbox detects recursion. */
const MAX_STACK = 2 ** 18;

/** The file name of the source in errors. `describe` searches for it. */
const FILE = 'tracer';

/** Marks the shared bytes, to find their address in the memory of the module. */
const MARK = 'the bytes that a tracer shares with its host';

/** Handles a sandbox request. Returns bytes, a text, or undefined if the result is in the shared bytes. */
export type AnswerSandbox = (
  question: HostQuestion,
  bytes: Uint8Array | undefined,
) => Uint8Array | string | undefined;

/** The optional functions of a tracer. */
export interface TracerFunctions {
  readonly hasStep: boolean;
  readonly hasFrames: boolean;
}

type HookName = 'step' | 'fault' | 'enter' | 'exit';

/**
 * The failure of a host call. It is an error of the host, or the reason why the sandbox could not pass a
 * value. The tracer must not catch it.
 */
type AskFailure = { readonly error: unknown } | { readonly reason: string };

/** Makes the allocator throw if no memory is left, because the library would otherwise write to address 0. */
function checkingAllocations(variant: QuickJSSyncVariant): QuickJSSyncVariant {
  return {
    ...variant,
    async importModuleLoader() {
      const imported = await variant.importModuleLoader();
      const outer = typeof imported === 'function' ? imported : imported.default;
      const load = typeof outer === 'function' ? outer : outer.default;
      return async (options) => {
        const module = await load(options);
        const allocate = module._malloc.bind(module);
        module._malloc = (size: number) => {
          const address = allocate(size);
          if (address === 0) throw new Error('the sandbox has no memory');
          return address;
        };
        return module;
      };
    },
  };
}

/** One tracer in its sandbox. */
export class Sandbox {
  readonly #context: QuickJSContext;
  readonly #functions: Readonly<Record<keyof SandboxFunctions, QuickJSHandle>>;
  readonly #memory: WebAssembly.Memory;
  readonly #shared: number;
  readonly #answer: AnswerSandbox;
  #numbers: Float64Array = new Float64Array(0);
  #bytes: Uint8Array = new Uint8Array(0);
  #failure: AskFailure | null = null;

  private constructor(context: QuickJSContext, memory: WebAssembly.Memory, answer: AnswerSandbox) {
    this.#context = context;
    this.#memory = memory;
    this.#answer = answer;
    const marked = new Uint8Array(SANDBOX_LAYOUT.size);
    marked.set(new TextEncoder().encode(MARK));
    // The library copies data in both directions. The shared bytes are therefore located in the module's
    // memory once; they never move.
    const shared = context.newArrayBuffer(marked.buffer);
    this.#shared = Buffer.from(memory.buffer).indexOf(MARK);
    const { numbers } = this;
    numbers.fill(0);
    this.#own(context.evalCode(QUICKJS.bigInteger, 'big-integer.js')).dispose();
    const ask = context.newFunction('ask', (question, bytes) => this.#ask(question, bytes));
    const makeInterface = this.#own(context.evalCode(`(${makeSandboxInterface.toString()})`, 'interface.js'));
    const layout = this.#own(context.evalCode(`(${JSON.stringify(SANDBOX_LAYOUT)})`));
    const bigInt = context.getProp(context.global, 'bigInt');
    const made = this.#own(
      context.callFunction(makeInterface, context.undefined, shared, ask, layout, bigInt),
    );
    const named = (name: keyof SandboxFunctions): QuickJSHandle => context.getProp(made, name);
    this.#functions = {
      adopt: named('adopt'),
      setup: named('setup'),
      step: named('step'),
      fault: named('fault'),
      enter: named('enter'),
      exit: named('exit'),
      result: named('result'),
      describe: named('describe'),
    };
  }

  /** Creates a sandbox in a new instance of the module. */
  static async create(module: WebAssembly.Module, answer: AnswerSandbox): Promise<Sandbox> {
    const memory = new WebAssembly.Memory(PAGES);
    const quickJsModule = await newQuickJSWASMModuleFromVariant(
      checkingAllocations(newVariant(VARIANT, { wasmModule: module, wasmMemory: memory })),
    );
    const runtime = quickJsModule.newRuntime();
    runtime.setMaxStackSize(MAX_STACK);
    return new Sandbox(runtime.newContext(), memory, answer);
  }

  /** The numbers of the layout; valid until the sandbox is called. */
  get numbers(): Float64Array {
    this.#refresh();
    return this.#numbers;
  }

  /** The bytes of the layout; valid until the sandbox is called. */
  get bytes(): Uint8Array {
    this.#refresh();
    return this.#bytes;
  }

  #refresh(): void {
    if (this.#bytes.length > 0) return;
    const { buffer } = this.#memory;
    this.#numbers = new Float64Array(buffer, this.#shared, 16);
    this.#bytes = new Uint8Array(buffer, this.#shared, SANDBOX_LAYOUT.size);
  }

  /** Sets the tracer and calls `setup`. Throws {@link NotATracerError} or {@link TracerFailedError}. */
  adopt(source: string, config: string): TracerFunctions {
    const context = this.#context;
    const isNone = (reason: string): Error => new NotATracerError(reason);
    const tracer = this.#guarded(() => context.evalCode(`(${source}\n)`, FILE), isNone);
    const { adopt } = this.#functions;
    const adopted = this.#guarded(() => context.callFunction(adopt, context.undefined, tracer), isNone);
    if (context.typeof(adopted) === 'string') throw new NotATracerError(context.getString(adopted));
    const flags = context.getNumber(adopted);
    this.#call(
      'setup',
      this.#passing('setup', () => context.newString(config)),
    );
    return { hasStep: (flags & 1) !== 0, hasFrames: (flags & 2) !== 0 };
  }

  /** Calls a function of the tracer. Throws {@link TracerFailedError}. */
  hook(name: HookName): void {
    this.#call(name).dispose();
  }

  /** Returns the trace as JSON. Throws {@link TracerFailedError}. */
  result(traced: TracedContext): string {
    const context = this.#context;
    const text = this.#passing('result', () => context.newString(JSON.stringify(traced)));
    const result = this.#call('result', text, context.newNumber(MAX_TRACE_LENGTH));
    if (context.typeof(result) === 'string') return this.#passing('result', () => context.getString(result));
    throw new TracerFailedError(
      `its result has ${context.getNumber(result)} characters of JSON; the maximum is ${MAX_TRACE_LENGTH}`,
    );
  }

  #call(name: keyof SandboxFunctions, ...parameters: QuickJSHandle[]): QuickJSHandle {
    const context = this.#context;
    return this.#guarded(
      () => context.callFunction(this.#functions[name], context.undefined, ...parameters),
      (reason) => failedIn(name, reason),
    );
  }

  /** Passes a value into or out of the sandbox. Throws {@link TracerFailedError} if no memory is left. */
  #passing<Value>(name: keyof SandboxFunctions, pass: () => Value): Value {
    try {
      return pass();
    } catch (error) {
      throw failedIn(name, wordsOfModule(error));
    }
  }

  #guarded(
    run: () => ReturnType<QuickJSContext['evalCode']>,
    toError: (reason: string) => Error,
  ): QuickJSHandle {
    let answer: ReturnType<QuickJSContext['evalCode']>;
    try {
      answer = run();
    } catch (error) {
      this.#throwFailure(toError);
      throw toError(wordsOfModule(error));
    }
    this.#throwFailure(toError);
    if (answer.error === undefined) return answer.value;
    throw toError(this.#describe(answer.error));
  }

  /** Throws the failure of a host call, if any. */
  #throwFailure(toError: (reason: string) => Error): void {
    const failure = this.#failure;
    if (failure !== null) throw 'reason' in failure ? toError(failure.reason) : failure.error;
  }

  #describe(error: QuickJSHandle): string {
    const context = this.#context;
    try {
      const described = context.callFunction(this.#functions.describe, context.undefined, error);
      if (described.error === undefined) return context.getString(described.value);
    } catch (inModule) {
      return wordsOfModule(inModule);
    }
    return 'it threw a value that cannot be displayed';
  }

  /** Unwraps the result of trusted code, which does not fail. */
  #own(answer: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    return this.#context.unwrapResult(answer);
  }

  #ask(question: QuickJSHandle, bytes: QuickJSHandle | undefined): QuickJSHandle {
    const context = this.#context;
    let isHostsOwn = false;
    try {
      const kind = context.getNumber(question) as HostQuestion;
      const given =
        bytes === undefined ? undefined : context.getArrayBuffer(bytes).consume((part) => part.value.slice());
      isHostsOwn = true;
      const answer = this.#answer(kind, given);
      isHostsOwn = false;
      if (answer === undefined) return context.undefined;
      if (typeof answer === 'string') return context.newString(answer);
      return context.newArrayBuffer(answer.slice().buffer);
    } catch (error) {
      this.#failure ??= isHostsOwn ? { error } : { reason: wordsOfModule(error) };
      throw error;
    }
  }
}

function failedIn(name: keyof SandboxFunctions, reason: string): TracerFailedError {
  return new TracerFailedError(`${reason} in its function ${name}`);
}

/** Returns the reason why the module itself failed: no memory left, or the thread's stack exhausted. */
function wordsOfModule(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply';
  return 'it exceeds the memory limit of tracers';
}
