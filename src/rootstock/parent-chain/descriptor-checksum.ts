// The checksum of output descriptors (BIP-380).

const INPUT_CHARACTERS =
  '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#"\\ ';
const CHECKSUM_CHARACTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR: readonly bigint[] = [
  0xf5dee51989n,
  0xa9fdca3312n,
  0x1bab10e32dn,
  0x3706b1677an,
  0x644d626ffdn,
];
const CHECKSUM_SIZE = 8;

function step(checksum: bigint, symbol: number): bigint {
  const top = checksum >> 35n;
  const shifted = ((checksum & 0x7ffffffffn) << 5n) ^ BigInt(symbol);
  return GENERATOR.reduce(
    (sum, value, bit) => (((top >> BigInt(bit)) & 1n) === 1n ? sum ^ value : sum),
    shifted,
  );
}

/** Returns the eight characters of the checksum; `undefined` if the descriptor has an invalid character. */
export function descriptorChecksum(descriptor: string): string | undefined {
  let checksum = 1n;
  let group = 0;
  let count = 0;
  for (const character of descriptor) {
    const position = INPUT_CHARACTERS.indexOf(character);
    if (position === -1) return undefined;
    checksum = step(checksum, position & 31);
    group = group * 3 + (position >> 5);
    count++;
    if (count === 3) {
      checksum = step(checksum, group);
      [group, count] = [0, 0];
    }
  }
  if (count > 0) checksum = step(checksum, group);
  for (let index = 0; index < CHECKSUM_SIZE; index++) checksum = step(checksum, 0);
  checksum ^= 1n;
  return Array.from({ length: CHECKSUM_SIZE }, (_, index) => {
    const symbol = (checksum >> BigInt(5 * (CHECKSUM_SIZE - 1 - index))) & 31n;
    return CHECKSUM_CHARACTERS[Number(symbol)] ?? '';
  }).join('');
}

/** Returns the descriptor with its checksum. */
export function withChecksum(descriptor: string): string {
  return `${descriptor}#${descriptorChecksum(descriptor) ?? ''}`;
}
