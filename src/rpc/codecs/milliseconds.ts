import { leaf } from './codec.ts';
import { QUANTITY_JSON_SCHEMA, readQuantity } from './quantity.ts';

const LONGEST = 600_000n;

/** How long a caller would wait, in milliseconds. */
export const milliseconds = leaf(
  `a time in milliseconds up to ${LONGEST} (hexadecimal with 0x, a decimal string or a number)`,
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const read = readQuantity(value);
    return read === undefined || read > LONGEST ? undefined : Number(read);
  },
);
