// The engine on ethereumjs, the reference for other engines.

import type { Block } from '@ethereumjs/block';
import type { Common } from '@ethereumjs/common';
import type { Log as LibraryLog } from '@ethereumjs/evm';
import type { TypedTransaction } from '@ethereumjs/tx';
import { bigIntMax, bigIntMin } from '@ethereumjs/util';
import { type RunTxResult, runTx, type VM } from '@ethereumjs/vm';
import {
  baseFeeFor,
  boundedBalance,
  checkMessage,
  checkTransaction,
  entryGas,
  environmentFor,
  executionGas,
  PricedMessage,
  type Purpose,
  startingGas,
} from '../evm/admission.ts';
import { authorizationRefund, signedAuthorizations } from '../evm/authorizations.ts';
import type { ConsoleRecord } from '../evm/console.ts';
import {
  type BlockEnvironment,
  type Engine,
  type Execute,
  type ExecutionResult,
  LOG_BYTES,
  type Message,
  type MovedPrecompiles,
  UnsupportedMessageError,
} from '../evm/engine.ts';
import { EngineMemoryError } from '../evm/errors.ts';
import { MEMORY_LIMITS } from '../evm/halt-reasons.ts';
import {
  type ExecutionObserver,
  type Outcome,
  reportTransfer,
  reportUnstarted,
  type Transfer,
} from '../evm/observer.ts';
import type { CreateRootstockPrecompiles } from '../evm/precompiles/precompiled-contract.ts';
import { type ImpersonatedSigner, impersonatedAuthority, noImpersonatedSigner } from '../evm/signers.ts';
import type { Awaitable } from '../primitives/awaitable.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import { precompilesOf } from '../protocol/hardforks/precompiles.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { Log } from '../protocol/receipt.ts';
import { HIGHEST_NONCE } from '../protocol/transaction.ts';
import { type CancelCheck, neverCancelled, unlessCancelled } from '../scheduling/cancel-check.ts';
import type { Overlay } from '../state/overlay.ts';
import { fetchingState } from '../state/state-source.ts';
import { haltReason } from './frame-start.ts';
import { EnvironmentBlockHashes, environmentBlock, messageTransaction } from './library-input.ts';
import { Observation } from './observation.ts';
import { ConsoleWatch } from './reference-step.ts';
import { EMPTY_SITE, EndedContracts, isRejected } from './rootstock/rootstock-evm.ts';
import { RootstockPrecompiles } from './rootstock/rootstock-precompiles.ts';
import { ruleSetCommon } from './rule-set-common.ts';
import { OverlayStateManager } from './state-manager.ts';
import { createVirtualMachine, ExecutionQueue } from './virtual-machine.ts';

export interface ReferenceEngineOptions {
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
  /** Maximum memory of one execution in bytes; default {@link MEMORY_LIMITS}. */
  readonly memoryBound?: number;
}

/** The parameters of an execution except the block. */
interface Run {
  readonly purpose: Purpose;
  readonly observer: ExecutionObserver | undefined;
  readonly checkCancelled: CancelCheck;
}

/** Throws for authorizations of impersonated signers, because ethereumjs always recovers signers itself. */
function checkAuthorizations({ authorizationList }: Message, signerOf: ImpersonatedSigner): void {
  if (
    authorizationList.every((authorization) => impersonatedAuthority(authorization, signerOf) === undefined)
  )
    return;
  throw new UnsupportedMessageError(
    'the reference engine does not support authorizations of impersonated signers; use --engine wasm',
  );
}

/** Throws for a message inside a transaction, because ethereumjs always runs whole transactions. */
function checkIsWhole({ inside }: Message): void {
  if (inside === undefined) return;
  throw new UnsupportedMessageError(
    'the reference engine does not support calls inside a transaction; use --engine wasm',
  );
}

/** Throws for a call that pays less than the shown fees, because ethereumjs has one value for both. */
function checkShownFees(environment: BlockEnvironment, baseFeePerGas: bigint | null): void {
  const { showsFees, shownBlobBaseFee = null } = environment;
  if (shownBlobBaseFee === null && (showsFees !== true || environment.baseFeePerGas === baseFeePerGas))
    return;
  throw new UnsupportedMessageError(
    'the reference engine does not support calls below the base fee that read the base fee of the block; use --engine wasm',
  );
}

