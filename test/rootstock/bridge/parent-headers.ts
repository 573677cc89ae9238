import { parseHeader, provesWork } from '../../../src/rootstock/bridge/parent-chain.ts';

/** The bytes in the other direction. */
export function backwards(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes).reverse();
}

/** A header on top of a block (its hash as people write it) that proves its work. */
export function minedHeader(
  parentHash: Uint8Array,
  merkleRoot: Uint8Array = new Uint8Array(32),
  time = 1,
): Uint8Array {
  const raw = new Uint8Array(80);
  const view = new DataView(raw.buffer);
  view.setUint32(0, 0x20000000, true);
  raw.set(backwards(parentHash), 4);
  raw.set(backwards(merkleRoot), 36);
  view.setUint32(68, time, true);
  view.setUint32(72, 0x207fffff, true);
  for (let nonce = 0; ; nonce++) {
    view.setUint32(76, nonce, true);
    if (provesWork(parseHeader(raw))) return raw;
  }
}
