/** Finds the codes that the frames of an execution ran; the code of an account is looked up once for all of its frames. */

import type { FrameEnd, FrameStart } from '../evm/observer.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { delegateOf } from '../state/account.ts';
import type { WorldState } from '../state/world-state.ts';

/** The codes that frames ran, by those of the accounts before the execution and of the contracts that it created. */
export class FrameCodes {
  readonly #before: Pick<WorldState, 'account'>;
  /** By address: those looked up, and those created. */
  readonly #known = new Map<string, Uint8Array>();

  constructor(before: Pick<WorldState, 'account'>) {
    this.#before = before;
  }

  /** Returns the code that a frame ran. Frames must come in the order in which they began. */
  next({ kind, to, input, isPrecompile }: FrameStart, { outcome, output }: FrameEnd): Uint8Array {
    if (isPrecompile || kind === 'SELFDESTRUCT') return EMPTY_BYTES;
    const address = hexKey(to);
    if (kind === 'CREATE' || kind === 'CREATE2') {
      if (outcome === 'success') this.#known.set(address, output);
      return input;
    }
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const own = this.#codeBefore(to);
    const delegate = delegateOf(own);
    const code = delegate === null ? own : this.#codeBefore(delegate);
    this.#known.set(address, code);
    return code;
  }

  #codeBefore(address: Uint8Array): Uint8Array {
    return this.#before.account(address)?.code.bytes ?? EMPTY_BYTES;
  }
}
