/** Records the frames of an execution in a form that is small whatever their data are: for measures of gas. */

import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { fromHex, hexKey } from '../primitives/hex.ts';
import { type Code, delegateOf } from '../state/account.ts';
import { HALT_REASONS } from './halt-reasons.ts';
import type { ExecutionObserver, FrameEnd, FrameKind, FrameStart, Outcome } from './observer.ts';

/** A frame that ran. */
export interface ExecutedFrame {
  readonly kind: FrameKind;
  /** The index of the frame around it; -1 for the message itself. */
  readonly parent: number;
  /** The index of the account whose code ran, or that was created, among those of the record. */
  readonly account: number;
  readonly isPrecompile: boolean;
  /** The first four bytes of the data of a call, or fewer where it has fewer; the initcode of a creation. */
  readonly input: Uint8Array;
  readonly outcome: Outcome;
  /** Gas that the frame used, before refunds. */
  readonly gasUsed: bigint;
  /**
   * The index of the frame that a proxy handed its call on to: the first delegate call with the same data whose result is
   * its own. -1 for a frame that is not of a proxy.
   */
  readonly handedTo: number;
}

/** An account whose code ran, or that was created. */
export interface RecordedAccount {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** The code that ran: that of the delegate for an account that delegates (EIP-7702). `null` for an account without code. */
  readonly code: Code | null;
}

/** The frames of an execution. */
export interface FrameRecord {
  readonly accounts: readonly RecordedAccount[];
  /**
   * In the order in which they began, the message itself first. Precompiles inside others, self-destructions, and calls and creations that
   * were refused before any code ran are not among them.
   */
  readonly frames: readonly ExecutedFrame[];
  /** Frames beyond the limit, which were not recorded. */
  readonly omitted: number;
}

type OpenFrame = { -readonly [Key in keyof ExecutedFrame]: ExecutedFrame[Key] };

/** A frame that is not finished, with what must be compared until then. */
interface Open {
  /** -1 for a frame that is not recorded. */
  readonly index: number;
  /** The whole data; empty where nothing is compared with it. */
  readonly input: Uint8Array;
  /** The result of the delegate call that the frame may have handed its call on to. */
  handedOutput: Uint8Array | null;
  handedTo: number;
}

/** Frames of one execution that are recorded: more than a block of 30 million gas can begin. */
const MOST_FRAMES = 200_000;
const SELECTOR_SIZE = 4;

/** The reasons for which a call or creation does not begin; it costs its caller nothing but the opcode. */
const REFUSALS: ReadonlySet<string> = new Set([HALT_REASONS.balanceTooLow, HALT_REASONS.callTooDeep]);

function isCreation(kind: FrameKind): boolean {
  return kind === 'CREATE' || kind === 'CREATE2';
}

/** Returns the code of an account as it is after an execution; `null` for none. */
export type CodeAt = (address: Uint8Array) => Code | null;

/** Records the frames of one execution. */
export class FrameRecorder implements ExecutionObserver {
  readonly wantsFramesOnly = true;
  readonly #frames: OpenFrame[] = [];
  readonly #open: Open[] = [];
  /** The indexes of accounts by address, as {@link hexKey} spells it. */
  readonly #accounts = new Map<string, number>();
  #omitted = 0;

  frameStart({ kind, to, input, isPrecompile }: FrameStart): void {
    const isLeftOut = kind === 'SELFDESTRUCT' || (isPrecompile && this.#open.length > 0);
    const isBeyond = !isLeftOut && this.#frames.length >= MOST_FRAMES;
    if (isBeyond) this.#omitted++;
    if (isLeftOut || isBeyond) {
      this.#open.push({ index: -1, input: EMPTY_BYTES, handedOutput: null, handedTo: -1 });
      return;
    }
    const data = input.slice();
    this.#open.push({ index: this.#frames.length, input: data, handedOutput: null, handedTo: -1 });
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
    if (frame.parent !== -1 && haltReason !== null && REFUSALS.has(haltReason)) {
      // Nothing ran within it, so that it is the last one.
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
   * Returns the record; must be called once, after the execution. `before` gives the code of accounts that are gone since.
   * Takes time in proportion to the accounts, not to the frames.
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
