import { equalBytes } from '../../primitives/bytes.ts';
import { BLOB_SIZE } from '../../protocol/blobs.ts';
import {
  type AccessListEntry,
  type Authorization,
  TRANSACTION_TYPES,
  type TransactionType,
} from '../../protocol/transaction.ts';
import { dataSchema } from '../../wire/values.ts';
import { arrayOf, type Codec, type Decoded, leaf, objectOf, type Reading, refined } from './codec.ts';
import {
  address,
  data,
  QUANTITY_JSON_SCHEMA,
  quantity,
  readFixedData,
  readQuantity,
  word32,
} from './hex-values.ts';
import { accountNonce } from './settings.ts';

const LEGACY_V = 27n;

/** Returns the parity of a signature. Some clients send it as `v`: 0 and 1, or 27 and 28. */
function parityOf({
  yParity,
  v,
}: {
  readonly yParity: bigint | null;
  readonly v: bigint | null;
}): bigint | undefined {
  const given = yParity ?? v;
  const parity = given !== null && yParity === null && given >= LEGACY_V ? given - LEGACY_V : given;
  return parity === 0n || parity === 1n ? parity : undefined;
}

/** A signed authorization to delegate an account to a contract (EIP-7702). */
export const authorization: Codec<Authorization> = refined(
  objectOf(
    {
      chainId: quantity,
      address,
      nonce: accountNonce,
      yParity: quantity,
      v: quantity,
      r: quantity,
      s: quantity,
    },
    'an object with chainId, address, nonce, yParity, r and s',
  ),
  (fields): Reading<Authorization> => {
    const { chainId, address: contract, nonce, r, s } = fields;
    const yParity = parityOf(fields);
    if (yParity === undefined) return { path: ['yParity'], expected: '0x0 or 0x1' };
    if (contract === null) return { path: ['address'], expected: 'an address: 0x and 40 hexadecimal digits' };
    if (chainId === null) return { path: ['chainId'], expected: 'a chain id, or 0x0 for any chain' };
    if (nonce === null)
      return { path: ['nonce'], expected: 'the nonce of the account that signed the authorization' };
    if (r === null) return { path: ['r'], expected: 'the signature value r' };
    if (s === null) return { path: ['s'], expected: 'the signature value s' };
    return { value: { chainId, address: contract, nonce, yParity, r, s } };
  },
);

const authorizationList = arrayOf(authorization, 'an array of signed authorizations (EIP-7702)');

/**
 * Returns the error of a message with authorizations, or without required ones; `null` if valid (EIP-7702).
 */
export function authorizationProblem(fields: {
  readonly type: TransactionType | null;
  readonly to: Uint8Array | null;
  readonly authorizationList: readonly Authorization[] | null;
}): { readonly path: readonly string[]; readonly expected: string } | null {
  const count = fields.authorizationList?.length ?? 0;
  if (count === 0) {
    if (fields.type !== 4) return null;
    return { path: ['authorizationList'], expected: 'at least one authorization, because the type is 0x4' };
  }
  if (fields.to === null) {
    return {
      path: ['to'],
      expected: 'an address, because a transaction with authorizations cannot create a contract',
    };
  }
  if (fields.type === null || fields.type === 4) return null;
  return { path: ['type'], expected: '0x4, because the transaction contains authorizations' };
}

const accessListEntry: Codec<AccessListEntry> = refined(
  objectOf(
    { address, storageKeys: arrayOf(word32, 'an array of 32-byte storage keys') },
    'an object with address and storageKeys',
  ),
  (entry) =>
    entry.address === null
      ? { path: ['address'], expected: 'an address: 0x and 40 hexadecimal digits' }
      : { value: { address: entry.address, storageKeys: entry.storageKeys ?? [] } },
);

/** An access list (EIP-2930). */
const accessList = arrayOf(accessListEntry, 'an array of objects with address and storageKeys');

const POINT_BYTES = 48;
/** Maximum proofs of a sidecar: 128 cells per blob, for more blobs than any hardfork allows. */
const MAX_PROOFS = 2 ** 12;

/** DATA of a fixed size in the sidecar of a blob transaction. */
function sidecarData(bytes: number, name: string): Codec<Uint8Array> {
  return leaf(`${name}: 0x and ${2 * bytes} hexadecimal digits`, dataSchema(bytes), (value) =>
    readFixedData(value, bytes),
  );
}

const blobs = arrayOf(sidecarData(BLOB_SIZE, 'a blob'), 'an array of blobs, 131,072 bytes each', 64);
export const points = arrayOf(
  sidecarData(POINT_BYTES, 'a compressed point'),
  'an array of points, 48 bytes each',
  MAX_PROOFS,
);

const blobVersionedHashes = arrayOf(word32, 'an array of blob hashes: 0x and 64 hexadecimal digits each');

/** Returns the error of a message with blobs; `null` if valid (EIP-4844). */
export function blobProblem(
  fields: {
    readonly to: Uint8Array | null;
    readonly gasPrice: bigint | null;
    readonly blobVersionedHashes: readonly Uint8Array[] | null;
    readonly blobs: readonly Uint8Array[] | null;
  },
  type: TransactionType | null,
): { readonly path: readonly string[]; readonly expected: string } | null {
  const count = Math.max(fields.blobVersionedHashes?.length ?? 0, fields.blobs?.length ?? 0);
  // Clients send a blob fee with every message; without blobs it has no effect.
  if (count === 0) return null;
  if (fields.to === null) {
    return {
      path: ['to'],
      expected: 'an address, because a transaction with blobs cannot create a contract',
    };
  }
  if (fields.gasPrice !== null) {
    return {
      path: ['gasPrice'],
      expected: 'no value (a transaction with blobs requires maxFeePerGas)',
    };
  }
  if (type === null || type === 3) return null;
  return { path: ['type'], expected: '0x3, because the transaction contains blobs' };
}