/** Throws for the highest nonce, because ethereumjs has no transaction with it (EIP-2681). */
function checkNonce(nonce: bigint): void {
  if (nonce < HIGHEST_NONCE) return;
  throw new UnsupportedMessageError(
    'the reference engine does not support calls of an account with the nonce 2^64 - 1; use --engine wasm',
  );
}

function logOf([address, topics, data]: LibraryLog): Log {
  return { address, topics, data };
}

/** Returns the logs; empty if the message does not want them. */
function logsOf(logs: readonly LibraryLog[], { keepsLogs }: Message): Log[] {
  const bytes = logs.reduce((sum, [, , data]) => sum + LOG_BYTES + data.length, 0);
  return bytes > 0 && keepsLogs?.(bytes) === false ? [] : logs.map(logOf);
}

/** Returns the wei per gas that the sender pays. */
function gasPrice({ maxFeePerGas, maxPriorityFeePerGas }: Message, baseFeePerGas: bigint | null): bigint {
  return baseFeePerGas === null
    ? maxFeePerGas
    : bigIntMin(baseFeePerGas + maxPriorityFeePerGas, maxFeePerGas);
}

/** Moves wei between two accounts. */
function move(state: Overlay, from: Uint8Array, to: Uint8Array, wei: bigint): void {
  const add = (address: Uint8Array, change: bigint): void => {
    const { nonce, balance } = state.account(address) ?? { nonce: 0n, balance: 0n };
    state.setAccount(address, { nonce, balance: boundedBalance(balance + change) });
  };
  add(from, -wei);
  add(to, wei);
}

function executionResult(
  transaction: TypedTransaction,
  message: Message,
  baseFeePerGas: bigint | null,
  result: RunTxResult,
  gasPaid: bigint,
  floor: bigint,
  record: ConsoleRecord | undefined,
): ExecutionResult {
  const { execResult, totalGasSpent, createdAddress } = result;
  const reason = haltReason(execResult);
  const failure: Outcome = reason === null ? 'revert' : 'halt';
  const outcome = execResult.exceptionError === undefined ? 'success' : failure;
  const { blockGasSpent, txStateGas: stateGas = 0n, txRegularGas } = result;
  // With separate state gas, ethereumjs reports both kinds of gas, and its block gas is the gas before the
  // refund.
  const spent =
    txRegularGas === undefined ? execResult.executionGasUsed + transaction.getIntrinsicGas() : blockGasSpent;
  return {
    outcome,
    haltReason: reason,
    gasUsed: totalGasSpent,
    gasPaid,
    // The floor of EIP-7623 can raise the charge above the gas used.
    gasBeforeRefund: bigIntMax(spent, totalGasSpent),
    stateGas,
    executionGas: txRegularGas ?? executionGas(spent, stateGas, floor),
    effectiveGasPrice: gasPrice(message, baseFeePerGas),
    returnData: outcome === 'halt' ? EMPTY_BYTES : execResult.returnValue,
    logs: outcome === 'success' ? logsOf(execResult.logs ?? [], message) : [],
    createdAddress: createdAddress?.bytes ?? null,
    ...(isRejected(execResult) ? { isFailedPrecompile: true as const } : {}),
    ...(record === undefined ? {} : { console: record }),
  };
}

/** Returns true for V8's errors if ethereumjs requests too many bytes for an array or the memory. */
function isWantOfMemory(error: unknown): boolean {
  return (
    error instanceof RangeError && /^(?:Invalid typed array length|Array buffer alloc)/.test(error.message)
  );
}

