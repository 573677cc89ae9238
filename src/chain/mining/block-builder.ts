import { BlockGas } from '../../evm/admission.ts';
import {
  type BlockEnvironment,
  type Engine,
  type ExecutionResult,
  UnexecutableError,
} from '../../evm/engine.ts';
import { type FrameRecord, FrameRecorder } from '../../evm/frame-recorder.ts';
import { AccessListRoom, accessListHash, type RecordedBlock } from '../../execution/block-accesses.ts';
import {
  blockEnvironment,
  candidateBlockInPieces,
  type EnvironmentTemplate,
  sealBlock,
  type UnsealedBlock,
} from '../../execution/sealing.ts';
import { beginBlock, endBlock, hasSystemCalls, type SystemCallSite } from '../../execution/system-calls.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Block, BlockHeader, ParentBlock } from '../../protocol/block.ts';
import { depositRequests } from '../../protocol/deposit-requests.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { SLICE_MILLISECONDS, type Turns } from '../../scheduling/scheduler.ts';
import { type Awaitable, isPromise, runTask, type Task, waitFor } from '../../scheduling/task.ts';
import type { WorkPieces } from '../../scheduling/work-pieces.ts';
import { type Code, EMPTY_CODE } from '../../state/account.ts';
import { Overlay } from '../../state/overlay.ts';
import { fetchingState, MissingStateError } from '../../state/state-source.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { BlockClosing } from '../chain-core.ts';

/** The fields of a block that are settled before its transactions run. */
export interface BlockTemplate extends EnvironmentTemplate {
  readonly parent: ParentBlock;
  readonly parentState: WorldState;
  /** Gas that all transactions together can have: that of the block, or less. */
  readonly gasForTransactions: bigint;
  readonly extraData: Uint8Array;
  /** Ends the block; `null` where nothing does. */
  readonly closing: BlockClosing | null;
  /** Runs the block once more to find what it looks at; `null` where headers carry no hash of that. */
  readonly recording: Pick<RecordedBlock, 'engine' | 'chainId' | 'impersonatedSigner'> | null;
  /** True to keep the frames of each transaction with its result. */
  readonly recordsFrames: boolean;
  /** The headers of blocks that lost against ancestors of this one, to be included in it. */
  readonly uncles: readonly BlockHeader[];
}

/** A block that was built, the state after it, and how each of its transactions ran. */
export interface BuiltBlock {
  readonly block: Block;
  readonly state: WorldState;
  readonly results: readonly ExecutionResult[];
}

/** The most bytes of a block's encoding beside its transactions: the header, the prefixes of the lists. */
const BYTES_BESIDE_TRANSACTIONS = 2_048;
/** The longest prefix of a typed transaction in the list, where it stands as a string. */
const LONGEST_PREFIX = 5;

const NO_REQUESTS: readonly Uint8Array[] = [];

/** Units of work for a transaction that runs once more, so that the event loop is yielded between two of them. */
const RECORDED_TRANSACTION_WORK = 2 ** 14;

/** Returns the most bytes that a transaction adds to the encoding of a block. */
function encodedBytes({ raw }: Transaction): number {
  return raw.length + LONGEST_PREFIX;
}

/** A state, or an overlay over one. */
interface AccountReader {
  account(address: Uint8Array): { readonly code: Code } | undefined;
}

/** Returns the code of the account; `null` for none, and for one elsewhere that the execution did not fetch. */
function codeIn(state: AccountReader, address: Uint8Array): Code | null {
  try {
    const code = state.account(address)?.code ?? EMPTY_CODE;
    return code.bytes.length === 0 ? null : code;
  } catch (error) {
    // All code that ran was fetched, so that this is an account without code, such as one that was called too deep.
    if (error instanceof MissingStateError) return null;
    throw error;
  }
}

/** Called for a transaction on which the engine fails; returns true if the block can be made without it. */
export type FailureHandler = (failed: Transaction, error: unknown) => boolean;

/**
 * Builds one block on top of another: transactions are added one after the other, then it is sealed. All answers are there
 * at once, but where the engine, a state elsewhere or a long search for a proof of work has to be waited for.
 */
export class BlockBuilder {
  readonly environment: BlockEnvironment;
  readonly #engine: Engine;
  readonly #ruleSet: RuleSet;
  readonly #template: BlockTemplate;
  readonly #overlay: Overlay;
  readonly #transactions: Transaction[] = [];
  readonly #results: ExecutionResult[] = [];
  #hasBegun: boolean;
  readonly #gas: BlockGas;
  /** `null` where blocks have no access lists. */
  readonly #accessListRoom: AccessListRoom | null;
  #blobs = 0;
  #encodedBytes = BYTES_BESIDE_TRANSACTIONS;

