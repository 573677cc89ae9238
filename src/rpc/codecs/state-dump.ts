import { fromHex, isHexData } from '../../primitives/hex.ts';
import { leaf } from './codec.ts';

/** A dump of a chain: its bytes as DATA, or the text or object of a JSON file as it stands. */
export const stateDump = leaf(
  'a dumped state: hexadecimal data, or the JSON of a state file',
  { oneOf: [{ type: 'string', pattern: '^(0x([0-9a-fA-F]{2})+|\\{.*)$' }, { type: 'object' }] },
  (value) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return Buffer.from(JSON.stringify(value));
    }
    if (typeof value !== 'string') return undefined;
    if (value.startsWith('{')) return Buffer.from(value);
    return value.length > 2 && isHexData(value) ? fromHex(value) : undefined;
  },
);
