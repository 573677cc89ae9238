import { BlockGas } from '../../evm/admission.ts';
import { type BlockEnvironment, type Engine, UnexecutableError } from '../../evm/engine.ts';
import type { ImpersonatedSigner } from '../../evm/signers.ts';
import { accessListHash } from '../../execution/block-accesses.ts';
import { candidateBlock } from '../../execution/sealing.ts';
import { beginBlock, endBlock } from '../../execution/system-calls.ts';
import type { Awaitable } from '../../primitives/awaitable.ts';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { blobBaseFee, blobCost, GAS_PER_BLOB, nextExcessBlobGas } from '../../protocol/blobs.ts';
import type { Block } from '../../protocol/block.ts';
import { depositRequests } from '../../protocol/deposit-requests.ts';
import { localBeaconRoot, localPrevRandao, localSlotNumber } from '../../protocol/genesis.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { intrinsicGas } from '../../protocol/intrinsic-gas.ts';
import type { Log } from '../../protocol/receipt.ts';
import {
  HIGHEST_NONCE,
  type Transaction,
  type TransactionRequest,
  type TransactionType,
} from '../../protocol/transaction.ts';
import { withSignatureValues } from '../../protocol/transaction-encoding.ts';
import { type CancelCheck, yieldToOthers } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { Overlay } from '../../state/overlay.ts';
import type { WorldState } from '../../state/world-state.ts';
import { isUncalled, uncalledThrough } from '../../storage/blocks-without-calls.ts';
import { type CallResult, type GasCut, maximumCallGas, withGasCut } from '../call-environment.ts';
import { SimulationError } from '../errors.ts';
import type { Ancestors } from '../mining/parent-context.ts';
import type { CallMessage } from './calls.ts';
import { ResultBudget } from './result-budget.ts';
import { type LogNumbering, SimulatedLogs } from './simulated-logs.ts';
import {
  type AccountOverride,
  type CallOverrides,
  overrideAccounts,
  overrideEnvironment,
  withMovedPrecompiles,
} from './state-overrides.ts';

/** Throws {@link SimulationError} unless the balance (wei) covers gas and value. */
function checkFunds(request: TransactionRequest, balance: bigint, { fees }: RuleSet): void {
  const cost = request.gasLimit * fees.offer(request) + request.value + blobCost(request);
  if (balance < cost) throw SimulationError.funds(balance, cost);
}

/** Throws {@link SimulationError} unless the nonce is the sender's next, and below the maximum. */
function checkNonce(nonce: bigint, next: bigint): void {
  if (nonce !== next) throw SimulationError.nonce(nonce, next);
  if (nonce >= HIGHEST_NONCE) throw SimulationError.nonceMaximum(nonce);
}

/** Throws {@link SimulationError} if the fees are inconsistent or below the block's minimum. */
function checkFees(request: TransactionRequest, environment: BlockEnvironment, { fees }: RuleSet): void {
  const { maxFeePerGas, maxPriorityFeePerGas } = request;
  const { baseFeePerGas, minimumGasPrice } = environment;
  const least = fees.name === 'base fee' ? (baseFeePerGas ?? minimumGasPrice) : minimumGasPrice;
  const price = fees.offer(request);
  if (price < least) throw SimulationError.feeCap(price, least);
  if (maxPriorityFeePerGas > maxFeePerGas)
    throw SimulationError.priorityFee(maxPriorityFeePerGas, maxFeePerGas);
}

/** Throws {@link SimulationError} if the blob fee is too low. Without validation, 0 is no fee. */
function checkBlobFee(
  { blobVersionedHashes, maxFeePerBlobGas }: TransactionRequest,
  { blobBaseFee: least }: BlockEnvironment,
  validates: boolean,
): void {
  if (blobVersionedHashes.length === 0 || (maxFeePerBlobGas === 0n && !validates)) return;
  if (least !== null && maxFeePerBlobGas < least) throw SimulationError.blobFee(maxFeePerBlobGas, least);
}

/** A message to simulate as an unsigned transaction. */
export interface SimulatedCall {
  readonly message: CallMessage;
  readonly type: TransactionType;
  /** `null` for the sender's next. */
  readonly nonce: bigint | null;
}

/** A block to simulate: its overrides and its calls. */
export interface SimulatedBlockRequest {
  readonly overrides: CallOverrides;
  readonly calls: readonly SimulatedCall[];
}

export interface SimulationOptions {
  /** True to check nonces and fees, and to give blocks a base fee. */
  readonly validates: boolean;
  /** True to add a log for each transfer of value. */
  readonly tracesTransfers: boolean;
  /**
   * True for Anvil's rules, false for geth's. In Anvil, calls without a fee read the fees of the block, and
   * reverted logs have indexes too. Code on a precompile's address runs only in the block of its override, and
   * two precompiles cannot move to one address.
   */
  readonly followsAnvil: boolean;
}

