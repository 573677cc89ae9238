// Outputs of calls that only the forked chain can execute, limited in bytes.

import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import type { SourceCall } from '../state/state-source.ts';

/** Maximum bytes of all outputs. One execution cannot pay for this amount of different calls. */
const LARGEST_SIZE = 2 ** 24;

/** Memory of an entry in bytes, in addition to its key and output. */
const ENTRY_SIZE = 256;

/** Maximum bytes of call data used as a key. Longer data are hashed. */
const LONGEST_KEY = 256;

/** Outputs by call. Above the limit the oldest are evicted, but never the newest. */
export class CallOutputs {
  readonly #largest: number;
  readonly #outputs = new Map<string, Uint8Array>();
  #heldBytes = 0;

  /** `largest` is the limit in bytes. */
  constructor(largest = LARGEST_SIZE) {
    this.#largest = largest;
  }

  /** Returns a short key for any call. */
  static keyOf({ data, sent }: SourceCall): string {
    const input = data.length > LONGEST_KEY ? `#${hexKey(keccak256(data))}` : hexKey(data);
    return sent === undefined ? input : `${input} ${hexKey(sent.from)} ${sent.value}`;
  }

  /** Bytes of the outputs and their keys. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Returns the output for this key, or `undefined`. */
  get(key: string): Uint8Array | undefined {
    return this.#outputs.get(key);
  }

  set(key: string, output: Uint8Array): void {
    this.#drop(key);
    for (const oldest of this.#outputs.keys()) {
      if (this.#heldBytes + sizeOf(key, output) <= this.#largest) break;
      this.#drop(oldest);
    }
    this.#outputs.set(key, output);
    this.#heldBytes += sizeOf(key, output);
  }

  #drop(key: string): void {
    const output = this.#outputs.get(key);
    if (output === undefined) return;
    this.#outputs.delete(key);
    this.#heldBytes -= sizeOf(key, output);
  }
}

function sizeOf(key: string, output: Uint8Array): number {
  return ENTRY_SIZE + key.length + output.length;
}
