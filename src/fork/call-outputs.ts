// Outputs of calls that only the forked chain can execute, up to a number of bytes.

import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import type { SourceCall } from '../state/state-source.ts';

/** The bytes that the outputs may take: one execution cannot pay for as many different calls. */
const LARGEST_SIZE = 2 ** 24;

/** The memory of an entry besides its key and its output, in bytes. */
const ENTRY_SIZE = 256;

/** The longest data of a call, in bytes, that are a key themselves; of longer data the hash is. */
const LONGEST_KEY = 256;

/** Outputs by call. Above the limit the oldest are dropped, but never the newest one. */
export class CallOutputs {
  readonly #largest: number;
  readonly #outputs = new Map<string, Uint8Array>();
  #heldBytes = 0;

  /** `largest`: the limit in bytes. */
  constructor(largest = LARGEST_SIZE) {
    this.#largest = largest;
  }

  /** Returns the key of a call, which is short for any call. */
  static keyOf({ data, sent }: SourceCall): string {
    const input = data.length > LONGEST_KEY ? `#${hexKey(keccak256(data))}` : hexKey(data);
    return sent === undefined ? input : `${input} ${hexKey(sent.from)} ${sent.value}`;
  }

  /** The bytes that the outputs take, including their keys. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Returns the output of the call with that key; `undefined` for none. */
  get(key: string): Uint8Array | undefined {
    return this.#outputs.get(key);
  }

  /** Adds an output, or replaces it. */
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
