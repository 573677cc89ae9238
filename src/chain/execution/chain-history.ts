import type { FrameEnd, FrameStart } from '../../evm/observer.ts';
import { type CallNode, lastingNodes } from '../../evm/tracers/call-tree.ts';
import type { Tracer, TracerFactory } from '../../evm/tracers/tracer.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { ready, type Steps } from '../../primitives/steps.ts';
import { type Block, locatedTransactions, type TransactionLocation } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { intrinsicGas } from '../../protocol/intrinsic-gas.ts';
import type { Receipt } from '../../protocol/receipt.ts';
import { isRemascTransaction, remascTransaction } from '../../protocol/remasc.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { type CancelCheck, neverCancelled } from '../../scheduling/cancel-check.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { ChainCore } from '../chain-core.ts';
import { type ChainTracing, FrameTracer, TraceMismatchError } from './tracing.ts';

interface ContractCreation {
  readonly transactionHash: Uint8Array;
  /** 20 bytes: the sender, or the contract whose code created this one. */
  readonly creator: Uint8Array;
}

/** The transactions that involve an account. */
interface ActivityPage {
  /** In search direction. Transactions within a block are in block order. */
  readonly transactions: readonly TransactionLocation[];
  /** True if later blocks of the search contain more. */
  readonly hasMore: boolean;
}

/** Collects the accounts of all frames of an execution, including reverted frames. */
class ParticipantTracer implements Tracer<ReadonlySet<string>> {
  readonly #participants = new Set<string>();

  frameStart({ from, to }: FrameStart): void {
    this.#participants.add(hexKey(from)).add(hexKey(to));
  }

  result(): Steps<ReadonlySet<string>> {
    return ready(this.#participants);
  }
}

/**
 * Returns false if only the intrinsic gas was used. Then only the recipient was called. Free calls of a precompile
 * use no gas, but the precompile can send coins.
 */
export function ranCode(ruleSet: RuleSet, transaction: Transaction, receipt: Receipt | undefined): boolean {
  if (transaction.to === null || receipt === undefined || receipt.gasUsed === 0n) return true;
  return receipt.gasUsed !== intrinsicGas(ruleSet, transaction);
}

/** Maximum number of blocks with cached participants. */
const KEPT_BLOCKS = 1024;

/** Work units per block. */
const BLOCK_WORK = 1024;

/**
 * Searches transactions by sender and nonce, by created contract, and by involved account. There is no index:
 * it searches old states and traces.
 */
export class ChainHistory {
  readonly #core: ChainCore;
  readonly #tracing: ChainTracing;
  /** By block hash, the accounts involved in each transaction. Least recently used first. */
  readonly #participants = new Map<string, readonly ReadonlySet<string>[]>();

  constructor(core: ChainCore, tracing: ChainTracing) {
    this.#core = core;
    this.#tracing = tracing;
  }

  /** Returns the mined transaction of the sender with this nonce, or `undefined`. */
  transactionOf(sender: Uint8Array, nonce: bigint): TransactionLocation | undefined {
    const number = this.#firstBlock((state) => (state.account(sender)?.nonce ?? 0n) > nonce);
    const block = number === undefined ? undefined : this.#core.blockchain.block(number);
    if (block === undefined) return undefined;
    return locatedTransactions(block).find(
      ({ transaction }) => transaction.nonce === nonce && equalBytes(transaction.sender, sender),
    );
  }

