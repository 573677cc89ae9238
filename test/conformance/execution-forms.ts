import * as z from 'zod';

/**
 * Result forms of the Ethereum execution APIs (github.com/ethereum/execution-apis) for the methods of this
 * node: QUANTITY, DATA with its length, and required fields. `blockTimestamp` is required in logs too,
 * although it is optional in the public schema.
 */
const quantity = z.string().regex(/^0x(0|[1-9a-f][0-9a-f]*)$/, 'a QUANTITY');
const data = z.string().regex(/^0x([0-9a-f]{2})*$/, 'DATA');
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'an address');
const parity = z.string().regex(/^0x[01]$/, 'a parity');

function bytes(length: number): z.ZodType {
  return z.string().regex(new RegExp(`^0x[0-9a-f]{${2 * length}}$`), `${length} bytes`);
}

const hash = bytes(32);
const count = z.int().min(0);

const log = z.strictObject({
  address,
  topics: z.array(hash).max(4),
  data,
  blockNumber: quantity,
  blockHash: hash,
  blockTimestamp: quantity,
  transactionHash: hash,
  transactionIndex: quantity,
  logIndex: quantity,
  removed: z.boolean(),
});

const receipt = z.strictObject({
  type: quantity,
  transactionHash: hash,
  transactionIndex: quantity,
  blockHash: hash,
  blockNumber: quantity,
  from: address,
  to: z.nullable(address),
  cumulativeGasUsed: quantity,
  gasUsed: quantity,
  contractAddress: z.nullable(address),
  logs: z.array(log),
  logsBloom: bytes(256),
  status: quantity,
  effectiveGasPrice: quantity,
});

const content = { nonce: quantity, gas: quantity, value: quantity, input: data, gasPrice: quantity };
const accessList = z.array(z.strictObject({ address, storageKeys: z.array(hash) }));
const listed = { ...content, chainId: quantity, accessList };
const feeMarket = { ...listed, maxFeePerGas: quantity, maxPriorityFeePerGas: quantity };
const authorization = z.looseObject({
  chainId: quantity,
  nonce: quantity,
  address,
  yParity: parity,
  r: quantity,
  s: quantity,
});
const signature = { r: quantity, s: quantity };
const typedSignature = { ...signature, yParity: parity, v: z.optional(parity) };

/**
 * A transaction of any type with its signature and additional fields. Legacy ones name the chain if `v`
 * includes it.
 */
function transactionWith(place: z.ZodRawShape): z.ZodType {
  const party = { to: z.nullable(address), ...place };
  const legacy = z
    .looseObject({
      type: z.literal('0x0'),
      ...party,
      ...content,
      ...signature,
      v: quantity,
      chainId: z.optional(quantity),
    })
    .refine(({ v, chainId }) => Number(v) >= 35 === (chainId !== undefined), { path: ['chainId'] });
  return z.discriminatedUnion('type', [
    legacy,
    z.looseObject({ type: z.literal('0x1'), ...party, ...listed, ...typedSignature }),
    z.looseObject({ type: z.literal('0x2'), ...party, ...feeMarket, ...typedSignature }),
    z.looseObject({
      type: z.literal('0x4'),
      ...party,
      to: address,
      ...feeMarket,
      ...typedSignature,
      authorizationList: z.array(authorization),
    }),
  ]);
}

const place = {
  blockHash: hash,
  blockNumber: quantity,
  blockTimestamp: quantity,
  transactionIndex: quantity,
  from: address,
  hash,
};
const transaction = transactionWith(place);
const noPlace = {
  blockHash: z.null(),
  blockNumber: z.null(),
  blockTimestamp: z.null(),
  transactionIndex: z.null(),
};
const waiting = transactionWith({ ...noPlace, from: address, hash });

function block(transactions: z.ZodType): z.ZodObject {
  return z.looseObject({
    hash,
    parentHash: hash,
    sha3Uncles: hash,
    miner: address,
    stateRoot: hash,
    transactionsRoot: hash,
    receiptsRoot: hash,
    logsBloom: bytes(256),
    difficulty: quantity,
    number: quantity,
    gasLimit: quantity,
    gasUsed: quantity,
    timestamp: quantity,
    extraData: data,
    mixHash: hash,
    nonce: bytes(8),
    baseFeePerGas: z.optional(quantity),
    withdrawalsRoot: z.optional(hash),
    withdrawals: z.optional(z.array(z.never())),
    blobGasUsed: z.optional(quantity),
    excessBlobGas: z.optional(quantity),
    parentBeaconBlockRoot: z.optional(hash),
    requestsHash: z.optional(hash),
    size: quantity,
    transactions: z.array(transactions),
    uncles: z.array(hash),
  });
}

const callError = z.discriminatedUnion('code', [
  z.looseObject({
    code: z.literal(3),
    message: z.string().regex(/^execution reverted/),
    data: z.optional(data),
  }),
  z.looseObject({ code: z.literal(-32015), message: z.string().regex(/^vm execution error/) }),
]);
const callGas = { returnData: data, gasUsed: quantity, maxUsedGas: quantity, logs: z.array(log) };
const callResult = z.discriminatedUnion('status', [
  z.looseObject({ status: z.literal('0x1'), ...callGas }),
  z.looseObject({ status: z.literal('0x0'), ...callGas, error: callError }),
]);

