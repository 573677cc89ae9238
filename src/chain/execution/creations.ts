/** The contracts that the transactions of a chain created, by themselves and in calls inside. */

import type { FrameEnd, FrameStart } from '../../evm/observer.ts';
import type { Tracer } from '../../evm/tracers/tracer.ts';
import { hexKey } from '../../primitives/hex.ts';
import { type CheckInterrupt, uninterrupted } from '../../primitives/interrupt.ts';
import type { Block } from '../../protocol/block.ts';
import { isRemascTransaction } from '../../protocol/remasc.ts';
import type { ChainCore } from '../chain-core.ts';
import { ranCode } from './chain-history.ts';
import { type ChainTracing, TraceMismatchError } from './tracing.ts';

/** A contract that was created. */
export interface Creation {
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
const KEPT_BLOCKS = 2_048;

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
    if (this.#known.size > KEPT_BLOCKS && oldest !== undefined) this.#known.delete(oldest);
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
