/** Bytes of a block number in keys and records. */
export const NUMBER_SIZE = 6;

/** The number in big-endian bytes. */
export function numberBytes(number: number): Buffer {
  const bytes = Buffer.alloc(NUMBER_SIZE);
  bytes.writeUIntBE(number, 0, NUMBER_SIZE);
  return bytes;
}

/** The key of a block's record of a kind, which one letter names. Keys sort as blocks follow each other. */
export function numberKey(kind: string, number: number): string {
  return kind + numberBytes(number).toString('hex');
}

/** The number in a key that {@link numberKey} gave. */
export function numberOfKey(key: string): number {
  return Number.parseInt(key.slice(1), 16);
}
