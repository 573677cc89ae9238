// Indexes of the best parent chain: blocks, transactions, unspent outputs, and both by script.

import { hexKey } from '../../primitives/hex.ts';
import type { ParentBlock } from './parent-block.ts';
import { isCoinbase, outpointKey, type ParentOutput, type ParentTransaction } from './parent-transaction.ts';

/** Blocks on a coinbase transaction's block before its outputs can be spent. */
export const COINBASE_MATURITY = 100;

/** An unspent output. */
export interface Coin extends ParentOutput {
  readonly txid: string;
  readonly index: number;
  /** The height of its block; `null` if it is in the mempool. */
  readonly height: number | null;
  readonly isCoinbase: boolean;
}

/** A transaction with its block. */
export interface MinedTransaction {
  readonly transaction: ParentTransaction;
  readonly block: ParentBlock;
  /** Its index in the block. */
  readonly position: number;
}

/** Returns true if nobody can spend the output, so that it is no coin. */
export function isUnspendable(script: Uint8Array): boolean {
  const OP_RETURN = 0x6a;
  const MAX_SCRIPT_SIZE = 10_000;
  return script[0] === OP_RETURN || script.length > MAX_SCRIPT_SIZE;
}

/** Returns the spendable outputs of a transaction. The outputs of the genesis block are no coins. */
export function coinsOf(transaction: ParentTransaction, height: number | null): Coin[] {
  if (height === 0) return [];
  const created = isCoinbase(transaction);
  return transaction.outputs.flatMap(({ value, script }, index) =>
    isUnspendable(script)
      ? []
      : [{ txid: transaction.txid, index, value, script, height, isCoinbase: created }],
  );
}

export class ChainIndex {
  /** By height. */
  readonly #blocks: ParentBlock[] = [];
  readonly #byHash = new Map<string, ParentBlock>();
  readonly #transactions = new Map<string, MinedTransaction>();
  readonly #coins = new Map<string, Coin>();
  readonly #coinsByScript = new Map<string, Map<string, Coin>>();
  readonly #historyByScript = new Map<string, Set<string>>();

  constructor(tip: ParentBlock) {
    this.moveTo(tip);
  }

  blockAt(height: number): ParentBlock | undefined {
    return this.#blocks[height];
  }

  block(hash: string): ParentBlock | undefined {
    return this.#byHash.get(hash);
  }

  transaction(txid: string): MinedTransaction | undefined {
    return this.#transactions.get(txid);
  }

  /** Returns the unspent output with this key. */
  coin(key: string): Coin | undefined {
    return this.#coins.get(key);
  }

  /** All unspent outputs, the oldest first. */
  get coins(): Iterable<Coin> {
    return this.#coins.values();
  }

  get coinCount(): number {
    return this.#coins.size;
  }

  /** The number of transactions, including the genesis block's. */
  get transactionCount(): number {
    return this.#transactions.size;
  }

  /** Returns the unspent outputs of a script (digits). */
  coinsOfScript(script: string): Iterable<Coin> {
    return this.#coinsByScript.get(script)?.values() ?? [];
  }

  /** Returns the ids of the transactions that pay to a script (digits) or spend its outputs, the oldest first. */
  historyOfScript(script: string): Iterable<string> {
    return this.#historyByScript.get(script) ?? [];
  }

  /** Makes `tip` the best block: disconnects blocks down to the common ancestor, and connects the others. */
  moveTo(tip: ParentBlock): void {
    const missing: ParentBlock[] = [];
    let cursor: ParentBlock | null = tip;
    while (cursor !== null && this.#blocks[cursor.height] !== cursor) {
      missing.push(cursor);
      cursor = cursor.parent;
    }
    const height = cursor?.height ?? -1;
    while (this.#blocks.length > height + 1) this.#disconnectLast();
    for (const block of missing.reverse()) this.#connect(block);
  }

  #connect(block: ParentBlock): void {
    this.#blocks.push(block);
    this.#byHash.set(block.hash, block);
    for (const [position, transaction] of block.transactions.entries()) {
      for (const input of transaction.inputs) this.#spend(outpointKey(input), transaction.txid);
      this.#transactions.set(transaction.txid, { transaction, block, position });
      for (const { script } of transaction.outputs) this.#addToHistory(script, transaction.txid);
      for (const coin of coinsOf(transaction, block.height)) this.#add(coin);
    }
  }

  #disconnectLast(): void {
    const block = this.#blocks.pop();
    if (block === undefined) return;
    this.#byHash.delete(block.hash);
    for (const transaction of block.transactions.toReversed()) {
      for (const coin of coinsOf(transaction, block.height)) this.#remove(coin);
      for (const { script } of transaction.outputs) this.#removeFromHistory(script, transaction.txid);
      this.#transactions.delete(transaction.txid);
      for (const { txid, index } of transaction.inputs) {
        const source = this.#transactions.get(txid);
        if (source === undefined) continue;
        const coin = coinsOf(source.transaction, source.block.height).find((found) => found.index === index);
        if (coin === undefined) continue;
        this.#removeFromHistory(coin.script, transaction.txid);
        this.#add(coin);
      }
    }
  }

  #spend(key: string, spender: string): void {
    const coin = this.#coins.get(key);
    if (coin === undefined) return;
    this.#remove(coin);
    this.#addToHistory(coin.script, spender);
  }

  #add(coin: Coin): void {
    const key = outpointKey(coin);
    this.#coins.set(key, coin);
    const script = hexKey(coin.script);
    const ofScript = this.#coinsByScript.get(script) ?? new Map<string, Coin>();
    ofScript.set(key, coin);
    this.#coinsByScript.set(script, ofScript);
  }

  #remove(coin: Coin): void {
    const key = outpointKey(coin);
    this.#coins.delete(key);
    const script = hexKey(coin.script);
    const ofScript = this.#coinsByScript.get(script);
    ofScript?.delete(key);
    if (ofScript?.size === 0) this.#coinsByScript.delete(script);
  }

  #addToHistory(script: Uint8Array, txid: string): void {
    const key = hexKey(script);
    const history = this.#historyByScript.get(key) ?? new Set<string>();
    history.add(txid);
    this.#historyByScript.set(key, history);
  }

  #removeFromHistory(script: Uint8Array, txid: string): void {
    const key = hexKey(script);
    const history = this.#historyByScript.get(key);
    history?.delete(txid);
    if (history?.size === 0) this.#historyByScript.delete(key);
  }
}
