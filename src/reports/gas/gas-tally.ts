/** Sums the gas of frames by code and selector, both as bytes. Names are resolved for each report. */

import type { ExecutionResult } from '../../evm/engine.ts';
import type { ExecutedFrame, FrameRecord } from '../../evm/frame-recorder.ts';
import { isCreation } from '../../evm/observer.ts';
import { hexKey, toHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { GasStatistics } from './gas-statistics.ts';

/** Deployed code that ran, or initcode. */
export interface MeasuredCode {
  readonly side: 'creation' | 'deployed';
  readonly bytes: Uint8Array;
  /** Keccak-256 of the bytes. */
  readonly hash: Uint8Array;
  /** 20 bytes: the first account with the code. */
  readonly address: Uint8Array;
}

/** The calls of one function, by its code and by the implementation's code if it is a proxy. */
export interface FunctionTally {
  /** The key of the code; `null` for a precompile. */
  readonly code: string | null;
  /** The address of a precompile; `null` for a contract. */
  readonly precompile: Uint8Array | null;
  /** The key of the implementation's code; `null` if the contract is not a proxy. */
  readonly handedTo: string | null;
  /** The first bytes of the data, at most four; `null` beyond the limit of selectors. */
  readonly selector: Uint8Array | null;
  /** Gas of whole transactions. */
  readonly transactions: GasStatistics;
  /** Gas of calls by other contracts. */
  readonly calls: GasStatistics;
}

export interface CreationTally {
  readonly code: string;
  readonly transactions: GasStatistics;
  readonly calls: GasStatistics;
  /** Bytes of the deployed code; 0 for failed creations. */
  readonly codeSize: number;
  /** Bytes of the initcode with its arguments. */
  readonly initcodeSize: number;
}

/** Maximum separate selectors per code. Callers can use any number of selectors. */
const MAX_FUNCTIONS = 1000;

export class GasTally {
  readonly functions = new Map<string, FunctionTally>();
  readonly creations = new Map<string, CreationTally>();
  /** Transactions to accounts without code. */
  readonly transfers = new GasStatistics();
  readonly transactions = new GasStatistics();
  /** Inner calls that were not recorded because there were too many. */
  omitted = 0;
  readonly #functionsOf = new Map<string, number>();

  /** Adds all counts of another tally. Both must use the same code book. */
  merge(other: GasTally): void {
    this.transfers.merge(other.transfers);
    this.transactions.merge(other.transactions);
    this.omitted += other.omitted;
    for (const [key, tally] of other.functions) {
      const own = this.functions.get(key);
      own?.transactions.merge(tally.transactions);
      own?.calls.merge(tally.calls);
      if (own === undefined) this.functions.set(key, tally);
    }
    for (const [key, tally] of other.creations) {
      const own = this.creations.get(key);
      own?.transactions.merge(tally.transactions);
      own?.calls.merge(tally.calls);
      if (own === undefined) this.creations.set(key, tally);
    }
  }

  /** Adds a transaction and its outermost frame. Add the inner frames with {@link addFrame}. */
  addTransaction(transaction: Transaction, result: ExecutionResult, codes: CodeBook): void {
    const hasFailed = result.outcome !== 'success';
    this.transactions.add(result.gasUsed, hasFailed);
    const record = result.frames;
    const [root] = record?.frames ?? [];
    this.omitted += record?.omitted ?? 0;
    if (record === undefined || root === undefined || isWithoutCode(root, record)) {
      // Rootstock's last transaction of a block runs no code and has no frame. All other transactions have
      // one.
      if (transaction.to !== null || root === undefined) this.transfers.add(result.gasUsed, hasFailed);
      else this.#creation(root, record, codes)?.transactions.add(result.gasUsed, hasFailed);
      return;
    }
    this.#of(root, record, codes)?.transactions.add(result.gasUsed, hasFailed);
  }

  /** Adds an inner frame. */
  addFrame(frame: ExecutedFrame, record: FrameRecord, codes: CodeBook): void {
    const { parent, outcome, gasUsed } = frame;
    const around = record.frames[parent];
    // The calls of a proxy and of its implementation count as one.
    const isHandedOn = around !== undefined && record.frames[around.handedTo] === frame;
    if (isHandedOn || isWithoutCode(frame, record)) return;
    this.#of(frame, record, codes)?.calls.add(gasUsed, outcome !== 'success');
  }

  #of(
    frame: ExecutedFrame,
    record: FrameRecord,
    codes: CodeBook,
  ): Pick<FunctionTally, 'transactions' | 'calls'> | null {
    return isCreation(frame.kind)
      ? this.#creation(frame, record, codes)
      : this.#functionOf(frame, record, codes);
  }

  #creation(frame: ExecutedFrame, record: FrameRecord | undefined, codes: CodeBook): CreationTally {
    const account = record?.accounts[frame.account];
    const made = frame.outcome === 'success' ? (account?.code ?? null) : null;
    const address = account?.address ?? new Uint8Array(20);
    const code =
      made === null
        ? codes.keyOf({ side: 'creation', bytes: frame.input, hash: keccak256(frame.input), address })
        : codes.keyOf({ side: 'deployed', bytes: made.bytes, hash: made.hash, address });
    const codeSize = made?.bytes.length ?? 0;
    const initcodeSize = frame.input.length;
    const key = `${code}:${codeSize}:${initcodeSize}`;
    const known = this.creations.get(key);
    if (known !== undefined) return known;
    const statistics = { transactions: new GasStatistics(), calls: new GasStatistics() };
    const tally = { code, ...statistics, codeSize, initcodeSize };
    this.creations.set(key, tally);
    return tally;
  }

  #functionOf(frame: ExecutedFrame, record: FrameRecord, codes: CodeBook): FunctionTally | null {
    const account = record.accounts[frame.account];
    if (account === undefined) return null;
    const { address, code } = account;
    const own = code === null ? `precompile ${toHex(address)}` : codes.keyOf(deployed(code, address));
    const handed = innermost(frame, record);
    const behind = handed === null ? undefined : record.accounts[handed.account];
    const behindCode = behind?.code ?? null;
    const handedTo =
      behind === undefined || behindCode === null ? null : codes.keyOf(deployed(behindCode, behind.address));
    let selector: Uint8Array | null = frame.input;
    let key = `${own}>${handedTo ?? ''}>${hexKey(selector)}`;
    if (!this.functions.has(key)) {
      const count = this.#functionsOf.get(own) ?? 0;
      if (count >= MAX_FUNCTIONS) {
        selector = null;
        key = `${own}>`;
      } else this.#functionsOf.set(own, count + 1);
    }
    const known = this.functions.get(key);
    if (known !== undefined) return known;
    const tally = {
      code: code === null ? null : own,
      precompile: code === null ? address : null,
      handedTo,
      selector,
      transactions: new GasStatistics(),
      calls: new GasStatistics(),
    };
    this.functions.set(key, tally);
    return tally;
  }
}

