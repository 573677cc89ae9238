/** Tells to which contract a proxy hands its calls, by its code or by the slots that standards give it. */

import { padLeft } from '../primitives/bytes.ts';
import { fromHex, hexKey } from '../primitives/hex.ts';
import type { WorldState } from '../state/world-state.ts';

/** The slot in which a proxy has its implementation (EIP-1967). */
const IMPLEMENTATION_SLOT = fromHex('0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc');
/** The code of a minimal proxy (EIP-1167) around the address of its implementation. */
const MINIMAL_PROXY = /^363d3d373d3d3d363d73(?<address>[0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/;
const MINIMAL_PROXY_SIZE = 45;
const ADDRESS_SIZE = 20;

/** True for the code of a minimal proxy (EIP-1167). */
export function isMinimalProxy(code: Uint8Array): boolean {
  return code.length === MINIMAL_PROXY_SIZE && MINIMAL_PROXY.test(hexKey(code));
}

/** Returns the implementation of a proxy; `null` for an account that is none. */
export function implementationOf(
  state: WorldState,
  address: Uint8Array,
  code: Uint8Array,
): Uint8Array | null {
  if (code.length === MINIMAL_PROXY_SIZE) {
    const target = MINIMAL_PROXY.exec(hexKey(code))?.groups?.address;
    if (target !== undefined) return fromHex(`0x${target}`);
  }
  const stored = state.storageAt(address, IMPLEMENTATION_SLOT);
  return stored.length === 0 ? null : padLeft(stored, ADDRESS_SIZE).subarray(-ADDRESS_SIZE);
}
