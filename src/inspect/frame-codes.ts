/** Finds the code that each frame ran. Each account is looked up once per execution. */

import type { FrameEnd, FrameStart } from '../evm/observer.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { delegateOf } from '../state/account.ts';
import type { WorldState } from '../state/world-state.ts';

/** Resolves codes from the state before the execution and from the contracts that the execution created. */
export class FrameCodes {
  readonly #before: Pick<WorldState, 'account'>;
  /** Looked-up and created codes, by address. */
  readonly #known = new Map<string, Uint8Array>();

  constructor(before: Pick<WorldState, 'account'>) {
    this.#before = before;
  }

  /** Returns the code that a frame ran. Frames must come in call order. */
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
