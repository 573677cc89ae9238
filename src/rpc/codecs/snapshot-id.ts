import type { SnapshotId } from '../../chain/snapshot-key.ts';
import { chosenBy, leaf } from './codec.ts';
import { QUANTITY_JSON_SCHEMA, readQuantity } from './quantity.ts';

const NAME = /^[A-Za-z][ -~]{0,99}$/;
const NAME_WORDS = 'a name of at most 100 printable characters that begins with a letter';

function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}

/** The name of a checkpoint. It cannot be taken for a number. */
export const checkpointName = leaf(NAME_WORDS, { type: 'string', pattern: NAME.source }, (value) =>
  isName(value) ? value : undefined,
);

const snapshotNumber = leaf(
  'the id of a snapshot (hexadecimal with 0x, a decimal string or a number) or the name of a checkpoint',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const number = readQuantity(value);
    return number === undefined ? undefined : Number(number);
  },
);

/** A snapshot by its number, or a checkpoint by its name. */
export const snapshotId = chosenBy<SnapshotId>(
  (value) => (isName(value) ? checkpointName : snapshotNumber),
  [snapshotNumber, checkpointName],
);
