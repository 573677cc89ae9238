// The engine on the WebAssembly interpreter.

import type { Awaitable } from '../../primitives/awaitable.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { type CancelCheck, unlessCancelled, withoutAdmission } from '../../scheduling/cancel-check.ts';
import { Scheduler, type Yielder } from '../../scheduling/scheduler.ts';
import type { Overlay } from '../../state/overlay.ts';
import { MissingStateError } from '../../state/state-source.ts';
import {
  baseFeeFor,
  checkMessage,
  checkTransaction,
  environmentFor,
  PricedMessage,
  type Purpose,
} from '../admission.ts';
import {
  type BlockEnvironment,
  type Engine,
  type Execute,
  type ExecutionResult,
  type Message,
  type MessageCosts,
  UnexecutableError,
} from '../engine.ts';
import { MEMORY_LIMITS } from '../halt-reasons.ts';
import type { ExecutionObserver } from '../observer.ts';
import type { CreateRootstockPrecompiles, PrecompiledContract } from '../precompiles/precompiled-contract.ts';
import { PrecompiledContracts } from '../precompiles/precompiled-contracts.ts';
import { type ImpersonatedSigner, noImpersonatedSigner } from '../signers.ts';
import { ExecutionDriver, MachinePool } from './execution-driver.ts';
import type { InterpreterCounting } from './interpreter-module.ts';
import { RunAhead } from './run-ahead.ts';

/** Returns the precompiles by `hexKey` of the address. ECRECOVER checks impersonated signers. */
function enginePrecompiles(
  ruleSet: RuleSet,
  { chainId, createRootstockPrecompiles, impersonatedSigner }: WasmEngineOptions,
): ReadonlyMap<string, PrecompiledContract> {
  const contracts = new PrecompiledContracts(
    ruleSet,
    chainId,
    createRootstockPrecompiles,
    impersonatedSigner,
  ).all();
  return new Map(contracts.map((contract) => [hexKey(contract.address), contract]));
}

const HIGHEST_WORD = 2n ** 256n - 1n;
const HIGHEST_GAS_LIMIT = 2n ** 64n - 1n;

/**
 * Checks the ranges of the fields of a message. Only calls can have the highest nonce (EIP-2681). Throws
 * {@link UnexecutableError}.
 */
function checkRanges({ value, gasLimit, maxFeePerGas, nonce }: Message, purpose: Purpose): void {
  if (value < 0n || gasLimit < 0n || maxFeePerGas < 0n || nonce < 0n) {
    throw new UnexecutableError('value, gas limit, fee and nonce must not be negative');
  }
  if (value > HIGHEST_WORD) throw new UnexecutableError(`value ${value} does not fit into 256 bits`);
  if (gasLimit > HIGHEST_GAS_LIMIT)
    throw new UnexecutableError(`gas limit ${gasLimit} does not fit into 64 bits`);
  const below = purpose === 'transaction' ? 2n : 1n;
  if (nonce > 2n ** 64n - below)
    throw new UnexecutableError(`nonce ${nonce} is above the maximum of 2^64 - ${below}`);
  if (gasLimit * maxFeePerGas > HIGHEST_WORD) {
    throw new UnexecutableError(
      `the cost of ${gasLimit} gas at ${maxFeePerGas} wei does not fit into 256 bits`,
    );
  }
}

export interface WasmEngineOptions {
  readonly chainId: number;
  readonly createRootstockPrecompiles: CreateRootstockPrecompiles;
  /**
   * Maximum code size in bytes (EIP-170). The initcode limit is twice this value, under rule sets with
   * EIP-3860. `null` removes both limits.
   */
  readonly codeSizeLimit: number | null;
  /** Signers that ECRECOVER returns without recovering; default none. */
  readonly impersonatedSigner?: ImpersonatedSigner;
  /** Lets impersonated contracts send transactions, unlike EIP-3607. Default true. */
  readonly contractsMaySend?: boolean;
  /** The default time slices of executions without their own. */
  readonly yielder?: Yielder;
  /** Maximum memory of one execution in bytes; default {@link MEMORY_LIMITS}. */
  readonly memoryBound?: number;
  /** See {@link MachineOptions.placeholder}; tests choose words that would show in a result. */
  readonly placeholder?: Uint8Array | undefined;
  /** Counts executed opcodes; default off. */
  readonly counting?: InterpreterCounting | undefined;
}

/** The parameters of an execution except the block. */
interface Run {
  readonly state: Overlay;
  readonly message: Message;
  readonly purpose: Purpose;
  readonly observer: ExecutionObserver | undefined;
  readonly checkCancelled: CancelCheck | undefined;
  readonly costs: MessageCosts | undefined;
  readonly ahead: RunAhead;
  readonly isPrediction: boolean;
}

function ignore(): void {}

/** Maximum predictions for one observed execution. Each one executes the whole message. */
const MAX_PREDICTIONS = 16;

