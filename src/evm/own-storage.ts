import { EMPTY_BYTES } from '../primitives/bytes.ts';
import type { Overlay } from '../state/overlay.ts';
import { MissingStateError } from '../state/state-source.ts';

/**
 * Returns a slot of a precompile's storage, without leading zeros. On a fork, slots of the upstream are ignored:
 * other nodes store this state in another form.
 */
export function ownStorageAt(state: Overlay, address: Uint8Array, slot: Uint8Array): Uint8Array {
  try {
    return state.storageAt(address, slot);
  } catch (error) {
    if (error instanceof MissingStateError) return EMPTY_BYTES;
    throw error;
  }
}
