import type { SubmittedBlock } from '../../chain/mining/mining-work.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import type { JsonSchema } from '../codecs/codec.ts';
import { data, hash32 } from '../codecs/data.ts';
import { QUANTITY_JSON_SCHEMA } from '../codecs/quantity.ts';

/** What a miner hears of a block it submitted; the import's result is a name in the hexadecimal of its letters. */
export const SUBMITTED_BLOCK_JSON_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    blockImportedResult: data.jsonSchema,
    blockHash: hash32.jsonSchema,
    blockIncludedHeight: QUANTITY_JSON_SCHEMA,
  },
  required: ['blockImportedResult', 'blockHash', 'blockIncludedHeight'],
};

/** A submitted block as JSON. */
export function submittedBlockView({
  result,
  hash,
  number,
}: SubmittedBlock): Readonly<Record<string, string>> {
  return {
    blockImportedResult: toHex(new TextEncoder().encode(result)),
    blockHash: toHex(hash),
    blockIncludedHeight: toQuantity(number),
  };
}
