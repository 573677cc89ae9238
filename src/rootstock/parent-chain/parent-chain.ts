// A simulated parent chain (Bitcoin, regtest): blocks, mempool and wallets.

import { ChainIndex, COINBASE_MATURITY, type Coin, type MinedTransaction } from './chain-index.ts';
import { Mempool, type MempoolEntry, remainingEntries } from './mempool.ts';
import { GENESIS_BLOCK, type ParentBlock } from './parent-block.ts';
import { isCoinbase, outpointKey, type ParentInput, type ParentTransaction } from './parent-transaction.ts';
import { createWallet, DEFAULT_WALLET, type ParentWallet } from './wallet/parent-wallet.ts';

/** The state of a parent chain. Immutable: each change creates a new object, and snapshots keep references. */
export interface ParentChainState {
  /** The best block. */
  readonly tip: ParentBlock;
  /** In the order of acceptance: parents before their children. */
  readonly mempool: readonly MempoolEntry[];
  readonly wallets: readonly ParentWallet[];
  /** The keys of all wallets are derived from this text. */
  readonly seed: string;
}

/** The time of the chain. */
interface ParentChainClock {
  /** In seconds. */
  now(): number;
}

/** Returns a chain that contains only the genesis block of regtest, with an empty wallet. */
export function newParentChain(seed: string): ParentChainState {
  return { tip: GENESIS_BLOCK, mempool: [], wallets: [createWallet(seed, DEFAULT_WALLET, true)], seed };
}

/** The parent chain with its indexes. They are derived from the state. */
export class ParentChain {
  readonly clock: ParentChainClock;
  readonly index: ChainIndex;
  /** When the chain was opened, in seconds. */
  readonly startTime: number;
  #state: ParentChainState;
  #mempool: Mempool;

  constructor(state: ParentChainState, clock: ParentChainClock) {
    this.clock = clock;
    this.startTime = clock.now();
    this.#state = state;
    this.index = new ChainIndex(state.tip);
    this.#mempool = new Mempool(this.index, state.mempool);
  }

  get state(): ParentChainState {
    return this.#state;
  }

  get tip(): ParentBlock {
    return this.#state.tip;
  }

  get mempool(): Mempool {
    return this.#mempool;
  }

  /** Makes `state` current, for example after a revert. */
  restore(state: ParentChainState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.index.moveTo(state.tip);
    this.#mempool = new Mempool(this.index, state.mempool);
  }

  /** Makes a block the best block. It must be valid. Transactions that it includes or invalidates leave the mempool. */
  connect(block: ParentBlock): void {
    this.index.moveTo(block);
    const mempool = remainingEntries(this.#state.mempool, this.index);
    this.#state = { ...this.#state, tip: block, mempool };
    this.#mempool = new Mempool(this.index, mempool);
  }

  /**
   * Makes an ancestor the best block. The transactions of the removed blocks return to the mempool, unless they
   * spend block rewards that are no longer mature.
   */
  disconnect(ancestor: ParentBlock): void {
    const returned: MempoolEntry[] = [];
    for (let block = this.tip; block !== ancestor && block.parent !== null; block = block.parent) {
      returned.unshift(...entriesOf(block, this.index));
    }
    const entries = [...returned, ...this.#state.mempool];
    this.index.moveTo(ancestor);
    const mempool = remainingEntries(entries, this.index).filter(({ transaction }) =>
      transaction.inputs.every((input) => isSpendable(this.index.coin(outpointKey(input)), ancestor.height)),
    );
    const kept = remainingEntries(mempool, this.index);
    this.#state = { ...this.#state, tip: ancestor, mempool: kept };
    this.#mempool = new Mempool(this.index, kept);
  }

  /** Adds a valid transaction to the mempool. */
  addToMempool(entry: MempoolEntry): void {
    this.#state = { ...this.#state, mempool: [...this.#state.mempool, entry] };
    this.#mempool.add(entry);
  }

  setWallets(wallets: readonly ParentWallet[]): void {
    this.#state = { ...this.#state, wallets };
  }

  /** Returns the output that an input spends, if it is unspent on the chain or in the mempool. */
  coin(outpoint: Pick<ParentInput, 'txid' | 'index'>): Coin | undefined {
    return this.#mempool.coin(outpoint);
  }

  /** Returns a transaction of the best chain or the mempool. */
  transaction(txid: string): { transaction: ParentTransaction; mined: MinedTransaction | null } | undefined {
    const entry = this.#mempool.entry(txid);
    if (entry !== undefined) return { transaction: entry.transaction, mined: null };
    const mined = this.index.transaction(txid);
    return mined === undefined ? undefined : { transaction: mined.transaction, mined };
  }

  /** Returns 1 for the best block; 0 or less for a height above it. */
  confirmations(height: number): number {
    return this.tip.height - height + 1;
  }
}

/** Returns true for a coin that the next block may spend, and for `undefined`: an output in the mempool. */
function isSpendable(coin: Coin | undefined, height: number): boolean {
  return coin === undefined || !coin.isCoinbase || height + 1 - (coin.height ?? 0) >= COINBASE_MATURITY;
}

/** Returns the transactions of a block as entries of the mempool. */
function entriesOf(block: ParentBlock, index: ChainIndex): MempoolEntry[] {
  const spentValue = ({ txid, index: output }: ParentInput): bigint =>
    index.transaction(txid)?.transaction.outputs[output]?.value ?? 0n;
  return block.transactions
    .filter((transaction) => !isCoinbase(transaction))
    .map((transaction) => {
      const valueIn = transaction.inputs.reduce((sum, input) => sum + spentValue(input), 0n);
      const fee = transaction.outputs.reduce((rest, { value }) => rest - value, valueIn);
      return { transaction, fee, time: block.header.time, height: block.height - 1 };
    });
}
