import { BLAKE2B_BINARY } from '../wasm/generated/blake2b-binary.ts';

/** What the module has; `../wasm/assembly/blake2b.ts` says what each is. */
interface Blake2bExports {
  readonly memory: WebAssembly.Memory;
  readonly STATE: WebAssembly.Global;
  readonly MESSAGE: WebAssembly.Global;
  readonly COUNTER: WebAssembly.Global;
  compress(rounds: number, finalMask: bigint): void;
}

const STATE_SIZE = 64;

/** The compression function F of BLAKE2b (RFC 7693, section 3.2) with any number of rounds. */
export class Blake2b {
  readonly #exports: Blake2bExports;

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(BLAKE2B_BINARY, 'base64'));
    this.#exports = new WebAssembly.Instance(module, {}).exports as unknown as Blake2bExports;
  }

  /** The state after so many rounds. Words are little-endian: 64 bytes of state, 128 of message, 16 of counter. */
  compress(
    { state, message, counter }: Readonly<Record<'state' | 'message' | 'counter', Uint8Array>>,
    isFinal: boolean,
    rounds: number,
  ): Uint8Array {
    const { memory, STATE, MESSAGE, COUNTER, compress } = this.#exports;
    const bytes = new Uint8Array(memory.buffer);
    bytes.set(state, STATE.value);
    bytes.set(message, MESSAGE.value);
    bytes.set(counter, COUNTER.value);
    compress(rounds, isFinal ? -1n : 0n);
    return bytes.slice(STATE.value, STATE.value + STATE_SIZE);
  }
}