/** The fields that calls and transactions share. */
export const messageFields = {
  from: address,
  to: address,
  gas: quantity,
  gasLimit: quantity,
  gasPrice: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  value: quantity,
  data,
  input: data,
  accessList,
  authorizationList,
  blobVersionedHashes,
  blobs,
  maxFeePerBlobGas: quantity,
} as const;

/** The fields of a message that may conflict; `null` if absent. */
interface GivenMessage {
  readonly gas: bigint | null;
  readonly gasLimit: bigint | null;
  readonly gasPrice: bigint | null;
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
  readonly data: Uint8Array | null;
  readonly input: Uint8Array | null;
}

/** A message with its gas in `gas` and its payload in `input`, for either pair of names. */
export type SettledMessage<Fields extends GivenMessage> = Omit<Fields, 'gasLimit' | 'data'>;

/**
 * Merges the two names of gas (`gas`, `gasLimit`) and of the payload (`input`, `data`). Different values
 * under both names are rejected, and so is a gas price together with EIP-1559 fees.
 */
export function settledMessage<Fields extends GivenMessage>(fields: Fields): Reading<SettledMessage<Fields>> {
  const { gas, gasLimit, data: payload, input } = fields;
  if (payload !== null && input !== null && !equalBytes(payload, input)) {
    return { path: ['input'], expected: 'only one of input and data, or the same bytes in both' };
  }
  if (gas !== null && gasLimit !== null && gas !== gasLimit) {
    return { path: ['gasLimit'], expected: 'only one of gas and gasLimit, or the same amount in both' };
  }
  if (fields.gasPrice !== null) {
    for (const name of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      if (fields[name] === null) continue;
      return { path: [name], expected: `only one of gasPrice and ${name}`, isOutOfRange: true };
    }
  }
  return { value: { ...fields, gas: gas ?? gasLimit, input: input ?? payload } };
}

/**
 * Returns the error of a message's explicit type; `null` if valid. Types 0 and 1 have one gas price and no
 * EIP-1559 fees. Type 0 has no access list (EIP-2930).
 */
export function typeProblem(
  fields: Pick<GivenMessage, 'maxFeePerGas' | 'maxPriorityFeePerGas'> & {
    readonly type: number | null;
    readonly accessList: readonly AccessListEntry[] | null;
  },
): { readonly path: readonly string[]; readonly expected: string } | null {
  if (fields.type === null || fields.type >= 2) return null;
  if (fields.type === 0 && (fields.accessList?.length ?? 0) > 0) {
    return { path: ['type'], expected: '0x1, 0x2, 0x3 or 0x4, the types that have accessList' };
  }
  const name = (['maxFeePerGas', 'maxPriorityFeePerGas'] as const).find((fee) => fields[fee] !== null);
  return name === undefined
    ? null
    : { path: ['type'], expected: `0x2, 0x3 or 0x4, the types that have ${name}` };
}

const CALL_EXPECTED = 'a call object with from, to, gas, gasPrice, value, data or input';

const HIGHEST_TYPE = 0x7fn;

/** The type of a call: any type of EIP-2718, because it only decides the fee fields. */
const callType: Codec<number> = leaf('a transaction type: 0x0 to 0x7f', QUANTITY_JSON_SCHEMA, (value) => {
  const type = readQuantity(value);
  return type === undefined || type > HIGHEST_TYPE ? undefined : Number(type);
});

/** Fields of transactions that clients also send with calls. */
const transactionFields = {
  nonce: quantity,
  chainId: quantity,
  commitments: points,
  proofs: points,
} as const;

const FIELD_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(messageFields),
  ...Object.keys(transactionFields),
  'type',
]);

/**
 * The call object of `eth_call` and `eth_estimateGas`; fields are `null` if absent. The nonce has no effect.
 */
export const callObject = {
  ...refined(
    refined(
      objectOf({ ...messageFields, nonce: quantity, chainId: quantity, type: callType }, CALL_EXPECTED),
      settledMessage,
    ),
    (fields) => blobProblem(fields, null) ?? typeProblem(fields) ?? { value: fields },
  ),
  fieldNames: FIELD_NAMES,
};

export type CallObject = Decoded<typeof callObject>;

/** A transaction type whose transactions a transaction object can describe. */
export const transactionType: Codec<TransactionType> = leaf(
  'a transaction type that this node can sign: 0x0, 0x1, 0x2, 0x3 or 0x4',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const type = readQuantity(value);
    return TRANSACTION_TYPES.find((known) => BigInt(known) === type);
  },
);

function hasSender<Fields extends { readonly from: Uint8Array | null }>(
  fields: Fields,
): fields is Fields & { readonly from: Uint8Array } {
  return fields.from !== null;
}

/** The transaction object of `eth_sendTransaction`. `from` is required; other fields are `null` if absent. */
export const transactionObject = {
  ...refined(
    refined(
      objectOf(
        {
          ...messageFields,
          ...transactionFields,
          type: transactionType,
        },
        'a transaction object with from, to, gas, gasPrice, value, data and nonce',
      ),
      settledMessage,
    ),
    (fields) => {
      if (!hasSender(fields))
        return { path: ['from'], expected: 'the address of an account that this node can sign for' };
      return (
        blobProblem(fields, fields.type) ??
        authorizationProblem(fields) ??
        typeProblem(fields) ?? { value: fields }
      );
    },
  ),
  fieldNames: FIELD_NAMES,
};

export type TransactionObject = Decoded<typeof transactionObject>;
