import { HEADER_PROPERTIES } from '../../wire/header.ts';
import { type JsonSchema, objectSchema, orNull } from '../../wire/json.ts';
import { address, data, hash32 } from '../codecs/data.ts';
import { QUANTITY_JSON_SCHEMA } from '../codecs/quantity.ts';

const quantity: JsonSchema = QUANTITY_JSON_SCHEMA;
const hash = hash32.jsonSchema;

/** A value of a signature: 32 bytes for the network, a QUANTITY for Ethereum. */
const SIGNATURE_VALUE: JsonSchema = { type: 'string', pattern: '^0x(0|[1-9a-f][0-9a-f]*|[0-9a-f]{64})$' };

/** A transaction, or `null` (service document, Transaction object). */
export const TRANSACTION_JSON_SCHEMA: JsonSchema = orNull(
  objectSchema({
    hash,
    nonce: quantity,
    blockHash: orNull(hash),
    blockNumber: orNull(quantity),
    blockTimestamp: orNull(quantity),
    transactionIndex: orNull(quantity),
    from: address.jsonSchema,
    to: orNull(address.jsonSchema),
    gas: quantity,
    gasPrice: quantity,
    value: quantity,
    input: data.jsonSchema,
    v: quantity,
    r: SIGNATURE_VALUE,
    s: SIGNATURE_VALUE,
    type: quantity,
  }),
);

/** A transaction that is not sent yet, encoded and as an object. */
export const SIGNED_TRANSACTION_JSON_SCHEMA: JsonSchema = objectSchema({
  raw: data.jsonSchema,
  tx: { type: 'object' },
});

const bySenderAndNonce: JsonSchema = {
  type: 'object',
  additionalProperties: { type: 'object', additionalProperties: true },
};

/** What waits in the pool, by sender and nonce. */
export const POOL_LISTING_JSON_SCHEMA: JsonSchema = objectSchema({
  pending: bySenderAndNonce,
  queued: bySenderAndNonce,
});

const byNonce: JsonSchema = { type: 'object', additionalProperties: true };

/** What waits in the pool of one sender, by nonce. */
export const SENDER_LISTING_JSON_SCHEMA: JsonSchema = objectSchema({ pending: byNonce, queued: byNonce });

/** The proof of an account (service document, Account proof object). */
export const ACCOUNT_PROOF_JSON_SCHEMA: JsonSchema = objectSchema({
  address: address.jsonSchema,
  balance: quantity,
  codeHash: hash,
  nonce: quantity,
  storageHash: hash,
  accountProof: { type: 'array', items: data.jsonSchema },
  storageProof: {
    type: 'array',
    items: objectSchema({
      key: { type: 'string', pattern: '^0x[0-9a-f]{0,64}$' },
      value: quantity,
      proof: { type: 'array', items: data.jsonSchema },
    }),
  },
});

/** The header of a block, or `null`. */
export const HEADER_JSON_SCHEMA: JsonSchema = orNull(objectSchema(HEADER_PROPERTIES));

/** A block, or `null` (service document, Block object). */
export const BLOCK_JSON_SCHEMA: JsonSchema = orNull(
  objectSchema({
    ...HEADER_PROPERTIES,
    cumulativeDifficulty: quantity,
    totalDifficulty: quantity,
    size: quantity,
    transactions: { type: 'array', items: { oneOf: [hash, { type: 'object' }] } },
    uncles: { type: 'array', items: hash },
  }),
);

/** A call, a creation or the end of a contract, as the trace_* methods give it. */
export const TRACE_JSON_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    action: { type: 'object' },
    blockHash: hash,
    blockNumber: { type: 'integer' },
    transactionHash: hash,
    transactionPosition: { type: 'integer' },
    type: { type: 'string', enum: ['call', 'create', 'suicide'] },
    subtraces: { type: 'integer' },
    traceAddress: { type: 'array', items: { type: 'integer' } },
    result: orNull({ type: 'object' }),
    error: { type: 'string' },
  },
  required: [
    'action',
    'blockHash',
    'blockNumber',
    'transactionHash',
    'transactionPosition',
    'type',
    'subtraces',
    'traceAddress',
    'result',
  ],
};

/** The traces of a transaction or a block, or `null`. */
export const TRACES_JSON_SCHEMA: JsonSchema = orNull({ type: 'array', items: TRACE_JSON_SCHEMA });
