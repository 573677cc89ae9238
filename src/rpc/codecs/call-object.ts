import { equalBytes } from '../../primitives/bytes.ts';
import type { AccessListEntry } from '../../rules/transaction.ts';
import { authorizationList } from './authorization.ts';
import { arrayOf, type Codec, type Decoded, objectOf, refined } from './codec.ts';
import { address, data, hash32 } from './data.ts';
import { emptyArray } from './empty-array.ts';
import { quantity } from './quantity.ts';

const accessListEntry: Codec<AccessListEntry> = refined(
  objectOf(
    { address, storageKeys: arrayOf(hash32, 'an array of 32-byte storage keys') },
    'an object with address and storageKeys',
  ),
  (entry) =>
    entry.address === null
      ? { path: ['address'], expected: 'an address: 0x and 40 hexadecimal digits' }
      : { value: { address: entry.address, storageKeys: entry.storageKeys ?? [] } },
);

/** An access list (EIP-2930). */
const accessList = arrayOf(accessListEntry, 'an array of objects with address and storageKeys');

/** Refused rather than ignored: what runs would read other hashes than the caller named (EIP-4844). */
const noBlobs = emptyArray('no blobs: nothing carries them on this chain');

/** What calls and transactions have in common. */
export const messageFields = {
  from: address,
  to: address,
  gas: quantity,
  gasPrice: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  value: quantity,
  data,
  input: data,
  accessList,
  authorizationList,
  blobVersionedHashes: noBlobs,
  blobs: noBlobs,
} as const;

/** The payload of a message that may come under two names; `undefined` when both are given and differ. */
export function payloadOf(fields: {
  readonly data: Uint8Array | null;
  readonly input: Uint8Array | null;
}): Uint8Array | null | undefined {
  if (fields.data !== null && fields.input !== null && !equalBytes(fields.data, fields.input))
    return undefined;
  return fields.input ?? fields.data;
}

/** What a caller hears when a payload comes under both names with different bytes. */
export const ONE_PAYLOAD = 'the same bytes in input and data, or only one of them';

const CALL_EXPECTED = 'a call object with from, to, gas, gasPrice, value, data or input';

/** The call object of `eth_call` and `eth_estimateGas`: `null` for what is absent, `input` for the payload. */
export const callObject = refined(objectOf(messageFields, CALL_EXPECTED), (fields) => {
  const input = payloadOf(fields);
  if (input === undefined) return { path: ['input'], expected: ONE_PAYLOAD };
  const { data: _data, ...rest } = fields;
  return { value: { ...rest, input } };
});

/** A decoded call object. */
export type CallObject = Decoded<typeof callObject>;
