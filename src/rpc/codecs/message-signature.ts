import type { Signature } from '../../primitives/secp256k1/secp256k1.ts';
import { leaf } from './codec.ts';
import { readFixedData } from './data.ts';

const SIGNATURE_SIZE = 65;
const RECOVERIES: ReadonlyMap<number | undefined, number> = new Map([
  [0, 0],
  [1, 1],
  [27, 0],
  [28, 1],
]);

/** A signature over a message: `r`, `s`, and 27 or 28 (or 0 or 1, which some wallets write). */
export const messageSignature = leaf<Signature>(
  'a signature: 65 bytes, the last of them 27 or 28',
  { type: 'string', pattern: '^0x[0-9a-fA-F]{128}(00|01|1[bB]|1[cC])$' },
  (value) => {
    const bytes = readFixedData(value, SIGNATURE_SIZE);
    const recovery = RECOVERIES.get(bytes?.at(-1));
    return bytes === undefined || recovery === undefined
      ? undefined
      : { compact: bytes.subarray(0, SIGNATURE_SIZE - 1), recovery };
  },
);
