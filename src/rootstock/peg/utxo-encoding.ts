// The encoding of outputs in the results of the Bridge.

import { joinBytes } from '../../primitives/bytes.ts';
import { encodeRlp } from '../../primitives/rlp.ts';
import { littleEndian } from '../bitcoin/byte-reader.ts';
import type { Utxo } from './utxo-store.ts';

/** Encodes outputs as a list (RLP). Their heights are always 0. */
export function encodeUtxos(utxos: readonly Utxo[]): Uint8Array {
  return encodeRlp(
    utxos.map(({ transactionId, index, value, script, isCoinbase }) =>
      joinBytes([
        littleEndian(value, 8),
        littleEndian(script.length, 4),
        script,
        transactionId,
        littleEndian(index, 4),
        littleEndian(0, 4),
        Uint8Array.of(isCoinbase ? 1 : 0),
      ]),
    ),
  );
}