function deployed(
  code: { readonly bytes: Uint8Array; readonly hash: Uint8Array },
  address: Uint8Array,
): MeasuredCode {
  return { side: 'deployed', ...code, address };
}

/** Returns true if the called account has no code. */
function isWithoutCode(frame: ExecutedFrame, { accounts }: FrameRecord): boolean {
  return !isCreation(frame.kind) && !frame.isPrecompile && (accounts[frame.account]?.code ?? null) === null;
}

/** Returns the last frame of a chain of proxies; `null` if the contract is not a proxy. */
function innermost(frame: ExecutedFrame, { frames }: FrameRecord): ExecutedFrame | null {
  let found: ExecutedFrame | null = null;
  for (let at = frames[frame.handedTo]; at !== undefined; at = frames[at.handedTo]) found = at;
  return found;
}

/** Codes by key. */
export class CodeBook {
  readonly #codes = new Map<string, MeasuredCode>();

  get size(): number {
    return this.#codes.size;
  }

  /** Returns the key of a code, and stores the code. */
  keyOf(code: MeasuredCode): string {
    const key = `${code.side}:${hexKey(code.hash)}`;
    if (!this.#codes.has(key)) this.#codes.set(key, code);
    return key;
  }

  addAll(other: CodeBook): void {
    for (const [key, code] of other.#codes) this.#codes.set(key, code);
  }

  code(key: string): MeasuredCode | null {
    return this.#codes.get(key) ?? null;
  }
}