export interface SimulatedResult {
  readonly execution: CallResult;
  /** The logs of the execution, including transfer logs if enabled. */
  readonly logs: readonly Log[];
  /** The indexes of the logs in the call; undefined if they have no gaps. */
  readonly numbering?: LogNumbering;
}

/** A simulated block, which belongs to no chain. Its receipts have no transfer logs. */
export interface SimulatedBlock {
  readonly block: Block;
  readonly results: readonly SimulatedResult[];
}

/** The parent block, state and rules of a simulation. */
export interface SimulationBase {
  readonly engine: Engine;
  /** The engine without coverage. */
  readonly plainEngine: Engine;
  readonly ruleSet: RuleSet;
  readonly chainId: bigint;
  readonly impersonatedSigner: ImpersonatedSigner;
  readonly parent: Block;
  readonly state: WorldState;
  /** The ancestors of the parent. */
  readonly ancestors: Ancestors;
  /** Maximum gas of all calls together (`--call-gas-limit`); `null` for the default of the parent block. */
  readonly gasCap: bigint | null;
  /** Default seconds between two blocks. */
  readonly blockDistance: number;
  /** True if failed system calls and malformed deposits invalidate a block. */
  readonly isStrict: boolean;
  readonly checkCancelled: CancelCheck;
}

/** Maximum number of simulated blocks, including blocks that fill gaps. */
const MAX_BLOCKS = 256;
/** Work units per repeated call, chosen so that the event loop is yielded between two of them. */
const RECORDED_CALL_WORK = 2 ** 14;
const BLOCK_HASH_WINDOW = 256;
const NO_HASH = new Uint8Array(32);
const NO_SIGNATURE = { v: 0n, r: 0n, s: 0n };

interface PlacedRequest extends SimulatedBlockRequest {
  readonly number: number;
  readonly timestamp: number;
}

/**
 * Assigns numbers and timestamps to the blocks and fills gaps with empty blocks. Throws
 * {@link SimulationError} for values that do not ascend, or for too many blocks.
 */
function placed(
  { parent, blockDistance }: SimulationBase,
  requests: readonly SimulatedBlockRequest[],
): PlacedRequest[] {
  if (requests.length > MAX_BLOCKS) throw SimulationError.tooManyBlocks(MAX_BLOCKS);
  const blocks: PlacedRequest[] = [];
  let { number: lastNumber, timestamp: lastTimestamp } = parent.header;
  const add = (request: SimulatedBlockRequest, timestamp: number): void => {
    lastNumber++;
    lastTimestamp = timestamp;
    blocks.push({ ...request, number: lastNumber, timestamp });
  };
  for (const request of requests) {
    const { number = lastNumber + 1, timestamp } = request.overrides.block;
    if (number <= lastNumber) throw SimulationError.numberOrder(number, lastNumber);
    if (number - parent.header.number > MAX_BLOCKS) throw SimulationError.tooManyBlocks(MAX_BLOCKS);
    while (lastNumber + 1 < number) {
      add({ overrides: { accounts: [], block: {} }, calls: [] }, lastTimestamp + blockDistance);
    }
    if (timestamp !== undefined && timestamp <= lastTimestamp) {
      throw SimulationError.timestampOrder(timestamp, lastTimestamp);
    }
    add(request, timestamp ?? lastTimestamp + blockDistance);
  }
  return blocks;
}

/** Simulates blocks, each on top of the previous one. */
class Simulator {
  readonly #base: SimulationBase;
  readonly #options: SimulationOptions;
  readonly #state: Overlay;
  /** The parent of the simulation and the simulated blocks, by number. */
  readonly #blocks = new Map<number, Block>();
  readonly #timeSlice: TimeSlice;
  readonly #budget = new ResultBudget();
  /** Precompiles (20 bytes) that earlier blocks replaced by code, if they return in the next block. */
  #replaced: readonly Uint8Array[] = [];
  /** Gas left for all calls together. */
  #gasLeft: bigint;
  #parent: Block;

  constructor(base: SimulationBase, options: SimulationOptions) {
    this.#base = base;
    this.#options = options;
    this.#state = new Overlay(base.state);
    this.#timeSlice = new TimeSlice(base.checkCancelled);
    this.#parent = base.parent;
    this.#gasLeft = maximumCallGas({ gasCap: base.gasCap, environment: base.parent.header });
    this.#blocks.set(base.parent.header.number, base.parent);
  }

