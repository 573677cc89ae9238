import { type AdmittedTransaction, BlockGas, fundsFault } from '../../evm/admission.ts';
import {
  type BlockEnvironment,
  type Engine,
  type ExecutionResult,
  type MessageCosts,
  UnexecutableError,
} from '../../evm/engine.ts';
import { type FrameRecord, FrameRecorder } from '../../evm/frame-recorder.ts';
import { AccessListLimit, accessListHash, type RecordedBlock } from '../../execution/block-accesses.ts';
import {
  blockEnvironment,
  candidateBlock,
  type EnvironmentTemplate,
  sealBlock,
  type UnsealedBlock,
} from '../../execution/sealing.ts';
import { beginBlock, endBlock, hasSystemCalls, type SystemCallSite } from '../../execution/system-calls.ts';
import { type Awaitable, isPromise } from '../../primitives/awaitable.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Block, BlockHeader, ParentBlock } from '../../protocol/block.ts';
import { depositRequests } from '../../protocol/deposit-requests.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { CreateWork } from '../../protocol/merged-mining/proof-of-work.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { CancelCheck } from '../../scheduling/cancel-check.ts';
import type { Yielder } from '../../scheduling/scheduler.ts';
import { SLICE_MILLISECONDS } from '../../scheduling/slice-length.ts';
import { runTask, type Task, waitFor } from '../../scheduling/task.ts';
import { type Code, EMPTY_CODE } from '../../state/account.ts';
import { Overlay } from '../../state/overlay.ts';
import { fetchingState, MissingStateError } from '../../state/state-source.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { BlockClosing } from '../chain-core.ts';
import { requireCondition, type TransactionCondition } from '../pool/condition.ts';

/** The fields of a block that are fixed before its transactions run. */
export interface BlockTemplate extends EnvironmentTemplate {
  readonly parent: ParentBlock;
  readonly parentState: WorldState;
  /** Maximum gas of all transactions together: the block gas limit or less. */
  readonly gasForTransactions: bigint;
  /** Maximum number of transactions without the closing one; `null` for no limit. */
  readonly maximumTransactions: number | null;
  readonly extraData: Uint8Array;
  /** Ends the block; `null` if blocks have no closing transaction. */
  readonly closing: BlockClosing | null;
  /** Replays the block to record its state accesses; `null` if headers have no hash of the access list. */
  readonly recording: Pick<RecordedBlock, 'engine' | 'chainId' | 'impersonatedSigner'> | null;
  /** True to keep the frames of each transaction with its result. */
  readonly recordsFrames: boolean;
  /** True if failed system calls and malformed deposits invalidate the block. */
  readonly isStrict: boolean;
  /** Creates the parent chain's block for the proof of work; absent for a local one. */
  readonly createWork?: CreateWork | undefined;
  /** Headers of orphans that this block includes as uncles. */
  readonly uncles: readonly BlockHeader[];
  /** Throws to end a long transaction. */
  readonly checkCancelled?: CancelCheck | undefined;
}

/** A built block, the state after it, and the results of its transactions. */
export interface BuiltBlock {
  readonly block: Block;
  readonly state: WorldState;
  readonly results: readonly ExecutionResult[];
}

/** A block without a proof of work, with the requests of its system contracts (EIP-7685). */
export interface CandidateBlock extends BuiltBlock {
  readonly requests: readonly Uint8Array[];
}

/** Maximum encoded bytes of a block without its transactions: the header and list prefixes. */
const BYTES_BESIDE_TRANSACTIONS = 2_048;
/** Longest RLP prefix of a typed transaction in the list, in bytes. */
const MAX_PREFIX_LENGTH = 5;

const NO_REQUESTS: readonly Uint8Array[] = [];

/** Work units per replayed transaction, chosen so that the event loop is yielded between two of them. */
const RECORDED_TRANSACTION_WORK = 2 ** 14;

/** Returns the maximum bytes that a transaction adds to the encoded block. */
function encodedBytes({ raw }: Transaction): number {
  return raw.length + MAX_PREFIX_LENGTH;
}

/** A state, or an overlay over one. */
interface AccountReader {
  account(address: Uint8Array): { readonly code: Code } | undefined;
}

/** Returns the account's code; `null` if it has none, or if it is remote and was not fetched. */
function codeIn(state: AccountReader, address: Uint8Array): Code | null {
  try {
    const code = state.account(address)?.code ?? EMPTY_CODE;
    return code.bytes.length === 0 ? null : code;
  } catch (error) {
    // All executed code was fetched, so no code of this account ran. An example is an account that was called
    // at the depth limit.
    if (error instanceof MissingStateError) return null;
    throw error;
  }
}

