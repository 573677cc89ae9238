import { leaf } from './codec.ts';
import { QUANTITY_JSON_SCHEMA, readQuantity } from './quantity.ts';

const LARGEST_PAGE = 1_000n;

/** How many items a page may have. */
export const pageSize = leaf(
  `a page size from 1 to ${LARGEST_PAGE} (hexadecimal with 0x, a decimal string or a number)`,
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const size = readQuantity(value);
    return size === undefined || size === 0n || size > LARGEST_PAGE ? undefined : Number(size);
  },
);
