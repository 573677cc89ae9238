// The logs of transfers of value, which a simulation makes where it is asked for them.

import { LOG_BYTES } from '../../evm/engine.ts';
import type { ExecutionObserver, FrameEnd, FrameStart } from '../../evm/observer.ts';
import { bigIntToFixedBytes, padLeft } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { Log } from '../../protocol/receipt.ts';
import type { ResultBudget } from './result-budget.ts';

/** The address that emits the logs of transfers (ERC-7528: the native asset). */
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

/** Returns the wei that a frame moves. A delegated call moves nothing, and what CALLCODE sends stays where it is. */
function movedValue({ kind, value }: FrameStart): bigint {
  return kind === 'DELEGATECALL' || kind === 'CALLCODE' ? 0n : (value ?? 0n);
}

/** How many logs there are, and the bytes that they take. */
interface LogMark {
  readonly count: number;
  readonly bytes: number;
}

/** The logs of an execution, and among them one for each transfer of value, in the order they happened. */
export class TransferLogs implements ExecutionObserver {
  readonly #budget: ResultBudget;
  readonly #logs: Log[] = [];
  #bytes = 0;
  /** For each frame that is open, the outermost first, the logs that there were before it. */
  readonly #open: LogMark[] = [];

  /** The execution ends with the error of the budget when there is no room in it for the logs. */
  constructor(budget: ResultBudget) {
    this.#budget = budget;
  }

  frameStart(start: FrameStart): void {
    this.#open.push({ count: this.#logs.length, bytes: this.#bytes });
    const value = movedValue(start);
    if (value > 0n) this.#add(transferLog(start.from, start.to, value));
  }

  frameEnd({ outcome }: FrameEnd): void {
    const before = this.#open.pop();
    if (outcome === 'success' || before === undefined) return;
    this.#logs.length = before.count;
    this.#bytes = before.bytes;
  }

  log({ address, topics, data }: Log): void {
    this.#add({ address, topics, data: data.slice() });
  }

  #add(log: Log): void {
    this.#bytes += LOG_BYTES + log.data.length;
    this.#budget.hasRoom(this.#bytes);
    this.#logs.push(log);
  }

  /** Returns the logs that no revert took back. */
  logs(): readonly Log[] {
    return this.#logs;
  }
}
