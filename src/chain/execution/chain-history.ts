import type { FrameEnd, FrameStart } from '../../evm/observer.ts';
import { type CallNode, lastingNodes } from '../../evm/tracers/call-tree.ts';
import type { Tracer, TracerFactory } from '../../evm/tracers/tracer.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { type Block, locatedTransactions, type TransactionLocation } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { intrinsicGas } from '../../protocol/intrinsic-gas.ts';
import type { Receipt } from '../../protocol/receipt.ts';
import { isRemascTransaction, remascTransaction } from '../../protocol/remasc.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { type CheckInterrupt, uninterrupted } from '../../scheduling/interrupt.ts';
import { WorkPieces } from '../../scheduling/work-pieces.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { ChainCore } from '../chain-core.ts';
import { type ChainTracing, FrameTracer, TraceMismatchError } from './tracing.ts';

/** The account that made a contract, and the transaction in which it did. */
interface ContractCreation {
  readonly transactionHash: Uint8Array;
  /** 20 bytes: the sender, or the contract whose code made this one. */
  readonly creator: Uint8Array;
}

/** The transactions in which an account took part. */
interface ActivityPage {
  /** In the order in which they were looked for, but within a block in its order. */
  readonly transactions: readonly TransactionLocation[];
  /** True when there are more beyond the last block of the page. */
  readonly hasMore: boolean;
}

/** Traces the accounts that take part in the calls of an execution, whether these last or not. */
class ParticipantTracer implements Tracer<ReadonlySet<string>> {
  readonly #participants = new Set<string>();

  frameStart({ from, to }: FrameStart): void {
    this.#participants.add(hexKey(from)).add(hexKey(to));
  }

  result(): ReadonlySet<string> {
    return this.#participants;
  }
}

/** Returns false for a transaction that used no gas beyond its basic cost: it called no account but its recipient. */
export function ranCode(ruleSet: RuleSet, transaction: Transaction, receipt: Receipt | undefined): boolean {
  return transaction.to === null || receipt?.gasUsed !== intrinsicGas(ruleSet, transaction);
}

/** The number of blocks that are kept of those whose transactions were looked into. */
const KEPT_BLOCKS = 1024;

/** Units of work for looking into a block. */
const BLOCK_WORK = 1024;

/** Finds transactions by what they did. Nothing is indexed for this: states of old blocks and traces are searched. */
export class ChainHistory {
  readonly #core: ChainCore;
  readonly #tracing: ChainTracing;
  /** By block hash, the accounts that took part in each transaction; those asked for last at the end. */
  readonly #participants = new Map<string, readonly ReadonlySet<string>[]>();

  constructor(core: ChainCore, tracing: ChainTracing) {
    this.#core = core;
    this.#tracing = tracing;
  }

  /** Returns the mined transaction of a sender with that nonce, or `undefined`. */
  transactionOf(sender: Uint8Array, nonce: bigint): TransactionLocation | undefined {
    const number = this.#firstBlock((state) => (state.account(sender)?.nonce ?? 0n) > nonce);
    const block = number === undefined ? undefined : this.#core.blockchain.block(number);
    if (block === undefined) return undefined;
    return locatedTransactions(block).find(
      ({ transaction }) => transaction.nonce === nonce && equalBytes(transaction.sender, sender),
    );
  }

  /**
   * Returns the first block with code at the address from then on; `undefined` where none is there now, or was from the start. Throws
   * `MissingStateError` for what must be fetched first.
   */
  creationBlock(address: Uint8Array): Block | undefined {
    const number = this.#firstBlock((state) => (state.account(address)?.code.bytes.length ?? 0) > 0);
    if (number === undefined || number === this.#core.blockchain.lowest) return undefined;
    return this.#core.blockchain.block(number);
  }

  /** Returns how the contract at an address was made; `undefined` when no transaction made it, or none is there. */
  async creationOf(
    address: Uint8Array,
    checkInterrupt = uninterrupted,
  ): Promise<ContractCreation | undefined> {
    const block = this.creationBlock(address);
    if (block === undefined) return undefined;
    const createTracer: TracerFactory<CallNode> = ({ budget }) => new FrameTracer(budget);
    const traced = await this.#tracing.block(block, createTracer, { checkInterrupt });
    for (const { transaction, trace } of traced) {
      for (const { start } of lastingNodes(trace)) {
        if (start.kind.startsWith('CREATE') && equalBytes(start.to, address)) {
          return { transactionHash: transaction.hash, creator: start.from };
        }
      }
    }
    return undefined;
  }

  /** Returns the first block after which something holds that holds from then on; `undefined` when it does not hold now. */
  #firstBlock(holds: (state: WorldState) => boolean): number | undefined {
    const { blockchain } = this.#core;
    let high = blockchain.head.header.number;
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
   * Resolves to the transactions in which an account took part: as sender, recipient, contract made, or in a call inside. Looks
   * from the block `first` to the block `last`, in this direction, until there are `count`; the last block is given
   * whole.
   */
  async activityOf(
    address: Uint8Array,
    { first, last, count }: { readonly first: number; readonly last: number; readonly count: number },
    checkInterrupt = uninterrupted,
  ): Promise<ActivityPage> {
    const transactions: TransactionLocation[] = [];
    const step = first <= last ? 1 : -1;
    const pieces = new WorkPieces(checkInterrupt);
    for (let number = first; step * number <= step * last; number += step) {
      const turn = pieces.spend(BLOCK_WORK);
      if (turn !== undefined) await turn;
      const range = this.#core.blockchain.rangeAt(number);
      if (range !== undefined) {
        number = step > 0 ? range.last : range.first;
        continue;
      }
      const found = await this.#activityIn(number, hexKey(address), checkInterrupt);
      if (found.length > 0 && transactions.length >= count) return { transactions, hasMore: true };
      for (const location of found) transactions.push(location);
    }
    return { transactions, hasMore: false };
  }

  async #activityIn(
    number: number,
    key: string,
    checkInterrupt: CheckInterrupt,
  ): Promise<TransactionLocation[]> {
    const { blockchain } = this.#core;
    if (number <= blockchain.lowest || number > blockchain.head.header.number) return [];
    if (this.#isEmpty(number)) return [];
    const block = blockchain.block(number);
    if (block === undefined || block.transactions.length === 0) return [];
    const participants = await this.#participantsIn(block, checkInterrupt);
    return locatedTransactions(block).filter(({ index }) => participants[index]?.has(key) === true);
  }

  /** A transaction raises its sender's nonce, so where the state is the very same there is none but what ends the block. */
  #isEmpty(number: number): boolean {
    const { blockchain } = this.#core;
    if (!blockchain.isUnchanged(number)) return false;
    return blockchain.positionOf(remascTransaction(number).hash) === undefined;
  }

