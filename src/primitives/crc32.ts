const POLYNOMIAL = 0xedb88320;

/** The CRC-32 checksum (IEEE 802.3) of the bytes, as 4 bytes: what fork ids are made of (EIP-2124). */
export function crc32(bytes: Uint8Array): Uint8Array {
  let remainder = 0xffffffff;
  for (const byte of bytes) {
    remainder ^= byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? POLYNOMIAL : 0);
  }
  const checksum = new Uint8Array(4);
  new DataView(checksum.buffer).setUint32(0, ~remainder);
  return checksum;
}
