// The checksum of output descriptors (BIP-380).

const INPUT_CHARACTERS =
  '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#"\\ ';
const CHECKSUM_CHARACTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
/** The upper and lower 20 bits of each generator. */
const GENERATOR: readonly (readonly [number, number])[] = [
  [0xf5dee, 0x51989],
  [0xa9fdc, 0xa3312],
  [0x1bab1, 0x0e32d],
  [0x3706b, 0x1677a],
  [0x644d6, 0x26ffd],
];
const CHECKSUM_SIZE = 8;
const LOWER_BITS = 20;

/** A checksum of 40 bits in two halves. */
class Checksum {
  #upper = 0;
  #lower = 1;

  add(symbol: number): void {
    const top = this.#upper >> 15;
    this.#upper = ((this.#upper & 0x7fff) << 5) | (this.#lower >> 15);
    this.#lower = ((this.#lower & 0x7fff) << 5) ^ symbol;
    for (let bit = 0; bit < GENERATOR.length; bit++) {
      const generator = GENERATOR[bit];
      if (generator === undefined || ((top >> bit) & 1) === 0) continue;
      this.#upper ^= generator[0];
      this.#lower ^= generator[1];
    }
  }

  /** Returns the final value as eight characters. */
  text(): string {
    const lower = this.#lower ^ 1;
    return Array.from({ length: CHECKSUM_SIZE }, (_, index) => {
      const shift = 5 * (CHECKSUM_SIZE - 1 - index);
      const symbol = shift >= LOWER_BITS ? this.#upper >> (shift - LOWER_BITS) : lower >> shift;
      return CHECKSUM_CHARACTERS[symbol & 31] ?? '';
    }).join('');
  }
}

/** Returns the eight characters of the checksum; `undefined` if the descriptor has an invalid character. */
export function descriptorChecksum(descriptor: string): string | undefined {
  const checksum = new Checksum();
  let group = 0;
  let count = 0;
  for (const character of descriptor) {
    const position = INPUT_CHARACTERS.indexOf(character);
    if (position === -1) return undefined;
    checksum.add(position & 31);
    group = group * 3 + (position >> 5);
    count++;
    if (count === 3) {
      checksum.add(group);
      [group, count] = [0, 0];
    }
  }
  if (count > 0) checksum.add(group);
  for (let index = 0; index < CHECKSUM_SIZE; index++) checksum.add(0);
  return checksum.text();
}

/** Maximum length of a descriptor with a checksum. A longer one contains a script that nobody can spend. */
export const MAX_DESCRIPTOR_LENGTH = 100_000;

/** Returns the descriptor with its checksum, or without it if the descriptor is too long. */
export function withChecksum(descriptor: string): string {
  if (descriptor.length > MAX_DESCRIPTOR_LENGTH) return descriptor;
  return `${descriptor}#${descriptorChecksum(descriptor) ?? ''}`;
}
