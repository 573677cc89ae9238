// The worker thread of JavaScript tracers. It executes each message again with a tracer in a separate
// sandbox, so that a tracer cannot block the main thread. It reads the chain through requests to the main
// thread.

import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { equalBytes } from '../../primitives/bytes.ts';
import { hexKey, toHex } from '../../primitives/hex.ts';
import type { Block } from '../../protocol/block.ts';
import { withPaidBridge } from '../../protocol/hardforks/free-calls.ts';
import { precompilesOf } from '../../protocol/hardforks/precompiles.ts';
import { ruleSetOnChain } from '../../protocol/hardforks/public-chains.ts';
import { ruleSetNamed } from '../../protocol/hardforks/registry.ts';
import { intrinsicGas } from '../../protocol/intrinsic-gas.ts';
import { precompileFunctions } from '../../rootstock/precompile-functions.ts';
import type { Account } from '../../state/account.ts';
import { Overlay } from '../../state/overlay.ts';
import type { SourceCall, SourceContract, StateSource } from '../../state/state-source.ts';
import { WorldState } from '../../state/world-state.ts';
import type { BlockEnvironment, Engine, ExecutionResult } from '../engine.ts';
import { TracerFailedError } from '../errors.ts';
import { createWasmEngine } from '../interpreter/interpreter-engine.ts';
import type { CreateRootstockPrecompiles } from '../precompiles/precompiled-contract.ts';
import type { ImpersonatedSigner } from '../signers.ts';
import { gethError } from '../tracers/error-messages.ts';
import { QUICKJS } from './quickjs.ts';
import { type AnswerSandbox, Sandbox } from './sandbox.ts';
import type { TracedContext } from './sandbox-interface.ts';
import { ScriptObserver } from './script-observer.ts';
import {
  NotATracerError,
  type PlainEnvironment,
  type Question,
  type QuestionAnswer,
  type RecordedEvent,
  type ThreadMessage,
  type ThreadStart,
  type TraceAnswer,
  type TracedRules,
  type TraceJob,
} from './trace-job.ts';

/** Thrown if the main thread could not read a value. The main thread has the reason. */
class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** Sends blocking requests to the main thread. */
class Asking {
  readonly #signal: Int32Array;
  readonly #questions: MessagePort;

  constructor({ signal, questions }: ThreadStart) {
    this.#signal = signal;
    this.#questions = questions;
  }