/** Executes messages one after the other. */
class ReferenceEngine implements Engine {
  readonly name = 'reference';
  readonly #ruleSet: RuleSet;
  readonly #common: Common;
  readonly #codeSizeLimit: number | null;
  readonly #contractsMaySend: boolean;
  readonly #impersonatedSigner: ImpersonatedSigner;
  readonly #stateManager = new OverlayStateManager();
  readonly #blockHashes = new EnvironmentBlockHashes();
  readonly #endedContracts = new EndedContracts();
  readonly #rootstockPrecompiles: RootstockPrecompiles;
  readonly #observation = new Observation();
  readonly #console = new ConsoleWatch();
  readonly #yielder: ExecutionQueue;
  readonly #precompiles: readonly { readonly key: string; readonly address: Uint8Array }[];
  #movedPrecompiles: MovedPrecompiles | undefined;
  #site = EMPTY_SITE;
  #machine: VM | undefined;
  /** A separate machine for observed messages, so that other messages run at full speed. */
  #observedMachine: VM | undefined;
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(ruleSet: RuleSet, options: ReferenceEngineOptions) {
    const { chainId, codeSizeLimit, impersonatedSigner, contractsMaySend = true } = options;
    this.#ruleSet = ruleSet;
    this.#yielder = new ExecutionQueue(options.memoryBound ?? MEMORY_LIMITS.execution);
    this.#rootstockPrecompiles = new RootstockPrecompiles(
      ruleSet,
      chainId,
      options.createRootstockPrecompiles,
    );
    this.#impersonatedSigner = impersonatedSigner ?? noImpersonatedSigner;
    this.#codeSizeLimit = codeSizeLimit;
    this.#contractsMaySend = contractsMaySend;
    this.#common = ruleSetCommon(ruleSet, chainId, codeSizeLimit ?? ruleSet.maximumCodeSize);
    this.#precompiles = precompilesOf(ruleSet).map(({ address }) => ({ key: hexKey(address), address }));
  }

  readonly transact: Execute = (environment, state, message, observer, checkCancelled = neverCancelled) =>
    this.#inTurn(
      () => this.#execute(environment, state, message, { purpose: 'transaction', observer, checkCancelled }),
      checkCancelled,
    );

  readonly call: Execute = (environment, state, message, observer, checkCancelled = neverCancelled) =>
    this.#inTurn(
      () => this.#execute(environment, state, message, { purpose: 'call', observer, checkCancelled }),
      checkCancelled,
    );

  /** Creates the machine in advance, so that the first message does not wait for it. */
  async prepare(): Promise<VM> {
    this.#machine ??= await this.#createMachine(null);
    return this.#machine;
  }

  async #prepareObserved(): Promise<VM> {
    this.#observedMachine ??= await this.#createMachine(this.#observation);
    return this.#observedMachine;
  }

  #createMachine(observation: Observation | null): Promise<VM> {
    return createVirtualMachine({
      ruleSet: this.#ruleSet,
      common: this.#common,
      stateManager: this.#stateManager,
      blockHashes: this.#blockHashes,
      endedContracts: this.#endedContracts,
      rootstockPrecompiles: this.#rootstockPrecompiles,
      site: () => this.#site,
      movedPrecompiles: () => this.#movedPrecompiles,
      unlimitedCode: this.#codeSizeLimit === null,
      observation,
      console: this.#console,
      yielder: this.#yielder,
      impersonatedSigner: this.#impersonatedSigner,
    });
  }

  /** Runs a message after the previous ones. A message that is cancelled while it waits is not executed. */
  #inTurn<Result>(run: () => Promise<Result>, checkCancelled: CancelCheck): Promise<Result> {
    let isGivenUp = false;
    const turn = this.#lastTurn.then(() => {
      if (isGivenUp) checkCancelled();
      return run();
    });
    this.#lastTurn = turn.catch(() => undefined);
    return unlessCancelled(turn, checkCancelled).catch((error: unknown) => {
      isGivenUp = true;
      throw error;
    });
  }

  async #execute(
    given: BlockEnvironment,
    state: Overlay,
    message: Message,
    { purpose, observer, checkCancelled }: Run,
  ): Promise<ExecutionResult> {
    checkAuthorizations(message, this.#impersonatedSigner);
    checkIsWhole(message);
    const sender = await fetchingState(() => state.account(message.sender), checkCancelled);
    const environment = environmentFor(given, message, purpose);
    const baseFeePerGas = baseFeeFor(environment, message, purpose);
    checkShownFees(environment, baseFeePerGas);
    const costs = new PricedMessage(message, this.#ruleSet.fees);
    const { floor } = checkMessage(message, this.#ruleSet, baseFeePerGas ?? 0n, this.#initcodeLimit, costs);
    if (purpose === 'transaction') {
      const { maximumTransactionGas } = this.#ruleSet;
      checkTransaction(message, environment, sender, this.#contractsMaySend, maximumTransactionGas, costs);
    }
    const nonce = purpose === 'transaction' ? message.nonce : (sender?.nonce ?? 0n);
    checkNonce(nonce);
    const transaction = messageTransaction(message, nonce, this.#ruleSet, this.#common);
    const isNetwork = this.#ruleSet.reference.machine === 'network';
    // BASEFEE returns this value.
    const shownBaseFee = isNetwork ? null : baseFeePerGas;
    const block = environmentBlock(environment, shownBaseFee ?? environment.minimumGasPrice, this.#common);
    const needsRefund = (observer !== undefined || isNetwork) && this.#ruleSet.gas.state === null;
    const refundBefore = needsRefund ? await this.#authorizationRefund(message, state, checkCancelled) : 0n;
    const movedPrecompiles = await fetchingState(() => this.#movesOf(environment, state), checkCancelled);
    const machine = await (observer === undefined ? this.prepare() : this.#prepareObserved());
    this.#stateManager.open(state, message.sender, checkCancelled);
    this.#blockHashes.use(environment, checkCancelled);
    this.#endedContracts.use(environment);
    this.#movedPrecompiles = movedPrecompiles;
    const parties = [message.sender, ...(message.to === null ? [] : [message.to])];
    this.#site = { authorizationRefund: refundBefore, warm: new Set(parties.map(toHex)) };
    const remark = (text: string): void => observer?.remark?.(text);
    const transfer = (made: Transfer): void => {
      if (observer !== undefined) reportTransfer(observer, made);
    };
    this.#rootstockPrecompiles.use({
      environment,
      state,
      message,
      purpose,
      checkCancelled,
      remark,
      transfer,
    });
    this.#console.begin();
    this.#yielder.begin(checkCancelled);
    if (observer !== undefined)
      this.#observation.begin(observer, state, refundBefore, this.#endedContracts.all());
    const result = await this.#run(machine, transaction, block, purpose);
    if (observer !== undefined && message.authorizationList.length > 0 && !this.#observation.hasFrames) {
      const { intrinsic } = startingGas(this.#ruleSet, message);
      const { gas } = entryGas(this.#ruleSet, message.gasLimit, intrinsic, message.stateReservoir);
      reportUnstarted(observer, message, gas);
    }
    if (purpose === 'transaction') {
      this.#endedContracts.add(environment, result.execResult.selfdestruct?.keys() ?? []);
    }
    const gasPaid = isRejected(result.execResult) ? message.gasLimit : result.totalGasSpent;
    if (gasPaid > result.totalGasSpent) {
      // ethereumjs charged only the gas used in the receipt.
      const rest = (gasPaid - result.totalGasSpent) * gasPrice(message, baseFeePerGas);
      move(state, message.sender, environment.feeRecipient ?? environment.coinbase, rest);
    }
    return executionResult(transaction, message, baseFeePerGas, result, gasPaid, floor, this.#console.record);
  }

  /** Returns the moved precompiles of the environment, and `null` for each precompile replaced by code. */
  #movesOf({ movedPrecompiles }: BlockEnvironment, state: Overlay): MovedPrecompiles | undefined {
    const replaced = this.#precompiles.filter(
      ({ key, address }) => movedPrecompiles?.has(key) !== true && state.hasLocalCode(address),
    );
    if (replaced.length === 0) return movedPrecompiles;
    const moves = new Map(movedPrecompiles);
    for (const { key } of replaced) moves.set(key, null);
    return moves;
  }

  #authorizationRefund(message: Message, state: Overlay, checkCancelled: CancelCheck): Awaitable<bigint> {
    const signed = signedAuthorizations(
      message.authorizationList,
      this.#common.chainId(),
      this.#impersonatedSigner,
    );
    return fetchingState(() => authorizationRefund(signed, message, state, this.#ruleSet), checkCancelled);
  }

  async #run(machine: VM, tx: TypedTransaction, block: Block, purpose: Purpose): Promise<RunTxResult> {
    const isCall = purpose === 'call';
    try {
      return await runTx(machine, {
        tx,
        block,
        skipNonce: isCall,
        skipBalance: isCall,
        skipBlockGasLimitValidation: isCall,
        skipHardForkValidation: true,
      });
    } catch (error) {
      // The machine may be in an inconsistent state, so the next message gets a new one.
      if (machine === this.#machine) this.#machine = undefined;
      else this.#observedMachine = undefined;
      throw isWantOfMemory(error) ? new EngineMemoryError(error) : error;
    } finally {
      this.#stateManager.close();
      this.#observation.end();
    }
  }

  get #initcodeLimit(): number | null {
    if (this.#codeSizeLimit === null || this.#ruleSet.maximumInitcodeSize === null) return null;
    return 2 * this.#codeSizeLimit;
  }
}

/** Creates the engine. Import on demand, because loading ethereumjs takes a tenth of a second. */
export async function createReferenceEngine(
  ruleSet: RuleSet,
  options: ReferenceEngineOptions,
): Promise<Engine> {
  const engine = new ReferenceEngine(ruleSet, options);
  await engine.prepare();
  return engine;
}