  constructor(engine: Engine, ruleSet: RuleSet, template: BlockTemplate) {
    this.#engine = engine;
    this.#ruleSet = ruleSet;
    this.#gas = new BlockGas(ruleSet);
    this.#hasBegun = !hasSystemCalls(ruleSet);
    this.#template = template;
    this.#overlay = new Overlay(template.parentState);
    const { parent } = template;
    const environment = blockEnvironment(ruleSet, template, parent.header.number + 1, parent.hash);
    const { closing } = template;
    this.environment =
      closing === null ? environment : { ...environment, feeRecipient: closing.feeRecipient };
    const { recording, parentState } = template;
    this.#accessListRoom =
      recording === null
        ? null
        : new AccessListRoom({ ...this.#systemCallSite, ...recording, before: parentState });
  }

  /** The transactions that were added. */
  get transactions(): readonly Transaction[] {
    return this.#transactions;
  }

  /** The highest gas limit of a transaction for which the block still has gas. */
  get gasLeft(): bigint {
    return this.#gas.left(this.#template.gasForTransactions);
  }

  /** The blobs that the block can still have. */
  get blobsLeft(): number {
    return (this.#ruleSet.blobs?.maximum ?? 0) - this.#blobs;
  }

  /**
   * Runs the transaction as the block's next one. Throws `UnexecutableError`, the block unchanged, when it breaks a
   * rule that stands before any execution.
   */
  add(transaction: Transaction): Awaitable<ExecutionResult> {
    if (this.#hasBegun && this.#accessListRoom === null) return this.#run(transaction);
    return runTask(this.#prepareAndRun(transaction));
  }

  *#prepareAndRun(transaction: Transaction): Task<ExecutionResult> {
    if (!this.#hasBegun) yield* this.#begin();
    if (this.#accessListRoom !== null) yield* this.#requireAccessListRoom(this.#accessListRoom, transaction);
    return yield* waitFor(this.#run(transaction));
  }

  #run(transaction: Transaction): Awaitable<ExecutionResult> {
    const recorder = this.#template.recordsFrames ? new FrameRecorder() : undefined;
    const run = this.#engine.transact(this.environment, this.#overlay, transaction, recorder);
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

  *#requireAccessListRoom(room: AccessListRoom, transaction: Transaction): Task<void> {
    const hasRoom = room.has([...this.#transactions, transaction], this.#gas.used + transaction.gasLimit);
    if (yield* hasRoom) return;
    throw new UnexecutableError(
      `the block would access more accounts and slots than its gas limit of ${this.environment.gasLimit} allows (EIP-7928)`,
    );
  }

  /** Makes the calls of the protocol that come before all transactions. */
  *#begin(): Task<void> {
    this.#hasBegun = true;
    yield* beginBlock({ ...this.#systemCallSite, state: this.#overlay });
  }

  get #systemCallSite(): Omit<SystemCallSite, 'state'> {
    const parentHash = this.#template.parent.hash;
    return { engine: this.#engine, ruleSet: this.#ruleSet, environment: this.environment, parentHash };
  }

  /**
   * Adds the transactions that fit, in their order. One that does not fit or cannot be executed stays out, and with it the
   * later ones of its sender, who is put into `passedOver` for a block that is filled further. Yields the event loop between
   * two of them when that has been held for a slice of time. When the engine throws for a
   * transaction, it stays out too if `onFailure` returns true; otherwise the error is thrown.
   */
  *fill(
    transactions: readonly Transaction[],
    turns: Turns,
    onFailure: FailureHandler = () => false,
    passedOver: Set<string> = new Set(),
  ): Task<void> {
    let isFirst = true;
    for (const transaction of transactions) {
      if (!isFirst && turns.held() >= SLICE_MILLISECONDS) yield* waitFor(turns.wait());
      isFirst = false;
      if (passedOver.size > 0 && passedOver.has(hexKey(transaction.sender))) continue;
      try {
        if (!this.#fits(transaction) || !(yield* this.#tryAdd(transaction)))
          passedOver.add(hexKey(transaction.sender));
      } catch (error) {
        if (!onFailure(transaction, error)) throw error;
        passedOver.add(hexKey(transaction.sender));
      }
    }
  }

  /** True if the block has room for the transaction, and it offers as much as the block asks for. */
  #fits(transaction: Transaction): boolean {
    const { baseFeePerGas, minimumGasPrice } = this.environment;
    if (transaction.gasLimit > this.gasLeft || transaction.blobVersionedHashes.length > this.blobsLeft)
      return false;
    const { maximumBlockSize } = this.#ruleSet;
    if (maximumBlockSize !== null && this.#encodedBytes + encodedBytes(transaction) > maximumBlockSize)
      return false;
    if (transaction.maxFeePerGas < minimumGasPrice) return false;
    return baseFeePerGas === null || transaction.maxFeePerGas >= baseFeePerGas;
  }

  /** Adds the transaction if it can be executed; returns false, the block unchanged, when not. */
  *#tryAdd(transaction: Transaction): Task<boolean> {
    try {
      const added = this.add(transaction);
      if (isPromise(added)) yield added;
      return true;
    } catch (error) {
      if (error instanceof UnexecutableError) return false;
      throw error;
    }
  }

  /**
   * Returns the block as it is now, without proof of work: nothing is searched for. A large one is made in pieces; nothing
   * may be added meanwhile.
   */
  candidate(pieces: WorkPieces): Awaitable<BuiltBlock> {
    return runTask(this.#candidate(pieces));
  }

  *#candidate(pieces: WorkPieces): Task<BuiltBlock> {
    const unsealed = yield* this.#unsealed(pieces);
    return {
      block: yield* candidateBlockInPieces(unsealed, this.#ruleSet, pieces),
      state: unsealed.state,
      results: unsealed.results,
    };
  }

  /**
   * Returns the finished block: roots, bloom, header, proof of work, hash. A large one is made in pieces; nothing may be
   * added meanwhile. A long search waits for `pause`, see `sealBlock`.
   */
  *seal(pieces: WorkPieces, pause?: () => Promise<void>): Task<BuiltBlock> {
    const unsealed = yield* this.#unsealed(pieces);
    const block = yield* sealBlock(unsealed, this.#ruleSet, pieces, pause);
    const { validate } = this.#engine;
    if (validate !== undefined) yield* waitFor(validate(block, this.#template.parent));
    return { block, state: unsealed.state, results: unsealed.results };
  }

  *#unsealed(pieces: WorkPieces): Task<UnsealedBlock & Pick<BuiltBlock, 'state'>> {
    const { parent, extraData, closing, uncles, recording } = this.#template;
    if (!this.#hasBegun) yield* this.#begin();
    const before = yield* this.#overlay.toWorldStateInPieces(pieces);
    const { requests, state } = hasSystemCalls(this.#ruleSet)
      ? yield* this.#ended(before, pieces)
      : { requests: NO_REQUESTS, state: before };
    // The lists are copied, as others can still be added after a candidate was made.
    const unsealed = {
      parent,
      uncles,
      environment: this.environment,
      extraData,
      transactions: this.#transactions.slice(),
      results: this.#results.slice(),
      requests,
      accessListHash: recording === null ? null : yield* this.#accessListHash(recording, pieces),
      state,
    };
    if (closing === null) return unsealed;
    const closed = yield* waitFor(fetchingState(() => this.#closed(closing, unsealed.state)));
    return { ...unsealed, ...closed };
  }

  /** Returns the state after the calls of the protocol that come after all transactions, and the requests that they give. */
  *#ended(
    before: WorldState,
    pieces: WorkPieces,
  ): Task<Pick<UnsealedBlock, 'requests'> & Pick<BuiltBlock, 'state'>> {
    const state = new Overlay(before);
    const deposits = yield* depositRequests(this.#results, this.#ruleSet.depositContract, pieces);
    const requests = [...deposits, ...(yield* endBlock({ ...this.#systemCallSite, state }))];
    return { requests, state: state.stamp === before.stamp ? before : state.toWorldState() };
  }

  *#accessListHash(
    recording: NonNullable<BlockTemplate['recording']>,
    pieces: WorkPieces,
  ): Task<Uint8Array | null> {
    return yield* accessListHash({
      ...this.#systemCallSite,
      ...recording,
      before: this.#template.parentState,
      transactions: this.#transactions,
      turn: () => pieces.spend(RECORDED_TRANSACTION_WORK),
    });
  }

  /** Returns all transactions and the one that ends the block, on a state of its own: others can still be added before it. */
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
