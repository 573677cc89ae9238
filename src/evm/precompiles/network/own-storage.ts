import { EMPTY_BYTES } from '../../../primitives/bytes.ts';
import type { Overlay } from '../../../state/overlay.ts';
import { StateElsewhere } from '../../../state/state-elsewhere.ts';

/**
 * A slot of what a contract of the network keeps, without leading zeros. What it kept on another chain, where this one
 * began as a fork, counts as nothing: other nodes keep it in another form.
 */
export function ownStorageAt(state: Overlay, address: Uint8Array, slot: Uint8Array): Uint8Array {
  try {
    return state.storageAt(address, slot);
  } catch (error) {
    if (error instanceof StateElsewhere) return EMPTY_BYTES;
    throw error;
  }
}