/** A transaction for a block, and the condition for its inclusion. */
export type Candidate = AdmittedTransaction & { readonly condition?: TransactionCondition | null };

/** The reason of a transaction that is skipped because of the other transactions, or its fees. */
const DOES_NOT_FIT = '';

/** Called if the engine fails on a transaction. Returns true if the block can be built without it. */
export type FailureHandler = (failed: Transaction, error: unknown) => boolean;

export interface FillOptions {
  /** If the engine throws: true skips the transaction, false rethrows the error (default). */
  readonly onFailure?: FailureHandler;
  /** Called for each skipped transaction that cannot be executed now. */
  readonly onWaiting?: (transaction: Transaction, reason: string) => void;
  /** Collects the senders of skipped transactions for later calls. */
  readonly passedOver?: Set<string>;
}

/**
 * Builds one block on top of another: add transactions, then seal it. Methods return synchronously unless the
 * engine, remote state, or a long search for a proof of work requires a wait.
 */
export class BlockBuilder {
  readonly environment: BlockEnvironment;
  readonly #engine: Engine;
  readonly #ruleSet: RuleSet;
  readonly #template: BlockTemplate;
  #overlay: Overlay;
  readonly #transactions: Transaction[] = [];
  readonly #results: ExecutionResult[] = [];
  readonly #callsSystem: boolean;
  #hasBegun: boolean;
  #gas: BlockGas;
  /** `null` if blocks have no access lists. */
  readonly #accessListLimit: AccessListLimit | null;
  #running: Transaction | null = null;
  #blobs = 0;
  #encodedBytes = BYTES_BESIDE_TRANSACTIONS;

