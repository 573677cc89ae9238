import fc from 'fast-check';
import { concatBytes } from '../../src/primitives/bytes.ts';
import { addressOfPrivateKey, curve } from '../../src/primitives/secp256k1/curve.ts';
import type { BlockHeader, EthereumHeaderFields } from '../../src/protocol/block.ts';
import type { RuleSet } from '../../src/protocol/hardforks/rule-set.ts';
import { bloomOf, type Log, type Receipt } from '../../src/protocol/receipt.ts';
import type {
  AccessListEntry,
  Authorization,
  Transaction,
  TransactionRequest,
  TransactionType,
} from '../../src/protocol/transaction.ts';
import { TYPES_WITH_TWO_FEES } from '../../src/protocol/transaction.ts';
import { signedBy } from '../../src/protocol/transaction-encoding.ts';

const HALF_CURVE_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Chain id of random transactions. */
export const CHAIN_ID = 33;

export function bytes(length: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength: length, maxLength: length });
}

/** An unsigned integer. Often small, because small integers have special encodings. */
export function unsigned(bits: number): fc.Arbitrary<bigint> {
  const max = (1n << BigInt(bits)) - 1n;
  return fc.oneof(fc.bigInt({ min: 0n, max: max < 300n ? max : 300n }), fc.bigInt({ min: 0n, max }));
}

/** Short byte strings, and some with a long RLP prefix. */
const data = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ minLength: 56, maxLength: 300 }));

/** 32 bytes that are a valid private key. */
export const privateKey = bytes(32).filter((key) => curve.isPrivateKey(key));

const accessList: fc.Arbitrary<AccessListEntry[]> = fc.array(
  fc.record({ address: bytes(20), storageKeys: fc.array(bytes(32), { maxLength: 3 }) }),
  { maxLength: 3 },
);

const authorization: fc.Arbitrary<Authorization> = fc.record({
  chainId: fc.constantFrom(0n, 33n),
  address: bytes(20),
  nonce: fc.bigInt({ min: 0n, max: 2n ** 64n - 2n }),
  yParity: unsigned(1),
  r: fc.bigInt({ min: 1n, max: HALF_CURVE_ORDER }),
  s: fc.bigInt({ min: 1n, max: HALF_CURVE_ORDER }),
});

/** A versioned hash of a KZG commitment. */
const versionedHash = bytes(31).map((rest) => concatBytes(Uint8Array.of(1), rest));

/** A random request of a type. Legacy requests have replay protection or none. */
export function transactionRequest(type: TransactionType): fc.Arbitrary<TransactionRequest> {
  const hasTip = TYPES_WITH_TWO_FEES.includes(type);
  return fc
    .record({
      chainId: type === 0 ? fc.constantFrom(BigInt(CHAIN_ID), null) : fc.constant(BigInt(CHAIN_ID)),
      nonce: fc.oneof(unsigned(16), fc.bigInt({ min: 0n, max: 2n ** 64n - 2n })),
      maxPriorityFeePerGas: unsigned(120),
      more: hasTip ? unsigned(120) : fc.constant(0n),
      gasLimit: unsigned(64),
      to: type >= 3 ? bytes(20) : fc.option(bytes(20), { freq: 3 }),
      value: unsigned(256),
      data,
      accessList: type === 0 ? fc.constant([]) : accessList,
      authorizationList:
        type === 4 ? fc.array(authorization, { minLength: 1, maxLength: 3 }) : fc.constant([]),
      maxFeePerBlobGas: type === 3 ? unsigned(256) : fc.constant(0n),
      blobVersionedHashes:
        type === 3 ? fc.array(versionedHash, { minLength: 1, maxLength: 6 }) : fc.constant([]),
    })
    .map(({ more, ...rest }) => ({ ...rest, type, maxFeePerGas: rest.maxPriorityFeePerGas + more }));
}

export function signedWith(key: Uint8Array, request: TransactionRequest): Transaction {
  return signedBy(request, addressOfPrivateKey(key), (hash) => curve.sign(hash, key));
}

export function signedTransaction(types: readonly TransactionType[]): fc.Arbitrary<Transaction> {
  return fc.oneof(
    ...types.map((type) =>
      fc.tuple(privateKey, transactionRequest(type)).map(([key, request]) => signedWith(key, request)),
    ),
  );
}

export const log: fc.Arbitrary<Log> = fc.record({
  address: bytes(20),
  topics: fc.array(bytes(32), { maxLength: 4 }),
  data,
});

/** A random receipt with the bloom of its logs. */
export const receipt: fc.Arbitrary<Receipt> = fc
  .record({
    succeeded: fc.boolean(),
    cumulativeGasUsed: unsigned(64),
    gasUsed: unsigned(64),
    effectiveGasPrice: unsigned(128),
    logs: fc.array(log, { maxLength: 3 }),
    contractAddress: fc.option(bytes(20)),
  })
  .map((fields) => ({ ...fields, logsBloom: bloomOf(fields.logs) }));

function optional<Value>(isThere: boolean, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return isThere ? value : fc.constant(null);
}

function ethereumHeaderFields(ruleSet: RuleSet): fc.Arbitrary<EthereumHeaderFields> {
  return fc.record({
    baseFeePerGas: optional(ruleSet.fees.name === 'base fee', unsigned(128)),
    mixHash: bytes(32),
    withdrawalsRoot: optional(ruleSet.hasWithdrawals, bytes(32)),
    blobGasUsed: optional(ruleSet.hasBlobFields, unsigned(32)),
    excessBlobGas: optional(ruleSet.hasBlobFields, unsigned(32)),
    parentBeaconBlockRoot: optional(ruleSet.hasBlobFields, bytes(32)),
    requestsHash: optional(ruleSet.hasRequests, bytes(32)),
    blockAccessListHash: optional(ruleSet.hasAccessLists, bytes(32)),
    slotNumber: optional(ruleSet.hasSlotNumbers, unsigned(64)),
  });
}

const count = fc.oneof(fc.nat(300), fc.nat());

/** A random header with the fields of the rule set. Its gas used is at most its gas limit. */
export function blockHeader(ruleSet: RuleSet): fc.Arbitrary<BlockHeader> {
  const header: fc.Arbitrary<BlockHeader> = fc.record({
    parentHash: bytes(32),
    unclesHash: bytes(32),
    coinbase: bytes(20),
    stateRoot: bytes(32),
    transactionsRoot: bytes(32),
    receiptsRoot: bytes(32),
    logsBloom: bytes(256),
    difficulty: unsigned(64),
    number: count,
    gasLimit: unsigned(62),
    gasUsed: unsigned(62),
    timestamp: count,
    extraData: fc.uint8Array({ maxLength: 32 }),
    paidFees: unsigned(128),
    minimumGasPrice: unsigned(128),
    uncleCount: fc.nat(10),
    mergedMining: fc.record({
      header: fc.constantFrom(new Uint8Array(0), new Uint8Array(80).fill(7)),
      coinbaseTransaction: fc.uint8Array({ maxLength: 200 }),
      merkleProof: fc.uint8Array({ maxLength: 96 }),
    }),
    ethereum: ethereumHeaderFields(ruleSet),
  });
  return header.map((fields) => ({ ...fields, gasLimit: fields.gasLimit + fields.gasUsed }));
}
