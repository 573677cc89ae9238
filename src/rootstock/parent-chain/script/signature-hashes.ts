// The hashes that signatures of one transaction sign.

import { concatBytes, joinBytes } from '../../../primitives/bytes.ts';
import { doubleSha256 } from '../../../primitives/sha256.ts';
import { encodeLength, littleEndian } from '../../bitcoin/byte-reader.ts';
import {
  hashBytes,
  type LibraryTransaction,
  type ParentInput,
  type ParentOutput,
  type ParentTransaction,
  toLibrary,
} from '../parent-transaction.ts';
import { HASH_TYPES, legacySignatureHash } from './legacy-signature-hash.ts';

const NO_HASH = new Uint8Array(32);

function outpointBytes({ txid, index }: ParentInput): Uint8Array {
  return concatBytes(hashBytes(txid), littleEndian(index, 4));
}

function outputBytes({ value, script }: ParentOutput): Uint8Array {
  return concatBytes(littleEndian(value, 8), encodeLength(script.length), script);
}

/** Computes the hashes of all inputs. The parts that inputs share are hashed once. */
export class SignatureHashes {
  readonly #transaction: ParentTransaction;
  readonly #library: LibraryTransaction;
  #outpoints: Uint8Array | null = null;
  #sequences: Uint8Array | null = null;
  #outputs: Uint8Array | null = null;

  constructor(transaction: ParentTransaction) {
    this.#transaction = transaction;
    this.#library = toLibrary(transaction);
  }

  /** Returns the hash that a signature without witness signs. */
  legacy(input: number, script: Uint8Array, type: number): Uint8Array {
    return legacySignatureHash(this.#library, input, script, type);
  }

  /** Returns the hash that a signature with witness signs (BIP-143). `value` is the value of the spent output. */
  witness(input: number, script: Uint8Array, value: bigint, type: number): Uint8Array {
    const { version, lockTime, inputs } = this.#transaction;
    const own = inputs[input];
    if (own === undefined) throw new RangeError(`the transaction has no input ${input}`);
    const base = type & HASH_TYPES.mask;
    const isForAll = (type & HASH_TYPES.anyoneCanPay) === 0;
    const signsOutputs = base !== HASH_TYPES.none && base !== HASH_TYPES.single;
    return doubleSha256(
      joinBytes([
        littleEndian(version, 4),
        isForAll ? this.#outpointsHash() : NO_HASH,
        isForAll && signsOutputs ? this.#sequencesHash() : NO_HASH,
        outpointBytes(own),
        encodeLength(script.length),
        script,
        littleEndian(value, 8),
        littleEndian(own.sequence, 4),
        signsOutputs ? this.#outputsHash() : this.#outputHash(base, input),
        littleEndian(lockTime, 4),
        littleEndian(type, 4),
      ]),
    );
  }

  #outpointsHash(): Uint8Array {
    this.#outpoints ??= doubleSha256(joinBytes(this.#transaction.inputs.map(outpointBytes)));
    return this.#outpoints;
  }

  #sequencesHash(): Uint8Array {
    const { inputs } = this.#transaction;
    this.#sequences ??= doubleSha256(joinBytes(inputs.map(({ sequence }) => littleEndian(sequence, 4))));
    return this.#sequences;
  }

  #outputsHash(): Uint8Array {
    this.#outputs ??= doubleSha256(joinBytes(this.#transaction.outputs.map(outputBytes)));
    return this.#outputs;
  }

  #outputHash(base: number, index: number): Uint8Array {
    const output = base === HASH_TYPES.single ? this.#transaction.outputs[index] : undefined;
    return output === undefined ? NO_HASH : doubleSha256(outputBytes(output));
  }
}