  async #participantsIn(
    block: Block,
    checkInterrupt: CheckInterrupt,
  ): Promise<readonly ReadonlySet<string>[]> {
    const key = hexKey(block.hash);
    const participants = this.#participants.get(key) ?? (await this.#findParticipants(block, checkInterrupt));
    this.#participants.delete(key);
    this.#participants.set(key, participants);
    const [oldest] = this.#participants.keys();
    if (this.#participants.size > KEPT_BLOCKS && oldest !== undefined) this.#participants.delete(oldest);
    return participants;
  }

  async #findParticipants(
    block: Block,
    checkInterrupt: CheckInterrupt,
  ): Promise<readonly ReadonlySet<string>[]> {
    const participants = block.transactions.map(
      ({ sender, to }) => new Set((to === null ? [sender] : [sender, to]).map(hexKey)),
    );
    const wanted = block.transactions.map((transaction, index) =>
      ranCode(this.#core.ruleSet, transaction, block.receipts[index]),
    );
    const traced = await this.#tracing.block(block, () => new ParticipantTracer(), {
      isWanted: (_transaction, index) => wanted[index] === true,
      checkInterrupt,
    });
    for (const { transaction, trace } of traced) {
      const ofTransaction = participants[block.transactions.indexOf(transaction)];
      for (const participant of trace) ofTransaction?.add(participant);
    }
    return participants;
  }
}

// The contracts that the transactions of a chain created, by themselves and in calls inside.

/** A contract that was created. */
interface Creation {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** 20 bytes: the sender, or the contract whose code made this one. */
  readonly creator: Uint8Array;
  readonly transactionHash: Uint8Array;
}

type OpenCreation = Omit<Creation, 'transactionHash'>;

/** Finds the contracts that an execution created and that were not taken back, in the order of their frames. */
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

  result(): readonly OpenCreation[] {
    return this.#created;
  }
}

/** Blocks whose creations are kept: as many as a question for the newest contracts may look at twice over. */
const KEPT_CREATIONS = 2_048;

/** Finds creations by running transactions again; nothing is indexed for it. */
export class ChainCreations {
  readonly #core: ChainCore;
  readonly #tracing: ChainTracing;
  /** By block hash; those asked for last at the end. */
  readonly #known = new Map<string, readonly Creation[]>();

  constructor(core: ChainCore, tracing: ChainTracing) {
    this.#core = core;
    this.#tracing = tracing;
  }

  /** Resolves to what the transactions of a block created, in their order. Rejects as `ChainTracing.block` does, but for what runs otherwise now. */
  async in(block: Block, checkInterrupt: CheckInterrupt = uninterrupted): Promise<readonly Creation[]> {
    const key = hexKey(block.hash);
    const found = this.#known.get(key) ?? (await this.#find(block, checkInterrupt));
    this.#known.delete(key);
    this.#known.set(key, found);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT_CREATIONS && oldest !== undefined) this.#known.delete(oldest);
    return found;
  }

  async #find(block: Block, checkInterrupt: CheckInterrupt): Promise<readonly Creation[]> {
    const wanted = block.transactions.map((transaction, index) => {
      const receipt = block.receipts[index];
      const mayCreate = receipt?.succeeded === true && !isRemascTransaction(transaction);
      return mayCreate && ranCode(this.#core.ruleSet, transaction, receipt);
    });
    try {
      const traced = await this.#tracing.block(block, () => new CreationTracer(), {
        isWanted: (_transaction, index) => wanted[index] === true,
        checkInterrupt,
      });
      return traced.flatMap(({ transaction, trace }) =>
        trace.map((created) => ({ ...created, transactionHash: transaction.hash })),
      );
    } catch (error) {
      // Code that looks at hashes of blocks which have left the chain runs otherwise than it did; the rest is still in the receipts.
      if (error instanceof TraceMismatchError) return fromReceipts(block);
      throw error;
    }
  }
}

/** Returns the contracts that transactions created by themselves. */
function fromReceipts({ transactions, receipts }: Block): Creation[] {
  return transactions.flatMap(({ sender, hash, to }, index) => {
    const { succeeded = false, contractAddress = null } = receipts[index] ?? {};
    if (to !== null || !succeeded || contractAddress === null) return [];
    return [{ address: contractAddress, creator: sender, transactionHash: hash }];
  });
}
