import { concatBytes, EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { doubleSha256 } from '../../../primitives/sha256.ts';
import { littleEndian } from '../../bitcoin/byte-reader.ts';
import type { LibraryTransaction } from '../parent-transaction.ts';
import { OP, readOperations } from './opcodes.ts';

export const HASH_TYPES = { none: 2, single: 3, mask: 0x1f, anyoneCanPay: 0x80 } as const;
/** The hash of a signature for one output if there is no output with the index of the input. */
const NO_OUTPUT_HASH = Uint8Array.of(1, ...new Uint8Array(31));
/** The value of an output that is not signed. */
const NO_VALUE = -1n;

function withoutSeparators(script: Uint8Array): Uint8Array {
  if (!script.includes(OP.CODESEPARATOR)) return script;
  const kept: Uint8Array[] = [];
  let start = 0;
  for (const operation of readOperations(script)) {
    const end = operation?.end ?? script.length;
    if (operation?.code !== OP.CODESEPARATOR) kept.push(script.subarray(start, end));
    start = end;
  }
  return concatBytes(...kept);
}

/** Returns the hash that a signature without witness signs, for any hash type. The script keeps its encoding. */
export function legacySignatureHash(
  transaction: LibraryTransaction,
  index: number,
  script: Uint8Array,
  type: number,
): Uint8Array {
  const base = type & HASH_TYPES.mask;
  const [isNone, isSingle] = [base === HASH_TYPES.none, base === HASH_TYPES.single];
  if (isSingle && index >= transaction.outs.length) return NO_OUTPUT_HASH;
  const copy = transaction.clone();
  copy.ins = copy.ins.map((input, at) => ({
    ...input,
    witness: [],
    script: at === index ? withoutSeparators(script) : EMPTY_BYTES,
    sequence: at !== index && (isNone || isSingle) ? 0 : input.sequence,
  }));
  if ((type & HASH_TYPES.anyoneCanPay) !== 0) copy.ins = copy.ins.slice(index, index + 1);
  if (isNone) copy.outs = [];
  if (isSingle) {
    const signed = transaction.outs.slice(0, index + 1);
    copy.outs = signed.map((output, at) =>
      at === index ? output : { script: EMPTY_BYTES, value: NO_VALUE },
    );
  }
  return doubleSha256(concatBytes(copy.toBuffer(), littleEndian(type, 4)));
}
