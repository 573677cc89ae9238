// The transactions that wait for a block.

import { hexKey } from '../../primitives/hex.ts';
import { type ChainIndex, type Coin, coinsOf } from './chain-index.ts';
import { outpointKey, type ParentInput, type ParentTransaction } from './parent-transaction.ts';

/** A transaction in the mempool. */
export interface MempoolEntry {
  readonly transaction: ParentTransaction;
  /** In satoshis. */
  readonly fee: bigint;
  /** When the transaction was accepted, in seconds. */
  readonly time: number;
  /** The height of the best block when the transaction was accepted. */
  readonly height: number;
}

/** The mempool with its indexes, on the coins of a chain. */
export class Mempool {
  readonly #index: ChainIndex;
  readonly #entries = new Map<string, MempoolEntry>();
  /** The spending transaction by the key of the spent output. */
  readonly #spenders = new Map<string, string>();
  readonly #coins = new Map<string, Coin>();
  /** The unspent outputs in the mempool, by script and key. */
  readonly #coinsByScript = new Map<string, Map<string, Coin>>();
  readonly #historyByScript = new Map<string, Set<string>>();

  constructor(index: ChainIndex, entries: readonly MempoolEntry[]) {
    this.#index = index;
    for (const entry of entries) this.add(entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** In the order of acceptance: parents before their children. */
  get entries(): Iterable<MempoolEntry> {
    return this.#entries.values();
  }

  entry(txid: string): MempoolEntry | undefined {
    return this.#entries.get(txid);
  }

  /** Returns the id of the transaction in the mempool that spends the output. */
  spender(outpoint: Pick<ParentInput, 'txid' | 'index'>): string | undefined {
    return this.#spenders.get(outpointKey(outpoint));
  }

  /** Returns an output of the chain or mempool, even if a transaction in the mempool spends it. */
  coin(outpoint: Pick<ParentInput, 'txid' | 'index'>): Coin | undefined {
    const key = outpointKey(outpoint);
    return this.#coins.get(key) ?? this.#index.coin(key);
  }

  /** Returns the unspent outputs of a script (digits) that are in the mempool. */
  coinsOfScript(script: string): Iterable<Coin> {
    return this.#coinsByScript.get(script)?.values() ?? [];
  }

  /** Returns the ids of the transactions that pay to a script (digits) or spend its outputs. */
  historyOfScript(script: string): Iterable<string> {
    return this.#historyByScript.get(script) ?? [];
  }

  add(entry: MempoolEntry): void {
    const { transaction } = entry;
    this.#entries.set(transaction.txid, entry);
    for (const input of transaction.inputs) {
      const coin = this.coin(input);
      if (coin !== undefined) {
        this.#addToHistory(coin.script, transaction.txid);
        this.#coinsByScript.get(hexKey(coin.script))?.delete(outpointKey(input));
      }
      this.#spenders.set(outpointKey(input), transaction.txid);
    }
    for (const { script } of transaction.outputs) this.#addToHistory(script, transaction.txid);
    for (const coin of coinsOf(transaction, null)) this.#addCoin(coin);
  }

  #addCoin(coin: Coin): void {
    const key = outpointKey(coin);
    this.#coins.set(key, coin);
    const script = hexKey(coin.script);
    const ofScript = this.#coinsByScript.get(script) ?? new Map<string, Coin>();
    ofScript.set(key, coin);
    this.#coinsByScript.set(script, ofScript);
  }

  #addToHistory(script: Uint8Array, txid: string): void {
    const key = hexKey(script);
    const history = this.#historyByScript.get(key) ?? new Set<string>();
    history.add(txid);
    this.#historyByScript.set(key, history);
  }
}

/** Returns the entries that remain valid on the chain: their inputs are unspent coins of the chain or of other entries. */
export function remainingEntries(entries: Iterable<MempoolEntry>, index: ChainIndex): MempoolEntry[] {
  const spent = new Set<string>();
  const created = new Set<string>();
  const remaining: MempoolEntry[] = [];
  for (const entry of entries) {
    const { inputs } = entry.transaction;
    const keys = inputs.map(outpointKey);
    const isMined = index.transaction(entry.transaction.txid) !== undefined;
    const isValid = keys.every(
      (key) => !spent.has(key) && (created.has(key) || index.coin(key) !== undefined),
    );
    if (isMined || !isValid) continue;
    for (const key of keys) spent.add(key);
    for (const coin of coinsOf(entry.transaction, null)) created.add(outpointKey(coin));
    remaining.push(entry);
  }
  return remaining;
}