  /**
   * Returns the block that gave the address its present code. Returns `undefined` if it has no code now, or
   * had code in the first block. Throws `MissingStateError` if state must be fetched first.
   */
  creationBlock(address: Uint8Array): Block | undefined {
    const number = this.#firstBlock((state) => (state.account(address)?.code.bytes.length ?? 0) > 0);
    if (number === undefined || number === this.#core.blockchain.lowest) return undefined;
    return this.#core.blockchain.block(number);
  }

  /** Returns the creation of a contract; `undefined` if no transaction created it, or it does not exist. */
  async creationOf(
    address: Uint8Array,
    checkCancelled = neverCancelled,
  ): Promise<ContractCreation | undefined> {
    const block = this.creationBlock(address);
    if (block === undefined) return undefined;
    const createTracer: TracerFactory<CallNode> = ({ budget }) => new FrameTracer(budget);
    const traced = await this.#tracing.block(block, createTracer, { checkCancelled });
    for (const { transaction, trace } of traced) {
      for (const { start } of lastingNodes(trace)) {
        if (start.kind.startsWith('CREATE') && equalBytes(start.to, address)) {
          return { transactionHash: transaction.hash, creator: start.from };
        }
      }
    }
    return undefined;
  }

  /**
   * Returns the first block whose state fulfils `holds`; `undefined` if the head's state does not. All later states must fulfil it
   * too (binary search).
   */
  #firstBlock(holds: (state: WorldState) => boolean): number | undefined {
    const { blockchain } = this.#core;
    let high = blockchain.head.block.header.number;
    if (!holds(blockchain.state(high))) return undefined;
    let low = blockchain.first;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (holds(blockchain.state(middle))) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /**
   * Resolves to the transactions that involve an account as sender, recipient, created contract, or in an
   * inner call. Searches from block `first` to block `last` (either direction) until it has `count`. The last
   * block is always complete, so the result may exceed `count`.
   */
  async activityOf(
    address: Uint8Array,
    { first, last, count }: { readonly first: number; readonly last: number; readonly count: number },
    checkCancelled = neverCancelled,
  ): Promise<ActivityPage> {
    const transactions: TransactionLocation[] = [];
    const { blockchain } = this.#core;
    // The first block can have any number (--number, forks), so missing blocks are skipped.
    const lowest = Math.max(Math.min(first, last), blockchain.first);
    const highest = Math.min(Math.max(first, last), blockchain.head.block.header.number);
    const step = first <= last ? 1 : -1;
    const [start, end] = step > 0 ? [lowest, highest] : [highest, lowest];
    const slice = new TimeSlice(checkCancelled);
    for (let number = start; step * number <= step * end; number += step) {
      await slice.spend(BLOCK_WORK);
      const range = blockchain.rangeAt(number);
      if (range !== undefined) {
        number = step > 0 ? range.last : range.first;
        continue;
      }
      const found = await this.#activityIn(number, hexKey(address), checkCancelled);
      if (found.length > 0 && transactions.length >= count) return { transactions, hasMore: true };
      for (const location of found) transactions.push(location);
    }
    return { transactions, hasMore: false };
  }

  async #activityIn(
    number: number,
    key: string,
    checkCancelled: CancelCheck,
  ): Promise<TransactionLocation[]> {
    const { blockchain } = this.#core;
    if (number <= blockchain.lowest || number > blockchain.head.block.header.number) return [];
    if (this.#isEmpty(number)) return [];
    const block = blockchain.block(number);
    if (block === undefined || block.transactions.length === 0) return [];
    const participants = await this.#participantsIn(block, checkCancelled);
    return locatedTransactions(block).filter(({ index }) => participants[index]?.has(key) === true);
  }

  /**
   * Senders' nonces change the state. If it is unchanged, the block holds at most the closing transaction.
   */
  #isEmpty(number: number): boolean {
    const { blockchain } = this.#core;
    if (!blockchain.isUnchanged(number)) return false;
    return blockchain.positionOf(remascTransaction(number).hash) === undefined;
  }

  async #participantsIn(block: Block, checkCancelled: CancelCheck): Promise<readonly ReadonlySet<string>[]> {
    const key = hexKey(block.hash);
    const participants = this.#participants.get(key) ?? (await this.#findParticipants(block, checkCancelled));
    this.#participants.delete(key);
    this.#participants.set(key, participants);
    const [oldest] = this.#participants.keys();
    if (this.#participants.size > KEPT_BLOCKS && oldest !== undefined) this.#participants.delete(oldest);
    return participants;
  }

