/** Finds the code that each frame ran. Each account is looked up once per execution. */

import type { FrameEnd, FrameStart } from '../evm/observer.ts';
import { authorityOf } from '../evm/signers.ts';
import type { TraceSubject } from '../evm/tracers/tracer.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { delegateOf } from '../state/account.ts';
import type { Overlay } from '../state/overlay.ts';
import type { WorldState } from '../state/world-state.ts';

/** Code that authorizations of the transaction set, by address (EIP-7702). It stays if the transaction fails. */
export type AuthorizedCodes = ReadonlyMap<string, Uint8Array>;

/** Returns the codes of the accounts that signed authorizations. `after` is the state after the execution. */
export function authorizedCodes(
  {
    message: { authorizationList },
    impersonatedSigner,
  }: Pick<TraceSubject, 'message' | 'impersonatedSigner'>,
  after: Pick<Overlay, 'code'>,
): AuthorizedCodes {
  const codes = new Map<string, Uint8Array>();
  for (const authorization of authorizationList) {
    const authority = authorityOf(authorization, impersonatedSigner);
    if (authority !== null) codes.set(hexKey(authority), after.code(authority));
  }
  return codes;
}

/** Resolves codes from the state before the execution and from the contracts that the execution created. */
export class FrameCodes {
  readonly #before: Pick<WorldState, 'account'>;
  readonly #authorized: AuthorizedCodes;
  /** Looked-up and created codes, by address. */
  readonly #known = new Map<string, Uint8Array>();

  constructor(before: Pick<WorldState, 'account'>, authorized: AuthorizedCodes = new Map()) {
    this.#before = before;
    this.#authorized = authorized;
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
    const own = this.#authorized.get(address) ?? this.#codeBefore(to);
    const delegate = delegateOf(own);
    const code = delegate === null ? own : this.#codeBefore(delegate);
    this.#known.set(address, code);
    return code;
  }

  #codeBefore(address: Uint8Array): Uint8Array {
    return this.#before.account(address)?.code.bytes ?? EMPTY_BYTES;
  }
}
