// The logs of transfers of value, which a simulation makes where it is asked for them.

import type { ExecutionObserver, FrameEnd, FrameStart } from '../../evm/observer.ts';
import { bigIntToFixedBytes, padLeft } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { Log } from '../../protocol/receipt.ts';

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

/** The logs of an execution, and among them one for each transfer of value, in the order they happened. */
export class TransferLogs implements ExecutionObserver {
  readonly #logs: Log[] = [];
  /** For each frame that is open, the outermost first, how many logs there were before it. */
  readonly #open: number[] = [];

  frameStart(start: FrameStart): void {
    this.#open.push(this.#logs.length);
    const value = movedValue(start);
    if (value > 0n) this.#logs.push(transferLog(start.from, start.to, value));
  }

  frameEnd({ outcome }: FrameEnd): void {
    const before = this.#open.pop() ?? 0;
    if (outcome !== 'success') this.#logs.length = before;
  }

  log({ address, topics, data }: Log): void {
    this.#logs.push({ address, topics, data: data.slice() });
  }

  /** Returns the logs that no revert took back. */
  logs(): readonly Log[] {
    return this.#logs;
  }
}
