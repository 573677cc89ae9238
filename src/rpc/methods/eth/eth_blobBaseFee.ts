import { toQuantity } from '../../../primitives/hex.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod } from '../../method.ts';

/** Wei per blob gas where nobody uses any (EIP-4844, MIN_BASE_FEE_PER_BLOB_GAS). */
const LEAST_BLOB_BASE_FEE = 1n;

/**
 * The base fee of blobs in wei per gas. It never leaves its least value, because no transaction here carries blobs; 0
 * under rules without blobs.
 */
export const eth_blobBaseFee = defineMethod({
  name: 'eth_blobBaseFee',
  summary: 'The base fee of blobs per gas in wei',
  params: [],
  result: { description: 'Wei per blob gas', schema: QUANTITY_JSON_SCHEMA },
  example: { params: [], result: '0x0' },
  handler: ({ chain }) => toQuantity(chain.ruleSet.hasBlobFields ? LEAST_BLOB_BASE_FEE : 0n),
});