const blobSchedule = z.strictObject({ baseFeeUpdateFraction: count, max: count, target: count });
const config = z.strictObject({
  activationTime: z.number(),
  blobSchedule,
  chainId: quantity,
  forkId: bytes(4),
  precompiles: z.record(z.string(), address),
  systemContracts: z.record(z.string(), address),
});

const byNonce = z.record(z.string().regex(/^[0-9]+$/), waiting);
const poolContent = z.record(address, byNonce);

const resource = z.strictObject({
  disabled: z.boolean(),
  oldestBlock: z.optional(quantity),
  deleteStrategy: z.optional(z.strictObject({ type: z.literal('window'), retentionBlocks: quantity })),
});

/** A change of an account value by a transaction of the block (EIP-7928), with its key in that list. */
function changes(name: string, value: z.ZodType): z.ZodType {
  return z.array(z.strictObject({ index: quantity, [name]: value }));
}

const accountAccess = z.strictObject({
  address,
  storageChanges: z.optional(z.array(z.strictObject({ key: hash, changes: changes('value', hash) }))),
  storageReads: z.optional(z.array(hash)),
  balanceChanges: z.optional(changes('value', quantity)),
  nonceChanges: z.optional(changes('value', quantity)),
  codeChanges: z.optional(changes('code', data)),
});

const step = z.looseObject({
  pc: count,
  op: z.string(),
  gas: count,
  gasCost: count,
  depth: count,
  refund: z.optional(z.int().min(1)),
  stack: z.array(quantity),
});
const structTrace = z.looseObject({
  gas: count,
  failed: z.boolean(),
  returnValue: data,
  structLogs: z.array(step),
});

/** Forms by kind of result. */
export const FORMS = {
  quantity,
  quantityOrNull: z.nullable(quantity),
  data,
  hash,
  signature: bytes(65),
  boolean: z.boolean(),
  decimal: z.string().regex(/^(0|[1-9][0-9]*)$/),
  address,
  addresses: z.array(address),
  nothing: z.null(),
  logs: z.array(log),
  hashes: z.array(hash),
  receipt: z.nullable(receipt),
  receipts: z.nullable(z.array(receipt)),
  transaction: z.nullable(transaction),
  block: z.nullable(block(hash)),
  fullBlock: z.nullable(block(transaction)),
  rawReceipts: z.array(data),
  word: hash,
  words: z.record(address, z.array(hash)),
  config: z.strictObject({ current: config, next: z.nullable(config), last: z.nullable(config) }),
  capabilities: z.strictObject({
    head: z.strictObject({ number: quantity, hash }),
    state: resource,
    tx: resource,
    logs: resource,
    receipts: resource,
    blocks: resource,
    stateproofs: resource,
  }),
  badBlocks: z.array(z.strictObject({ block: block(hash), hash, rlp: data })),
  blockAccessList: z.nullable(z.array(accountAccess)),
  accessList: z.looseObject({ accessList, gasUsed: quantity, error: z.optional(z.string()) }),
  simulation: z.array(block(hash).extend({ calls: z.array(callResult) })),
  fullSimulation: z.array(block(transaction).extend({ calls: z.array(callResult) })),
  feeHistory: z.strictObject({
    oldestBlock: quantity,
    baseFeePerGas: z.array(quantity),
    baseFeePerBlobGas: z.optional(z.array(quantity)),
    gasUsedRatio: z.array(z.number().min(0).max(1)),
    blobGasUsedRatio: z.optional(z.array(z.number())),
    reward: z.optional(z.array(z.array(quantity).min(1))),
  }),
  proof: z.strictObject({
    address,
    balance: quantity,
    codeHash: hash,
    nonce: quantity,
    storageHash: hash,
    accountProof: z.array(data),
    storageProof: z.array(
      z.strictObject({ key: z.string().regex(/^0x[0-9a-f]{0,64}$/), value: quantity, proof: z.array(data) }),
    ),
  }),
  filled: z.looseObject({ tx: z.looseObject({ type: quantity, to: z.nullable(address), ...content }) }),
  signed: z.looseObject({ raw: data, tx: z.looseObject({ type: quantity, ...content, ...signature }) }),
  poolStatus: z.looseObject({ pending: quantity, queued: quantity }),
  poolContent: z.looseObject({ pending: poolContent, queued: poolContent }),
  senderContent: z.looseObject({ pending: byNonce, queued: byNonce }),
  payload: z.looseObject({ executionPayload: z.looseObject({ blockHash: hash }), blockValue: quantity }),
  structTrace,
  structTraces: z.array(z.looseObject({ txHash: hash, result: structTrace })),
} as const satisfies Readonly<Record<string, z.ZodType>>;

/** The form of a result. */
export type Form = keyof typeof FORMS;

/** The paths in a result that do not have the form, without indexes (`calls[].logs[].data`). */
export function faultsIn(form: Form, answer: unknown): string[] {
  const { error } = FORMS[form].safeParse(answer);
  return (error?.issues ?? []).map(({ path }) =>
    path.reduce<string>(
      (text, key) =>
        typeof key === 'number' ? `${text}[]` : `${text}${text === '' ? '' : '.'}${String(key)}`,
      '',
    ),
  );
}