  #blockHash(number: number, blockNumber: number): Uint8Array {
    if (number >= blockNumber || number < blockNumber - BLOCK_HASH_WINDOW) return NO_HASH;
    return this.#blocks.get(number)?.hash ?? this.#base.ancestors.blockHash(number);
  }

  #environment({ number, timestamp, overrides }: PlacedRequest): BlockEnvironment {
    const { ruleSet, parent: start, ancestors } = this.#base;
    const parent = this.#parent;
    // Without validation most calls offer no fee, so any base fee would reject them.
    const { fees } = ruleSet;
    const baseFeePerGas = this.#options.validates ? fees.nextBaseFee(parent.header) : fees.baseFee(0n);
    const excessBlobGas = nextExcessBlobGas(parent.header, ruleSet.blobs);
    const environment: BlockEnvironment = {
      number,
      timestamp,
      coinbase: parent.header.coinbase,
      difficulty: ruleSet.isProofOfStake ? ruleSet.difficulty : parent.header.difficulty,
      gasLimit: parent.header.gasLimit,
      minimumGasPrice: start.header.minimumGasPrice,
      baseFeePerGas,
      excessBlobGas,
      blobBaseFee: blobBaseFee(excessBlobGas, ruleSet.blobs),
      // The execution APIs define zero as the default.
      prevRandao: ruleSet.encoding === 'ethereum' ? NO_HASH : localPrevRandao(ruleSet, parent.hash),
      parentBeaconBlockRoot: localBeaconRoot(ruleSet, null),
      slotNumber: localSlotNumber(ruleSet, number),
      ...(this.#options.followsAnvil ? { showsFees: true } : {}),
      blockHash: (wanted) => this.#blockHash(wanted, number),
      ancestor: (wanted) => this.#blocks.get(wanted) ?? ancestors.ancestor(wanted),
      uncalled:
        parent === start && isUncalled(start) ? uncalledThrough(start, ancestors.uncalled) : undefined,
    };
    const overridden = overrideEnvironment(environment, overrides.block);
    return this.#withMovedPrecompiles(overridden, overrides.accounts);
  }

  #withMovedPrecompiles(
    environment: BlockEnvironment,
    overrides: readonly AccountOverride[],
  ): BlockEnvironment {
    const rejectsSharedTargets = this.#options.followsAnvil;
    const rules = { rejectsSharedTargets, restored: this.#replaced };
    const placed = withMovedPrecompiles(environment, this.#base, overrides, rules);
    if (!this.#options.followsAnvil) return placed;
    const replaced = overrides.filter(
      ({ address }) => placed.movedPrecompiles?.get(hexKey(address)) === null,
    );
    this.#replaced = [...this.#replaced, ...replaced.map(({ address }) => address)];
    return placed;
  }

  async block(request: PlacedRequest): Promise<SimulatedBlock> {
    const environment = this.#environment(request);
    // Each part goes into the trie and is hashed separately.
    const onPiece = (written: Overlay): Overlay => {
      void written.toWorldState().root;
      return written;
    };
    await runTask(overrideAccounts(this.#state, request.overrides.accounts, onPiece), this.#timeSlice);
    const { engine, ruleSet, checkCancelled, isStrict } = this.#base;
    const parentHash = this.#parent.hash;
    const site = { engine, ruleSet, environment, parentHash, state: this.#state, checkCancelled };
    const before = ruleSet.hasAccessLists ? this.#state.toWorldState() : null;
    await runTask(beginBlock(site), this.#timeSlice);
    const transactions: Transaction[] = [];
    const results: SimulatedResult[] = [];
    const gas = new BlockGas(ruleSet);
    const { blobs } = ruleSet;
    let blobsLeft = blobs?.maximum ?? 0;
    for (const call of request.calls) {
      const { transaction, cut } = this.#transaction(call, environment, gas.left(environment.gasLimit));
      await this.#timeSlice.spend(transaction.raw.length);
      const result = await this.#run(transaction, environment, cut);
      this.#gasLeft -= result.execution.gasUsed;
      this.#budget.take(result.execution, result.logs);
      gas.add(result.execution);
      blobsLeft -= transaction.blobVersionedHashes.length;
      if (blobsLeft < 0) throw SimulationError.blobGas(GAS_PER_BLOB * BigInt(blobs?.maximum ?? 0));
      // A long simulation must not block the event loop.
      await yieldToOthers(this.#base.checkCancelled);
      transactions.push(transaction);
      results.push(result);
    }
    const executions = results.map(({ execution }) => execution);
    await yieldToOthers(this.#base.checkCancelled);
    const deposits = await runTask(
      depositRequests(executions, ruleSet.depositContract, isStrict),
      this.#timeSlice,
    );
    const requests = [...deposits, ...(await runTask(endBlock({ ...site, isStrict }), this.#timeSlice))];
    const state = await runTask(this.#state.toWorldStateInSteps(), this.#timeSlice);
    const unsealed = { parent: this.#parent, environment, extraData: EMPTY_BYTES, transactions, state };
    const listHash =
      before === null ? null : await this.#accessListHash(environment, parentHash, before, transactions);
    const complete = {
      ...unsealed,
      uncles: [],
      results: executions,
      requests,
      accessListHash: listHash,
    };
    const block = await runTask(candidateBlock(complete, ruleSet), this.#timeSlice);
    this.#blocks.set(block.header.number, block);
    this.#parent = block;
    return { block, results };
  }

  #accessListHash(
    environment: BlockEnvironment,
    parentHash: Uint8Array,
    before: WorldState,
    transactions: readonly Transaction[],
  ): Awaitable<Uint8Array | null> {
    const { ruleSet, chainId, checkCancelled, plainEngine: engine, impersonatedSigner } = this.#base;
    const run = this.#options.validates ? 'transact' : 'call';
    const at = { engine, ruleSet, environment, parentHash, before, transactions, checkCancelled };
    return runTask(
      accessListHash({
        ...at,
        chainId,
        impersonatedSigner,
        run: (state, transaction, observer) =>
          engine[run](environment, state, transaction, observer, checkCancelled),
        work: RECORDED_CALL_WORK,
      }),
      this.#timeSlice,
    );
  }

  /**
   * Builds an unsigned transaction from the call, fills in its defaults and validates it. Its gas is capped
   * by the gas left for all calls. `cut` is absent if the cap did not apply.
   */
  #transaction(
    call: SimulatedCall,
    environment: BlockEnvironment,
    gasLeft: bigint,
  ): { readonly transaction: Transaction; readonly cut: GasCut | undefined } {
    const { ruleSet, chainId } = this.#base;
    const { sender, ...content } = call.message;
    const account = this.#state.account(sender);
    const wanted = content.gasLimit ?? gasLeft;
    if (wanted > gasLeft) throw SimulationError.blockGas(wanted, gasLeft);
    const limit = this.#gasLeft;
    const cut = wanted > limit ? ({ wanted, limit, option: '--call-gas-limit' } as const) : undefined;
    const gasLimit = cut === undefined ? wanted : limit;
    const nextNonce = account?.nonce ?? 0n;
    const nonce = call.nonce ?? nextNonce;
    const request = {
      ...content,
      type: call.type,
      chainId: call.type === 0 ? null : chainId,
      gasLimit,
      nonce,
    };
    if (this.#options.validates) {
      checkNonce(nonce, nextNonce);
      checkFees(request, environment, ruleSet);
    }
    checkBlobFee(request, environment, this.#options.validates);
    checkFunds(request, account?.balance ?? 0n, ruleSet);
    const needed = intrinsicGas(ruleSet, { ...request, sender });
    if (gasLimit < needed) throw SimulationError.intrinsicGas(gasLimit, needed, cut);
    return { transaction: withSignatureValues(request, NO_SIGNATURE, sender), cut };
  }

  async #run(
    transaction: Transaction,
    environment: BlockEnvironment,
    cut: GasCut | undefined,
  ): Promise<SimulatedResult> {
    const { engine, checkCancelled } = this.#base;
    const { validates, tracesTransfers, followsAnvil } = this.#options;
    const observer =
      tracesTransfers || followsAnvil ? new SimulatedLogs(this.#budget, tracesTransfers) : undefined;
    const run = validates ? 'transact' : 'call';
    const message = { ...transaction, isUncapped: true, keepsLogs: this.#budget.hasRoom };
    try {
      const execution = await engine[run](environment, this.#state, message, observer, checkCancelled);
      const logs = observer?.logs() ?? execution.logs;
      const numbering = followsAnvil && observer !== undefined ? { numbering: observer.numbering() } : {};
      return { execution: withGasCut(execution, cut), logs, ...numbering };
    } catch (error) {
      if (error instanceof UnexecutableError) throw SimulationError.unexecutable(error.message);
      throw error;
    }
  }
}

/**
 * Simulates blocks in sequence, each on the state after the previous one. A call that reverts or halts is
 * included as a failure. Rejects with {@link SimulationError} for a call that its block cannot include, with
 * `ResultsTooLargeError`, and with any error of `checkCancelled`.
 */
export async function simulateBlocks(
  base: SimulationBase,
  requests: readonly SimulatedBlockRequest[],
  options: SimulationOptions,
): Promise<SimulatedBlock[]> {
  const simulator = new Simulator(base, options);
  const simulated: SimulatedBlock[] = [];
  for (const request of placed(base, requests)) simulated.push(await simulator.block(request));
  return simulated;
}