  constructor(engine: Engine, ruleSet: RuleSet, template: BlockTemplate) {
    this.#engine = engine;
    this.#ruleSet = ruleSet;
    this.#gas = new BlockGas(ruleSet);
    this.#callsSystem = hasSystemCalls(ruleSet);
    this.#hasBegun = !this.#callsSystem;
    this.#template = template;
    this.#overlay = new Overlay(template.parentState);
    const { parent } = template;
    const environment = blockEnvironment(ruleSet, template, parent.header.number + 1, parent.hash);
    const { closing } = template;
    this.environment =
      closing === null ? environment : { ...environment, feeRecipient: closing.feeRecipient };
    const { recording, parentState } = template;
    this.#accessListLimit =
      recording === null
        ? null
        : new AccessListLimit({ ...this.#systemCallSite, ...recording, before: parentState });
  }

  /** The transaction that was executed last; it may still run. */
  get running(): Transaction | null {
    return this.#running;
  }

  get transactions(): readonly Transaction[] {
    return this.#transactions;
  }

  /** The highest gas limit that a further transaction can have. */
  get gasLeft(): bigint {
    return this.#gas.left(this.#template.gasForTransactions);
  }

  /** True if the block has the maximum number of transactions. */
  get #isFull(): boolean {
    const { maximumTransactions } = this.#template;
    return maximumTransactions !== null && this.#transactions.length >= maximumTransactions;
  }

  /** The number of blobs that the block can still include. */
  get blobsLeft(): number {
    return (this.#ruleSet.blobs?.maximum ?? 0) - this.#blobs;
  }

  /**
   * Executes the transaction as the block's next one. Throws `UnexecutableError` for a transaction that
   * breaks a rule before execution; the block then stays unchanged.
   */
  add(transaction: Transaction, costs?: MessageCosts): Awaitable<ExecutionResult> {
    if (this.#hasBegun && this.#accessListLimit === null) return this.#run(transaction, costs);
    return runTask(this.#prepareAndRun(transaction, costs));
  }

  *#prepareAndRun(transaction: Transaction, costs: MessageCosts | undefined): Task<ExecutionResult> {
    if (!this.#hasBegun) yield* this.#begin();
    if (this.#accessListLimit !== null)
      yield* this.#requireAccessListLimit(this.#accessListLimit, transaction);
    return yield* waitFor(this.#run(transaction, costs));
  }

  #run(transaction: Transaction, costs: MessageCosts | undefined): Awaitable<ExecutionResult> {
    const recorder = this.#template.recordsFrames ? new FrameRecorder() : undefined;
    const { environment } = this;
    const { checkCancelled } = this.#template;
    this.#running = transaction;
    const run = this.#engine.transact(
      environment,
      this.#overlay,
      transaction,
      recorder,
      checkCancelled,
      costs,
    );
    return isPromise(run)
      ? run.then((result) => this.#added(transaction, result, recorder))
      : this.#added(transaction, run, recorder);
  }

  #added(
    transaction: Transaction,
    result: ExecutionResult,
    recorder: FrameRecorder | undefined,
  ): ExecutionResult {
    this.#gas.add(result);
    this.#blobs += transaction.blobVersionedHashes.length;
    this.#encodedBytes += encodedBytes(transaction);
    this.#transactions.push(transaction);
    this.#results.push(recorder === undefined ? result : { ...result, frames: this.#framesOf(recorder) });
    return result;
  }

  #framesOf(recorder: FrameRecorder): FrameRecord {
    return recorder.record(
      (address) => codeIn(this.#overlay, address),
      (address) => codeIn(this.#template.parentState, address),
    );
  }

  *#requireAccessListLimit(room: AccessListLimit, transaction: Transaction): Task<void> {
    const hasRoom = room.has([...this.#transactions, transaction], this.#gas.used + transaction.gasLimit);
    if (yield* hasRoom) return;
    throw new UnexecutableError(
      `the block would access more accounts and slots than its gas limit of ${this.environment.gasLimit} allows (EIP-7928)`,
    );
  }

  /** Runs the system calls before all transactions. */
  *#begin(): Task<void> {
    this.#hasBegun = true;
    yield* beginBlock({ ...this.#systemCallSite, state: this.#overlay });
  }

  get #systemCallSite(): Omit<SystemCallSite, 'state'> {
    const parentHash = this.#template.parent.hash;
    return { engine: this.#engine, ruleSet: this.#ruleSet, environment: this.environment, parentHash };
  }

  /**
   * Adds the transactions that fit, in order. A transaction that does not fit or cannot be executed is
   * skipped, and so are later ones of its sender. Yields between transactions at the end of a time slice.
   */
  *fill(
    candidates: readonly Candidate[],
    yielder: Yielder,
    { onFailure = () => false, onWaiting = () => undefined, passedOver = new Set() }: FillOptions = {},
  ): Task<void> {
    let isFirst = true;
    for (const candidate of candidates) {
      const { transaction, condition = null } = candidate;
      if (!isFirst && yielder.blockedFor() >= SLICE_MILLISECONDS) yield* waitFor(yielder.wait());
      isFirst = false;
      if (passedOver.size > 0 && passedOver.has(hexKey(transaction.sender))) continue;
      try {
        if (condition !== null) yield* this.#require(condition);
        const fault = this.fits(transaction) ? yield* this.#tryAdd(candidate) : DOES_NOT_FIT;
        if (fault === null) continue;
        passedOver.add(hexKey(transaction.sender));
        if (fault !== DOES_NOT_FIT) onWaiting(transaction, fault);
      } catch (error) {
        if (!onFailure(transaction, error)) throw error;
        passedOver.add(hexKey(transaction.sender));
      }
    }
  }

  *#require(condition: TransactionCondition): Task<void> {
    const state = yield* this.#overlay.toWorldStateInSteps();
    yield* waitFor(fetchingState(() => requireCondition(condition, this.environment, state)));
  }

  /** Returns a function that removes the transactions that were added after this call. */
  *checkpoint(): Task<() => void> {
    if (!this.#hasBegun) yield* this.#begin();
    const state = yield* this.#overlay.toWorldStateInSteps();
    const { length } = this.#transactions;
    const [blobs, bytes] = [this.#blobs, this.#encodedBytes];
    return () => {
      this.#overlay = new Overlay(state);
      this.#transactions.length = length;
      this.#results.length = length;
      this.#blobs = blobs;
      this.#encodedBytes = bytes;
      this.#gas = new BlockGas(this.#ruleSet);
      for (const result of this.#results) this.#gas.add(result);
    };
  }

  /** True if the transaction fits into the block and its fees meet the block's minimum. */
  fits(transaction: Transaction): boolean {
    const { baseFeePerGas, minimumGasPrice } = this.environment;
    if (this.#isFull) return false;
    if (transaction.gasLimit > this.gasLeft || transaction.blobVersionedHashes.length > this.blobsLeft)
      return false;
    const { maximumBlockSize } = this.#ruleSet;
    if (maximumBlockSize !== null && this.#encodedBytes + encodedBytes(transaction) > maximumBlockSize)
      return false;
    if (this.#ruleSet.fees.offer(transaction) < minimumGasPrice) return false;
    return baseFeePerGas === null || transaction.maxFeePerGas >= baseFeePerGas;
  }

  /** Adds the transaction. Returns the reason, with the block unchanged, if it cannot be executed. */
  *#tryAdd(candidate: AdmittedTransaction): Task<string | null> {
    const fault = this.#faultOfFunds(candidate);
    if (fault !== null) return fault;
    try {
      const added = this.add(candidate.transaction, candidate);
      if (isPromise(added)) yield added;
      return null;
    } catch (error) {
      if (error instanceof UnexecutableError) return error.message;
      throw error;
    }
  }

  /** The engine checks the funds too, but an error for each of many transactions takes long. */
  #faultOfFunds({ transaction: { sender }, maximumCost }: AdmittedTransaction): string | null {
    try {
      return fundsFault(this.#overlay.account(sender)?.balance ?? 0n, maximumCost);
    } catch (error) {
      // The engine fetches the account.
      if (error instanceof MissingStateError) return null;
      throw error;
    }
  }

  /** Returns the block without a proof of work. A large block yields; add no transaction meanwhile. */
  *candidate(): Task<CandidateBlock> {
    const unsealed = yield* this.#unsealed();
    const { state, results, requests } = unsealed;
    return { block: yield* candidateBlock(unsealed, this.#ruleSet), state, results, requests };
  }

  /**
   * Returns the sealed block with roots, bloom, header, proof of work and hash. A large block yields during
   * the work. Add no transaction until it is done. A long search awaits `pause`, see `sealBlock`.
   */
  *seal(pause?: () => Promise<void>): Task<BuiltBlock> {
    const unsealed = yield* this.#unsealed();
    const block = yield* sealBlock(unsealed, this.#ruleSet, pause, this.#template.createWork);
    const { validate } = this.#engine;
    if (validate !== undefined) yield* waitFor(validate(block, this.#template.parent));
    return { block, state: unsealed.state, results: unsealed.results };
  }

  *#unsealed(): Task<UnsealedBlock & Pick<BuiltBlock, 'state'>> {
    const { parent, extraData, closing, uncles, recording } = this.#template;
    if (!this.#hasBegun) yield* this.#begin();
    const before = yield* this.#overlay.toWorldStateInSteps();
    const { requests, state } = this.#callsSystem
      ? yield* this.#ended(before)
      : { requests: NO_REQUESTS, state: before };
    // The lists are copied, because transactions can be added after a candidate was made.
    const unsealed = {
      parent,
      uncles,
      environment: this.environment,
      extraData,
      transactions: this.#transactions.slice(),
      results: this.#results.slice(),
      requests,
      accessListHash: recording === null ? null : yield* this.#accessListHash(recording),
      state,
    };
    if (closing === null) return unsealed;
    const closed = yield* waitFor(fetchingState(() => this.#closed(closing, unsealed.state)));
    return { ...unsealed, ...closed };
  }

  /** Returns the state after the final system calls, and the requests that they return. */
  *#ended(before: WorldState): Task<Pick<UnsealedBlock, 'requests'> & Pick<BuiltBlock, 'state'>> {
    const state = new Overlay(before);
    const { isStrict } = this.#template;
    const deposits = yield* depositRequests(this.#results, this.#ruleSet.depositContract, isStrict);
    const requests = [...deposits, ...(yield* endBlock({ ...this.#systemCallSite, state, isStrict }))];
    return { requests, state: state.stamp === before.stamp ? before : state.toWorldState() };
  }

  *#accessListHash(recording: NonNullable<BlockTemplate['recording']>): Task<Uint8Array | null> {
    return yield* accessListHash({
      ...this.#systemCallSite,
      ...recording,
      before: this.#template.parentState,
      transactions: this.#transactions,
      work: RECORDED_TRANSACTION_WORK,
    });
  }

  /** Returns the transactions with the closing one, on a separate state, so that more can be added. */
  #closed(
    closing: BlockClosing,
    before: WorldState,
  ): Pick<UnsealedBlock, 'transactions' | 'results'> & Pick<BuiltBlock, 'state'> {
    const state = new Overlay(before);
    const result = closing.run(this.environment, state);
    return {
      transactions: [...this.#transactions, closing.transaction(this.environment.number)],
      results: [...this.#results, result],
      state: state.toWorldState(),
    };
  }
}
