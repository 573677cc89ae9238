// The logs of a simulated call, with the logs of value transfers if requested.

import { LOG_BYTES } from '../../evm/engine.ts';
import type { ExecutionObserver, FrameEnd, FrameStart } from '../../evm/observer.ts';
import { bigIntToFixedBytes, padLeft } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { Log } from '../../protocol/receipt.ts';
import type { ResultBudget } from './result-budget.ts';

/** The address that emits transfer logs (ERC-7528: the native asset). */
const NATIVE_ASSET = new Uint8Array(20).fill(0xee);
const TRANSFER_TOPIC = keccak256(new TextEncoder().encode('Transfer(address,address,uint256)'));
const WORD = 32;

function transferLog(from: Uint8Array, to: Uint8Array, value: bigint): Log {
  return {
    address: NATIVE_ASSET,
    topics: [TRANSFER_TOPIC, padLeft(from, WORD), padLeft(to, WORD)],
    data: bigIntToFixedBytes(value, WORD),
  };
}

/** Returns the moved wei. DELEGATECALL moves nothing, CALLCODE keeps the value in the account. */
function movedValue({ kind, value }: FrameStart): bigint {
  return kind === 'DELEGATECALL' || kind === 'CALLCODE' ? 0n : (value ?? 0n);
}

/** Number and bytes of the logs so far. */
interface LogMark {
  readonly count: number;
  readonly bytes: number;
}

/** The indexes of logs if reverted logs have indexes too. */
export interface LogNumbering {
  readonly indexes: readonly number[];
  /** Number of indexes, including reverted logs. */
  readonly count: number;
}

/** Collects the logs of an execution in order, and adds one for each value transfer if requested. */
export class SimulatedLogs implements ExecutionObserver {
  readonly #budget: ResultBudget;
  readonly #addsTransfers: boolean;
  readonly #logs: Log[] = [];
  readonly #indexes: number[] = [];
  #count = 0;
  #bytes = 0;
  /** The logs before each open frame, outermost frame first. */
  readonly #open: LogMark[] = [];

  /** The budget's error ends the execution if the logs do not fit. */
  constructor(budget: ResultBudget, addsTransfers: boolean) {
    this.#budget = budget;
    this.#addsTransfers = addsTransfers;
  }

  frameStart(start: FrameStart): void {
    this.#open.push({ count: this.#logs.length, bytes: this.#bytes });
    const value = this.#addsTransfers ? movedValue(start) : 0n;
    if (value > 0n) this.#add(transferLog(start.from, start.to, value));
  }

  frameEnd({ outcome }: FrameEnd): void {
    const before = this.#open.pop();
    if (outcome === 'success' || before === undefined) return;
    this.#logs.length = before.count;
    this.#indexes.length = before.count;
    this.#bytes = before.bytes;
  }

  log({ address, topics, data }: Log): void {
    this.#add({ address, topics, data: data.slice() });
  }

  #add(log: Log): void {
    this.#bytes += LOG_BYTES + log.data.length;
    this.#budget.hasRoom(this.#bytes);
    this.#logs.push(log);
    this.#indexes.push(this.#count++);
  }

  /** Returns the logs that were not reverted. */
  logs(): readonly Log[] {
    return this.#logs;
  }

  /** Returns the indexes of {@link logs} if reverted logs have indexes too. */
  numbering(): LogNumbering {
    return { indexes: this.#indexes, count: this.#count };
  }
}
