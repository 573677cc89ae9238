import { type CheckInterrupt, unlessInterrupted } from '../../primitives/interrupt.ts';
import { Scheduler, type Turns } from '../../primitives/scheduler.ts';
import type { Awaitable } from '../../primitives/steps.ts';
import { type ExecutionRules, executionRulesOf } from '../../protocol/hardforks/execution-rules.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Overlay } from '../../state/overlay.ts';
import { StateElsewhere } from '../../state/state-elsewhere.ts';
import { baseFeeFor, checkMessage, checkTransaction, type Purpose } from '../admission.ts';
import type { BlockEnvironment, Engine, ExecutionResult, Message } from '../engine.ts';
import { type ImpersonatedSigner, nobodyImpersonated } from '../impersonated-signer.ts';
import type { ExecutionObserver } from '../observer.ts';
import { ContextWriter } from './context-writer.ts';
import { enginePrecompiles } from './engine-precompiles.ts';
import { ExecutionDriver } from './execution-driver.ts';
import { checkRanges } from './field-ranges.ts';
import { MachinePool } from './machine-pool.ts';

/** What a wasm engine plays. */
export interface WasmEngineOptions {
  readonly chainId: number;
  /**
   * The most bytes of code that an account may have (EIP-170); initcode may have twice as many where it has a limit
   * (EIP-3860). `null` lifts both limits.
   */
  readonly codeSizeLimit: number | null;
  /** Whom ECRECOVER answers for a signature; by default nobody is set. */
  readonly impersonatedSigner?: ImpersonatedSigner;
  /** Whether an account with code may send transactions, against EIP-3607, as impersonated contracts do; true by default. */
  readonly contractsMaySend?: boolean;
  /** The turns of executions whose callers have none of their own. */
  readonly turns?: Turns;
  /** The most bytes of memory that one execution may take; a gibibyte by default. */
  readonly memoryBound?: number;
}

const MEMORY_BOUND = 2 ** 30;

/** What a message runs with besides the block it runs in. */
interface Run {
  readonly state: Overlay;
  readonly message: Message;
  readonly purpose: Purpose;
  readonly observer: ExecutionObserver | undefined;
  readonly checkInterrupt: CheckInterrupt | undefined;
}

/** The engine on our own interpreter. It answers at once unless it must wait for state, a library, or its turn. */
class WasmEngine implements Engine {
  readonly name = 'wasm';
  readonly #ruleSet: RuleSet;
  readonly #rules: ExecutionRules;
  readonly #chainId: bigint;
  readonly #impersonatedSigner: ImpersonatedSigner;
  readonly #initcodeLimit: number | null;
  readonly #contractsMaySend: boolean;
  readonly #pool: MachinePool;
  readonly #turns: Turns;
  readonly #context = new ContextWriter();
  /** Contracts that ended in each block, where they hold their addresses until it ends. */
  readonly #endedByBlock = new WeakMap<BlockEnvironment, readonly Uint8Array[]>();

  constructor(ruleSet: RuleSet, options: WasmEngineOptions) {
    const { chainId, codeSizeLimit, memoryBound = MEMORY_BOUND } = options;
    const { impersonatedSigner = nobodyImpersonated } = options;
    this.#ruleSet = ruleSet;
    this.#rules = executionRulesOf(ruleSet.name);
    this.#chainId = BigInt(chainId);
    this.#turns = options.turns ?? new Scheduler().createLane();
    this.#impersonatedSigner = impersonatedSigner;
    this.#contractsMaySend = options.contractsMaySend ?? true;
    const hasInitcodeLimit = codeSizeLimit !== null && ruleSet.maximumInitcodeSize !== null;
    this.#initcodeLimit = hasInitcodeLimit ? 2 * codeSizeLimit : null;
    this.#pool = new MachinePool({
      rules: this.#rules,
      limits: { code: codeSizeLimit, initcode: this.#initcodeLimit },
      precompiles: enginePrecompiles(ruleSet, this.#rules.precompiles.gas, chainId, impersonatedSigner),
      memoryBound,
    });
  }

  transact(
    environment: BlockEnvironment,
    state: Overlay,
    message: Message,
    observer?: ExecutionObserver,
    checkInterrupt?: CheckInterrupt,
  ): Awaitable<ExecutionResult> {
    return this.#execute(environment, { state, message, purpose: 'transaction', observer, checkInterrupt });
  }

  call(
    environment: BlockEnvironment,
    state: Overlay,
    message: Message,
    observer?: ExecutionObserver,
    checkInterrupt?: CheckInterrupt,
  ): Awaitable<ExecutionResult> {
    return this.#execute(environment, { state, message, purpose: 'call', observer, checkInterrupt });
  }

  #execute(environment: BlockEnvironment, run: Run): Awaitable<ExecutionResult> {
    const { state, message, purpose, observer, checkInterrupt } = run;
    if (observer !== undefined) {
      // Once it has begun it keeps its machine whatever it waits for, as an observer is told once.
      const admission = checkInterrupt?.turns?.admission?.();
      if (admission !== undefined) return admission.then(() => this.#execute(environment, run));
    }
    const baseFeePerGas = baseFeeFor(environment, message, purpose);
    checkRanges(message);
    checkMessage(message, this.#ruleSet, baseFeePerGas ?? 0n, this.#initcodeLimit);
    try {
      if (purpose === 'transaction') {
        checkTransaction(message, environment, state.account(message.sender), this.#contractsMaySend);
      }
    } catch (error) {
      if (!(error instanceof StateElsewhere)) throw error;
      return unlessInterrupted(error.fetch(), checkInterrupt).then(() => {
        checkInterrupt?.();
        return this.#execute(environment, run);
      });
    }
    const taken = this.#endedByBlock.get(environment) ?? [];
    const driver = new ExecutionDriver(
      this.#pool,
      this.#context,
      {
        ruleSet: this.#ruleSet,
        rules: this.#rules,
        chainId: this.#chainId,
        impersonatedSigner: this.#impersonatedSigner,
        state,
        environment,
        observer: observer ?? null,
        message,
        purpose,
        baseFeePerGas,
        taken,
      },
      {
        checkInterrupt,
        turns: checkInterrupt?.turns ?? this.#turns,
        again: () => this.#execute(environment, run),
        onEnded: (ended) => void this.#endedByBlock.set(environment, [...taken, ...ended]),
      },
    );
    return driver.execute();
  }
}

/** An engine for the rule set on our own interpreter in WebAssembly. */
export function createWasmEngine(ruleSet: RuleSet, options: WasmEngineOptions): Engine {
  return new WasmEngine(ruleSet, options);
}
