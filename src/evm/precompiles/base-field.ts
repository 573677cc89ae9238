import { PrecompileError } from './errors.ts';
import { memoryView, withMemory } from './mcl-memory.ts';
import { type MclModule, type Pointer, SCALAR_SIZE } from './mcl-module.ts';

/** The numbers that the coordinates of a curve's points are made of, and how its precompiles write them. */
export class BaseField {
  /** The bytes of an encoded number. */
  readonly encodedBytes: number;
  readonly #mcl: MclModule;
  readonly #bytes: number;

  /** `bytes` of a number, and `padding` zeros that stand in front of each encoded one. */
  constructor(mcl: MclModule, bytes: number, padding: number) {
    this.#mcl = mcl;
    this.#bytes = bytes;
    this.encodedBytes = padding + bytes;
  }

  /** Reads a number from the front of the bytes. Throws a `PrecompileError` when it is not below the modulus. */
  read(bytes: Uint8Array, result: Pointer): void {
    const padding = this.encodedBytes - this.#bytes;
    for (let index = 0; index < padding; index++) {
      if (bytes[index] !== 0) throw new PrecompileError('The number is not padded with zeros');
    }
    this.readUnpadded(bytes.subarray(padding), result);
  }

  /** Reads a number without the zeros in front. Throws a `PrecompileError` when it is not below the modulus. */
  readUnpadded(bytes: Uint8Array, result: Pointer): void {
    const number = bytes.subarray(0, this.#bytes);
    const isBelowModulus = withMemory(this.#mcl, this.#bytes, (memory) => {
      memoryView(this.#mcl, memory, this.#bytes).set(number.toReversed());
      return this.#mcl._mclBnFp_deserialize(result, memory, this.#bytes) === this.#bytes;
    });
    if (!isBelowModulus) throw new PrecompileError('The number is not below the modulus of the field');
  }

  /** The number as the precompiles write it. */
  write(number: Pointer): Uint8Array {
    const encoded = new Uint8Array(this.encodedBytes);
    withMemory(this.#mcl, this.#bytes, (memory) => {
      this.#mcl._mclBnFp_serialize(memory, this.#bytes, number);
      encoded.set(memoryView(this.#mcl, memory, this.#bytes).toReversed(), this.encodedBytes - this.#bytes);
    });
    return encoded;
  }
}

/** Reads a scalar of 32 bytes, of which only the remainder by the group's order matters. */
export function readScalar(mcl: MclModule, bytes: Uint8Array, result: Pointer): void {
  withMemory(mcl, SCALAR_SIZE, (memory) => {
    memoryView(mcl, memory, SCALAR_SIZE).set(bytes.subarray(0, SCALAR_SIZE));
    mcl._mclBnFr_setBigEndianMod(result, memory, SCALAR_SIZE);
  });
}