/** Returns synchronously unless it waits for state, a library or a time slice. */
class WasmEngine implements Engine {
  readonly name = 'wasm';
  readonly #ruleSet: RuleSet;
  readonly #chainId: bigint;
  readonly #impersonatedSigner: ImpersonatedSigner;
  readonly #initcodeLimit: number | null;
  readonly #contractsMaySend: boolean;
  readonly #pool: MachinePool;
  readonly #yielder: Yielder;
  /** Contracts destroyed in each block. Their addresses are reserved until the block ends. */
  readonly #endedByBlock = new WeakMap<BlockEnvironment, readonly Uint8Array[]>();

  constructor(ruleSet: RuleSet, options: WasmEngineOptions) {
    const { chainId, codeSizeLimit, memoryBound = MEMORY_LIMITS.execution } = options;
    const { impersonatedSigner = noImpersonatedSigner } = options;
    this.#ruleSet = ruleSet;
    this.#chainId = BigInt(chainId);
    this.#yielder = options.yielder ?? new Scheduler().createQueue();
    this.#impersonatedSigner = impersonatedSigner;
    this.#contractsMaySend = options.contractsMaySend ?? true;
    const hasInitcodeLimit = codeSizeLimit !== null && ruleSet.maximumInitcodeSize !== null;
    this.#initcodeLimit = hasInitcodeLimit ? 2 * codeSizeLimit : null;
    this.#pool = new MachinePool({
      ruleSet,
      limits: { code: codeSizeLimit, initcode: this.#initcodeLimit },
      precompiles: enginePrecompiles(ruleSet, options),
      memoryBound,
      placeholder: options.placeholder,
      counting: options.counting,
    });
  }

  readonly transact: Execute = (environment, state, message, observer, checkCancelled, costs) =>
    this.#execute(environment, {
      ...{ state, message, purpose: 'transaction', observer, checkCancelled, costs },
      ahead: new RunAhead(),
      isPrediction: false,
    });

  readonly call: Execute = (environment, state, message, observer, checkCancelled, costs) =>
    this.#execute(environment, {
      ...{ state, message, purpose: 'call', observer, checkCancelled, costs },
      ahead: new RunAhead(),
      isPrediction: false,
    });

  /**
   * Fetches the value, and the values that the message will miss next. An unobserved call of the message finds them.
   * Its failure is ignored, because the message itself will fail in the same way.
   */
  async #fetchAhead(missing: MissingStateError, environment: BlockEnvironment, run: Run): Promise<void> {
    const checkCancelled = run.checkCancelled && withoutAdmission(run.checkCancelled);
    const prediction: Run = {
      ...{ ...run, checkCancelled, purpose: 'call', observer: undefined },
      ...{ ahead: new RunAhead(), isPrediction: true },
    };
    const predict = async (): Promise<ExecutionResult> => this.#execute(environment, prediction);
    await Promise.all([missing.fetch(), predict().catch(ignore)]);
  }

  #execute(given: BlockEnvironment, run: Run): Awaitable<ExecutionResult> {
    const {
      state,
      message,
      purpose,
      observer,
      checkCancelled,
      costs = new PricedMessage(message, this.#ruleSet.fees),
    } = run;
    if (observer !== undefined) {
      // Wait for admission first, because an observed execution keeps its machine while it waits.
      const admission = checkCancelled?.yielder?.admission?.();
      if (admission !== undefined) return admission.then(() => this.#execute(given, run));
    }
    const environment = environmentFor(given, message, purpose);
    const baseFeePerGas = baseFeeFor(environment, message, purpose);
    checkRanges(message, purpose);
    const startingGas = checkMessage(message, this.#ruleSet, baseFeePerGas ?? 0n, this.#initcodeLimit, costs);
    try {
      if (purpose === 'transaction') {
        const { maximumTransactionGas } = this.#ruleSet;
        const sender = state.account(message.sender);
        checkTransaction(message, environment, sender, this.#contractsMaySend, maximumTransactionGas, costs);
      }
    } catch (error) {
      if (!(error instanceof MissingStateError)) throw error;
      return unlessCancelled(this.#fetchAhead(error, environment, run), checkCancelled).then(() => {
        checkCancelled?.();
        return this.#execute(environment, run);
      });
    }
    let predictions = 0;
    const taken = this.#endedByBlock.get(environment) ?? environment.ended ?? [];
    const driver = new ExecutionDriver(
      this.#pool,
      {
        ruleSet: this.#ruleSet,
        chainId: this.#chainId,
        impersonatedSigner: this.#impersonatedSigner,
        state,
        environment,
        observer: observer ?? null,
        message,
        purpose,
        baseFeePerGas,
        startingGas,
        maximumCost: costs.maximumCost,
        taken,
      },
      {
        checkCancelled,
        yielder: checkCancelled?.yielder ?? this.#yielder,
        again: () => this.#execute(environment, run),
        fetchAhead: (missing) =>
          predictions++ < MAX_PREDICTIONS ? this.#fetchAhead(missing, environment, run) : missing.fetch(),
        ahead: run.ahead,
        isPrediction: run.isPrediction,
        onEnded: (ended) => void this.#endedByBlock.set(environment, [...taken, ...ended]),
      },
    );
    return driver.execute();
  }
}

/** Creates the engine of a rule set. */
export function createWasmEngine(ruleSet: RuleSet, options: WasmEngineOptions): Engine {
  return new WasmEngine(ruleSet, options);
}
