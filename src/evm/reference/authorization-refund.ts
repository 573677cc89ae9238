import { hexKey } from '../../primitives/hex.ts';
import type { Overlay } from '../../state/overlay.ts';
import { isDelegation } from '../delegation.ts';
import type { Message } from '../engine.ts';
import { EXISTING_ACCOUNT_REFUND, type SignedAuthorization } from '../signed-authorizations.ts';

/**
 * Returns the gas refund for the authorizations of a message (EIP-7702), on the state before the message. The library
 * adds it to the refund only at the end, but it is visible to code from its first step on.
 */
export function authorizationRefund(
  signed: readonly SignedAuthorization[],
  { sender }: Message,
  state: Overlay,
): bigint {
  /** How often the nonce of an account has been raised, by its address; the sender's is raised first. */
  const raised = new Map([[hexKey(sender), 1n]]);
  let refund = 0n;
  for (const { authorization, authority } of signed) {
    const account = state.account(authority);
    const raises = raised.get(hexKey(authority)) ?? 0n;
    const code = account?.code.bytes ?? new Uint8Array(0);
    if (code.length > 0 && !isDelegation(code)) continue;
    if ((account?.nonce ?? 0n) + raises !== authorization.nonce) continue;
    if (account !== undefined || raises > 0n) refund += EXISTING_ACCOUNT_REFUND;
    raised.set(hexKey(authority), raises + 1n);
  }
  return refund;
}