  async #findParticipants(
    block: Block,
    checkCancelled: CancelCheck,
  ): Promise<readonly ReadonlySet<string>[]> {
    const participants = block.transactions.map(
      ({ sender, to }) => new Set((to === null ? [sender] : [sender, to]).map(hexKey)),
    );
    const wanted = block.transactions.map((transaction, index) =>
      ranCode(this.#core.ruleSet, transaction, block.receipts[index]),
    );
    const traced = await this.#tracing.block(block, () => new ParticipantTracer(), {
      isWanted: (_transaction, index) => wanted[index] === true,
      checkCancelled,
    });
    for (const { transaction, trace } of traced) {
      const ofTransaction = participants[block.transactions.indexOf(transaction)];
      for (const participant of trace) ofTransaction?.add(participant);
    }
    return participants;
  }
}

// Finds the contracts that the transactions of a chain created, directly or in inner calls.

interface Creation {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** 20 bytes: the sender, or the contract whose code created this one. */
  readonly creator: Uint8Array;
  readonly transactionHash: Uint8Array;
}

type OpenCreation = Omit<Creation, 'transactionHash'>;

/** Collects the contracts that an execution created and did not revert, in frame order. */
class CreationTracer implements Tracer<readonly OpenCreation[]> {
  readonly wantsFramesOnly = true;
  readonly #created: OpenCreation[] = [];
  /** The number of creations before each open frame. */
  readonly #open: number[] = [];

  frameStart({ kind, from, to }: FrameStart): void {
    this.#open.push(this.#created.length);
    if (kind === 'CREATE' || kind === 'CREATE2')
      this.#created.push({ address: to.slice(), creator: from.slice() });
  }

  frameEnd({ outcome }: FrameEnd): void {
    const before = this.#open.pop();
    if (outcome !== 'success' && before !== undefined) this.#created.length = before;
  }

  result(): Steps<readonly OpenCreation[]> {
    return ready(this.#created);
  }
}

/** Maximum number of blocks with cached creations: twice the blocks that one request may search. */
const KEPT_CREATIONS = 2_048;

/** Finds creations by replaying transactions. There is no index. */
export class ChainCreations {
  readonly #core: ChainCore;
  readonly #tracing: ChainTracing;
  /** By block hash. Least recently used first. */
  readonly #known = new Map<string, readonly Creation[]>();

  constructor(core: ChainCore, tracing: ChainTracing) {
    this.#core = core;
    this.#tracing = tracing;
  }

  /**
   * Resolves to the contracts that a block created, in order. Rejects as `ChainTracing.block` does. A replay
   * with a different gas use is not an error.
   */
  async in(block: Block, checkCancelled: CancelCheck = neverCancelled): Promise<readonly Creation[]> {
    const key = hexKey(block.hash);
    const found = this.#known.get(key) ?? (await this.#find(block, checkCancelled));
    this.#known.delete(key);
    this.#known.set(key, found);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT_CREATIONS && oldest !== undefined) this.#known.delete(oldest);
    return found;
  }

  async #find(block: Block, checkCancelled: CancelCheck): Promise<readonly Creation[]> {
    const wanted = block.transactions.map((transaction, index) => {
      const receipt = block.receipts[index];
      const mayCreate = receipt?.succeeded === true && !isRemascTransaction(transaction);
      return mayCreate && ranCode(this.#core.ruleSet, transaction, receipt);
    });
    try {
      const traced = await this.#tracing.block(block, () => new CreationTracer(), {
        isWanted: (_transaction, index) => wanted[index] === true,
        checkCancelled,
      });
      return traced.flatMap(({ transaction, trace }) =>
        trace.map((created) => ({ ...created, transactionHash: transaction.hash })),
      );
    } catch (error) {
      // Code that reads hashes of reorganized blocks can run differently now. The receipts still list the
      // top-level creations.
      if (error instanceof TraceMismatchError) return fromReceipts(block);
      throw error;
    }
  }
}

/** Returns the contracts that transactions created directly. */
function fromReceipts({ transactions, receipts }: Block): Creation[] {
  return transactions.flatMap(({ sender, hash, to }, index) => {
    const { succeeded = false, contractAddress = null } = receipts[index] ?? {};
    if (to !== null || !succeeded || contractAddress === null) return [];
    return [{ address: contractAddress, creator: sender, transactionHash: hash }];
  });
}