  ask(question: Question): unknown {
    Atomics.store(this.#signal, 0, 0);
    this.#questions.postMessage(question);
    Atomics.wait(this.#signal, 0, 0);
    const received = receiveMessageOnPort(this.#questions);
    if (received === undefined)
      throw new Error('the main thread announced a response, but the response did not arrive');
    const answer: QuestionAnswer = received.message;
    if ('isFailure' in answer)
      throw new UnreadableError('the main thread could not read the requested value');
    return answer.value;
  }
}

/** The state before a message and its chain. Values are cached. */
class RemoteChain implements StateSource {
  readonly #asking: Asking;
  readonly #accounts = new Map<string, Account | undefined>();
  readonly #slots = new Map<string, Uint8Array>();

  constructor(start: ThreadStart) {
    this.#asking = new Asking(start);
  }

  account(address: Uint8Array): Account | undefined {
    const key = hexKey(address);
    if (this.#accounts.has(key)) return this.#accounts.get(key);
    const found = this.#asking.ask({ kind: 'account', address }) as Omit<Account, 'storage'> | undefined;
    const account = found === undefined ? undefined : { ...found, storage: null, storageSource: this };
    this.#accounts.set(key, account);
    return account;
  }

  storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const key = hexKey(address) + hexKey(slot);
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const value = this.#asking.ask({ kind: 'storage', address, slot }) as Uint8Array;
    this.#slots.set(key, value);
    return value;
  }

  contract(address: Uint8Array): SourceContract | null {
    const isChanged = this.#asking.ask({ kind: 'source contract', address }) as boolean | undefined;
    if (isChanged === undefined) return null;
    const call = (made: SourceCall): Uint8Array =>
      this.#asking.ask({ kind: 'source call', address, call: made }) as Uint8Array;
    return { isChanged, call };
  }

  blockHash(number: number): Uint8Array {
    return this.#asking.ask({ kind: 'block hash', number }) as Uint8Array;
  }

  /** Adds the functions that read the chain. */
  environment(plain: PlainEnvironment): BlockEnvironment {
    return {
      ...plain,
      blockHash: (number) => this.blockHash(number),
      ancestor: (number) => this.#asking.ask({ kind: 'ancestor', number }) as Block | undefined,
    };
  }

  readonly impersonatedSigner: ImpersonatedSigner = (signature) =>
    this.#asking.ask({ kind: 'signer', signature }) as Uint8Array | undefined;
}

async function engineOf(
  { ruleSet: name, upstreamChainId, engine, chainId, codeSizeLimit, federation }: TracedRules,
  chain: RemoteChain,
): Promise<Engine> {
  const named = withPaidBridge(ruleSetNamed(name), chainId);
  const ruleSet = upstreamChainId === null ? named : ruleSetOnChain(named, upstreamChainId);
  const options = {
    chainId,
    codeSizeLimit,
    impersonatedSigner: chain.impersonatedSigner,
    createRootstockPrecompiles: ((precompiles, id) =>
      precompileFunctions(precompiles, id, federation)) satisfies CreateRootstockPrecompiles,
  };
  if (engine === 'wasm') return createWasmEngine(ruleSet, options);
  const { createReferenceEngine } = await import('../../reference/reference-engine.ts');
  return createReferenceEngine(ruleSet, options);
}

function precompileCheck(
  { ruleSet }: TracedRules,
  { movedPrecompiles }: BlockEnvironment,
): (address: Uint8Array) => boolean {
  const precompiles = precompilesOf(ruleSetNamed(ruleSet));
  return (address) => {
    const moved = movedPrecompiles?.get(hexKey(address));
    if (moved !== undefined) return moved !== null;
    return precompiles.some((precompile) => equalBytes(precompile.address, address));
  };
}

/** Returns the context that geth passes to `result`, without input and output. */
function contextOf(
  job: TraceJob,
  observer: ScriptObserver,
  result: ExecutionResult | null,
  milliseconds: number,
): TracedContext {
  const { message, environment, rules, position } = job;
  const { outermost, outermostEnd } = observer;
  const error = outermostEnd === null ? null : gethError(outermostEnd);
  const place =
    position === null
      ? {}
      : { blockHash: toHex(position.blockHash), txHash: toHex(position.transactionHash) };
  return {
    bytes: {
      from: toHex(message.sender),
      to: toHex(outermost?.to ?? message.to ?? new Uint8Array(20)),
      coinbase: toHex(environment.coinbase),
      ...place,
    },
    integers: {
      value: message.value.toString(),
      gasPrice: (result?.effectiveGasPrice ?? 0n).toString(),
    },
    plain: {
      type: message.to === null ? 'CREATE' : 'CALL',
      gas: Number(message.gasLimit),
      gasUsed: Number(result?.gasUsed ?? 0n),
      intrinsicGas: Number(intrinsicGas(withPaidBridge(ruleSetNamed(rules.ruleSet), rules.chainId), message)),
      block: environment.number,
      time: `${milliseconds.toFixed(3)}ms`,
      ...(position === null ? {} : { txIndex: position.transactionIndex }),
      ...(error === null ? {} : { error }),
    },
  };
}

function replay(events: readonly RecordedEvent[], observer: ScriptObserver): void {
  for (const event of events) {
    if (event.kind === 'start') observer.frameStart(event.start);
    else observer.frameEnd(event.end);
  }
}

/** Runs a job and returns its trace. */
async function trace(job: TraceJob, module: WebAssembly.Module, start: ThreadStart): Promise<TraceAnswer> {
  const chain = new RemoteChain(start);
  let answer: AnswerSandbox = () => undefined;
  const sandbox = await Sandbox.create(module, (...question) => answer(...question));
  const functions = sandbox.adopt(job.script.source, job.script.config);
  const environment = chain.environment(job.environment);
  const observer = new ScriptObserver(sandbox, functions, precompileCheck(job.rules, environment));
  answer = observer.answer;
  const state = new Overlay(WorldState.beginningWith(chain));
  const begun = performance.now();
  let result: ExecutionResult | null = null;
  if (job.events !== null) {
    observer.begin(state);
    replay(job.events, observer);
  } else {
    const engine = await engineOf(job.rules, chain);
    const execute = job.position === null ? engine.call : engine.transact;
    result = await execute(environment, state, job.message, observer);
  }
  observer.end(state);
  const json = sandbox.result(contextOf(job, observer, result, performance.now() - begun));
  return { kind: 'trace', json, gasUsed: result?.gasUsed ?? 0n };
}

function answerOf(error: unknown): TraceAnswer {
  if (error instanceof NotATracerError) return { kind: 'no tracer', reason: error.message };
  if (error instanceof TracerFailedError) return { kind: 'failed tracer', reason: error.reason };
  if (error instanceof UnreadableError) return { kind: 'unreadable' };
  return { kind: 'bug', error };
}

function post(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

const start = workerData as ThreadStart;
const quickJs = start.quickJs ?? new WebAssembly.Module(QUICKJS.binary);
parentPort?.on('message', async (job: TraceJob) => {
  post({ kind: 'begun', quickJs });
  const answer = await trace(job, quickJs, start).catch(answerOf);
  post(answer);
});
