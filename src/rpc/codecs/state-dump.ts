import { readHex } from '../../primitives/hex.ts';
import { jsonPieces } from '../../primitives/json/json-pieces.ts';
import type { Steps } from '../../primitives/steps.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import { type Codec, chosenBy, leaf, type Reading } from './codec.ts';

const text = leaf<Uint8Array>(
  'a dumped state: hexadecimal data, or the JSON of a state file',
  { oneOf: [{ type: 'string', pattern: '^(0x([0-9a-fA-F]{2})+|\\{.*)$' }, { type: 'object' }] },
  (value) => {
    if (typeof value !== 'string') return undefined;
    if (value.startsWith('{')) return Buffer.from(value);
    return value.length > 2 ? readHex(value) : undefined;
  },
);

function* jsonOf(value: unknown, pieces: WorkPieces): Steps<Reading<Uint8Array>> {
  const texts = yield* jsonPieces(value, pieces, () => undefined);
  return { value: Buffer.from(texts.join('')) };
}

const object: Codec<Uint8Array> = { ...text, read: (value, pieces) => jsonOf(value, pieces) };

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A dump of a chain: its bytes as DATA, or the text or object of a JSON file as it stands. */
export const stateDump: Codec<Uint8Array> = {
  ...chosenBy((value) => (isObject(value) ? object : text), [text]),
  jsonSchema: text.jsonSchema,
};
