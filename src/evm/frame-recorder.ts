/** A compact record of the frames of an execution, for gas reports. */

import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { fromHex, hexKey } from '../primitives/hex.ts';
import { type Code, delegateOf } from '../state/account.ts';
import { UNSTARTED } from './halt-reasons.ts';
import type { ExecutionObserver, FrameEnd, FrameKind, FrameStart, Outcome } from './observer.ts';
import { isCreation } from './observer.ts';

export interface ExecutedFrame {
  readonly kind: FrameKind;
  /** The index of the enclosing frame; -1 for the top-level message. */
  readonly parent: number;
  /** Index of the executed or created account in {@link FrameRecord.accounts}. */
  readonly account: number;
  readonly isPrecompile: boolean;
  /** The selector of a call (shorter if the data is shorter), or the initcode of a creation. */
  readonly input: Uint8Array;
  readonly outcome: Outcome;
  /** Gas used by the frame, before refunds. */
  readonly gasUsed: bigint;
  /**
   * For a proxy, the index of the frame that implements the call: the first DELEGATECALL with the same data,
   * if it has the same result. Otherwise -1.
   */
  readonly handedTo: number;
}

/** An executed or created account. */
export interface RecordedAccount {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** The executed code (of the delegate if the account delegates, EIP-7702); `null` if none. */
  readonly code: Code | null;
}

export interface FrameRecord {
  readonly accounts: readonly RecordedAccount[];
  /**
   * In execution order, starting with the top-level message. Omits nested precompiles, transfers of precompiles,
   * selfdestructs, and calls and creations that failed before any code ran.
   */
  readonly frames: readonly ExecutedFrame[];
  /** The number of frames beyond {@link MAX_FRAMES}. */
  readonly omitted: number;
}

type OpenFrame = { -readonly [Key in keyof ExecutedFrame]: ExecutedFrame[Key] };

/** An open frame. */
interface Open {
  /** -1 if the frame is not recorded. */
  readonly index: number;
  readonly isPrecompile: boolean;
  /** The whole calldata; empty if the frame is not recorded. */
  readonly input: Uint8Array;
  /** The result of the first DELEGATECALL with the same data. */
  handedOutput: Uint8Array | null;
  handedTo: number;
}

/** Maximum number of recorded frames: more than a block of 30 million gas can start. */
const MAX_FRAMES = 200_000;
const SELECTOR_SIZE = 4;

/** Returns the code of an account; `null` if it has none. */
export type CodeAt = (address: Uint8Array) => Code | null;

export class FrameRecorder implements ExecutionObserver {
  readonly wantsFramesOnly = true;
  readonly #frames: OpenFrame[] = [];
  readonly #open: Open[] = [];
  /** Indexes of accounts by `hexKey` of the address. */
  readonly #accounts = new Map<string, number>();
  #omitted = 0;

  frameStart({ kind, to, input, isPrecompile }: FrameStart): void {
    const outer = this.#open.at(-1);
    const isOfPrecompile = outer !== undefined && (isPrecompile || outer.isPrecompile);
    const isLeftOut = kind === 'SELFDESTRUCT' || isOfPrecompile;
    const isBeyond = !isLeftOut && this.#frames.length >= MAX_FRAMES;
    if (isBeyond) this.#omitted++;
    if (isLeftOut || isBeyond) {
      this.#open.push({ index: -1, isPrecompile, input: EMPTY_BYTES, handedOutput: null, handedTo: -1 });
      return;
    }
    const data = input.slice();
    this.#open.push({
      index: this.#frames.length,
      isPrecompile,
      input: data,
      handedOutput: null,
      handedTo: -1,
    });
    this.#frames.push({
      kind,
      parent: this.#open.at(-2)?.index ?? -1,
      account: this.#accountAt(hexKey(to)),
      isPrecompile,
      input: isCreation(kind) ? data : data.slice(0, SELECTOR_SIZE),
      outcome: 'success',
      gasUsed: 0n,
      handedTo: -1,
    });
  }

  frameEnd({ outcome, haltReason, gasUsed, output }: FrameEnd): void {
    const ended = this.#open.pop();
    const frame = ended === undefined ? undefined : this.#frames[ended.index];
    if (ended === undefined || frame === undefined) return;
    if (frame.parent !== -1 && haltReason !== null && UNSTARTED.has(haltReason)) {
      // No nested frame was started, so it is the last one.
      this.#frames.pop();
      return;
    }
    frame.outcome = outcome;
    frame.gasUsed = gasUsed;
    const isHandedOn = ended.handedOutput !== null && equalBytes(ended.handedOutput, output);
    if (isHandedOn) frame.handedTo = ended.handedTo;
    const around = this.#open.at(-1);
    if (frame.kind !== 'DELEGATECALL' || around === undefined || around.handedOutput !== null) return;
    if (around.index === -1 || !equalBytes(around.input, ended.input)) return;
    around.handedOutput = output.slice();
    around.handedTo = ended.index;
  }

  #accountAt(key: string): number {
    const index = this.#accounts.get(key) ?? this.#accounts.size;
    this.#accounts.set(key, index);
    return index;
  }

  /**
   * Returns the record. Call it once, after the execution. `before` returns the code of accounts deleted by
   * the execution. Runs in linear time in the number of accounts, not of frames.
   */
  record(after: CodeAt, before: CodeAt): FrameRecord {
    const codeOf = (address: Uint8Array): Code | null => after(address) ?? before(address);
    const accounts = Array.from(this.#accounts.keys(), (key): RecordedAccount => {
      const address = fromHex(`0x${key}`);
      const own = codeOf(address);
      const delegate = own === null ? null : delegateOf(own.bytes);
      return { address, code: delegate === null ? own : codeOf(delegate) };
    });
    return { accounts, frames: this.#frames, omitted: this.#omitted };
  }
}
