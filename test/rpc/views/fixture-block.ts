import type { Block, BlockHeader } from '../../../src/protocol/block.ts';
import type { Receipt } from '../../../src/protocol/receipt.ts';
import type { Transaction } from '../../../src/protocol/transaction.ts';
import { NO_BLOBS } from '../../../src/protocol/transaction.ts';

function bytes(length: number, fill: number): Uint8Array {
  return new Uint8Array(length).fill(fill);
}

/** A Rootstock header, changed by `fields`. */
export function fixtureHeader(fields: Partial<BlockHeader> = {}): BlockHeader {
  return {
    parentHash: bytes(32, 0x01),
    unclesHash: bytes(32, 0x02),
    coinbase: bytes(20, 0x03),
    stateRoot: bytes(32, 0x04),
    transactionsRoot: bytes(32, 0x05),
    receiptsRoot: bytes(32, 0x06),
    logsBloom: bytes(256, 0x07),
    difficulty: 3n,
    number: 16,
    gasLimit: 30_000_000n,
    gasUsed: 42_000n,
    timestamp: 1_700_000_000,
    extraData: bytes(5, 0x08),
    paidFees: 99n,
    minimumGasPrice: 7n,
    uncleCount: 0,
    mergedMining: { header: bytes(80, 0x0a), coinbaseTransaction: bytes(3, 0x0b), merkleProof: bytes(0, 0) },
    ethereum: {
      baseFeePerGas: null,
      mixHash: bytes(32, 0),
      withdrawalsRoot: null,
      blobGasUsed: null,
      excessBlobGas: null,
      parentBeaconBlockRoot: null,
      requestsHash: null,
      blockAccessListHash: null,
      slotNumber: null,
    },
    ...fields,
  };
}

/** A legacy transaction, changed by `fields`. */
export function fixtureTransaction(fields: Partial<Transaction> = {}): Transaction {
  return {
    type: 0,
    chainId: 33n,
    nonce: 5n,
    maxFeePerGas: 9n,
    maxPriorityFeePerGas: 9n,
    gasLimit: 21_000n,
    to: bytes(20, 0x11),
    value: 1_000n,
    data: Uint8Array.of(0xca, 0xfe),
    accessList: [],
    authorizationList: [],
    ...NO_BLOBS,
    v: 101n,
    r: 0x12n,
    s: 2n ** 255n,
    sender: bytes(20, 0x22),
    raw: bytes(4, 0),
    hash: bytes(32, 0x33),
    ...fields,
  };
}

/** A receipt with `logs` logs of one topic each. */
function fixtureReceipt(logs: number, fields: Partial<Receipt> = {}): Receipt {
  return {
    succeeded: true,
    cumulativeGasUsed: 42_000n,
    gasUsed: 21_000n,
    effectiveGasPrice: 9n,
    logs: Array.from({ length: logs }, (_, index) => ({
      address: bytes(20, 0x44),
      topics: [bytes(32, index)],
      data: bytes(0, 0),
    })),
    logsBloom: bytes(256, 0x09),
    contractAddress: null,
    ...fields,
  };
}

/** A block with a transfer and a creation, changed by `fields`. */
export function fixtureBlock(fields: Partial<Block> = {}): Block {
  return {
    header: fixtureHeader(),
    hash: bytes(32, 0xbb),
    transactions: [fixtureTransaction(), fixtureTransaction({ to: null, hash: bytes(32, 0x34) })],
    receipts: [fixtureReceipt(2), fixtureReceipt(1, { succeeded: false, contractAddress: bytes(20, 0x55) })],
    uncles: [],
    totalDifficulty: 48n,
    size: 700,
    ...fields,
  };
}
