import { EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { keyOf } from '../../../primitives/hex.ts';
import { effectiveGasPrice } from '../../../rules/base-fee.ts';
import type { Block, BlockHeader } from '../../../rules/block.ts';
import { bloomOf } from '../../../rules/bloom.ts';
import { encodeBlock, headerHash } from '../../../rules/header-encoding.ts';
import type { Receipt } from '../../../rules/receipt.ts';
import type { Transaction, TransactionRequest, TransactionType } from '../../../rules/transaction.ts';
import { withoutSignature, withSignatureValues } from '../../../rules/transaction-encoding.ts';
import { readLog } from '../block-json.ts';
import type { DumpValue } from '../dump-value.ts';

const ENCODING = 'ethereum';

/** What Anvil keeps of mined transactions besides the blocks: by block, in their order there. */
export type MinedTransactions = ReadonlyMap<string, readonly DumpValue[]>;

/** The mined transactions of Anvil's file by the hashes of their blocks. Throws an `InvalidDumpError`. */
export function minedByBlock(transactions: DumpValue): MinedTransactions {
  const byBlock = new Map<string, DumpValue[]>();
  for (const mined of transactions.isNothing ? [] : transactions.items()) {
    const key = keyOf(mined.field('block_hash').bytes(32));
    const known = byBlock.get(key) ?? [];
    known[mined.field('info').field('transaction_index').count()] = mined;
    byBlock.set(key, known);
  }
  return byBlock;
}

/** The header of a block of Anvil's file, with its hash. */
export interface AnvilHeader {
  readonly value: DumpValue;
  readonly header: BlockHeader;
  readonly hash: Uint8Array;
}

/** Reads a block's header alone. Throws an `InvalidDumpError`. */
export function readAnvilHeader(value: DumpValue): AnvilHeader {
  const header = readHeader(value.field('header'));
  return {
    value,
    header: { ...header, uncleCount: value.field('ommers').items().length },
    hash: headerHash(header, ENCODING),
  };
}

/** The types of the block's transactions (EIP-2718). Throws an `InvalidDumpError`. */
export function typesInAnvilBlock(value: DumpValue): number[] {
  const items = value.field('transactions').items();
  return items.map((item) => envelopeOf(item).field('type').count());
}

/** Newer files say of each transaction who was impersonated for it, older ones have the transaction itself. */
function envelopeOf(item: DumpValue): DumpValue {
  const wrapped = item.field('transaction');
  return wrapped.isNothing ? item : wrapped;
}

/** The rest of a block of Anvil's file above that one, with its receipts. Throws an `InvalidDumpError`. */
export function readAnvilBlock(
  { value, header, hash }: AnvilHeader,
  parent: Block | null,
  mined: MinedTransactions,
): Block {
  const items = value.field('transactions').items();
  const facts = mined.get(keyOf(hash)) ?? [];
  const transactions: Transaction[] = [];
  const receipts: Receipt[] = [];
  for (const [index, item] of items.entries()) {
    const known = facts[index];
    if (known === undefined) throw item.fault('a transaction that `transactions` tells the receipt of');
    const transaction = readAnvilTransaction(item, known.field('info').field('from').bytes(20));
    transactions.push(transaction);
    receipts.push(readAnvilReceipt(known, effectiveGasPrice(transaction, header.ethereum.baseFeePerGas)));
  }
  const uncles = value.field('ommers').items().map(readHeader);
  const difficulty = uncles.reduce((sum, uncle) => sum + uncle.difficulty, header.difficulty);
  return {
    header,
    hash,
    transactions,
    receipts,
    uncles,
    totalDifficulty: (parent?.totalDifficulty ?? 0n) + difficulty,
    size: encodeBlock({ header, transactions, uncles }, ENCODING).length,
  };
}

function readHeader(value: DumpValue): BlockHeader {
  const hash = (name: string) => value.field(name).bytes(32);
  const optionalHash = (name: string) => value.field(name).orNull((field) => field.bytes(32));
  const optionalQuantity = (name: string) => value.field(name).orNull((field) => field.quantity());
  return {
    parentHash: hash('parentHash'),
    unclesHash: hash('sha3Uncles'),
    coinbase: value.field('miner').bytes(20),
    stateRoot: hash('stateRoot'),
    transactionsRoot: hash('transactionsRoot'),
    receiptsRoot: hash('receiptsRoot'),
    logsBloom: value.field('logsBloom').bytes(256),
    difficulty: value.field('difficulty').quantity(),
    number: value.field('number').count(),
    gasLimit: value.field('gasLimit').quantity(64),
    gasUsed: value.field('gasUsed').quantity(64),
    timestamp: value.field('timestamp').count(),
    extraData: value.field('extraData').bytes(),
    paidFees: 0n,
    minimumGasPrice: 0n,
    uncleCount: 0,
    mergedMining: { header: EMPTY_BYTES, coinbaseTransaction: EMPTY_BYTES, merkleProof: EMPTY_BYTES },
    ethereum: {
      baseFeePerGas: optionalQuantity('baseFeePerGas'),
      mixHash: hash('mixHash'),
      withdrawalsRoot: optionalHash('withdrawalsRoot'),
      blobGasUsed: optionalQuantity('blobGasUsed'),
      excessBlobGas: optionalQuantity('excessBlobGas'),
      parentBeaconBlockRoot: optionalHash('parentBeaconBlockRoot'),
      requestsHash: optionalHash('requestsHash'),
    },
  };
}

function readType(value: DumpValue): TransactionType {
  const type = value.count();
  return type === 0 || type === 1 || type === 2 || type === 4
    ? type
    : value.refuse('one of the transaction types 0, 1, 2 and 4');
}

function readRequest(value: DumpValue): TransactionRequest {
  const type = readType(value.field('type'));
  const hasPriorityFee = type === 2 || type === 4;
  const fee = value.field(hasPriorityFee ? 'maxFeePerGas' : 'gasPrice').quantity();
  const accessList = value.field('accessList');
  const authorizations = value.field('authorizationList');
  return {
    type,
    chainId: value.field('chainId').orNull((id) => id.quantity()),
    nonce: value.field('nonce').quantity(64),
    maxFeePerGas: fee,
    maxPriorityFeePerGas: hasPriorityFee ? value.field('maxPriorityFeePerGas').quantity() : fee,
    gasLimit: value.field('gas').quantity(64),
    to: value.field('to').orNull((address) => address.bytes(20)),
    value: value.field('value').quantity(),
    data: value.field('input').bytes(),
    accessList: (accessList.isNothing ? [] : accessList.items()).map((entry) => ({
      address: entry.field('address').bytes(20),
      storageKeys: entry
        .field('storageKeys')
        .items()
        .map((key) => key.bytes(32)),
    })),
    authorizationList: (authorizations.isNothing ? [] : authorizations.items()).map((entry) => ({
      chainId: entry.field('chainId').quantity(),
      address: entry.field('address').bytes(20),
      nonce: entry.field('nonce').quantity(64),
      yParity: entry.field('yParity').quantity(8),
      r: entry.field('r').quantity(),
      s: entry.field('s').quantity(),
    })),
  };
}

function readAnvilTransaction(item: DumpValue, sender: Uint8Array): Transaction {
  const value = envelopeOf(item);
  const request = readRequest(value);
  if (!item.field('impersonated_sender').isNothing) return withoutSignature(request, sender);
  const values = {
    v: value.field(request.type === 0 ? 'v' : 'yParity').quantity(),
    r: value.field('r').quantity(),
    s: value.field('s').quantity(),
  };
  return withSignatureValues(request, values, sender);
}

function readAnvilReceipt(mined: DumpValue, gasPrice: bigint): Receipt {
  const info = mined.field('info');
  const receipt = mined.field('receipt');
  const logs = receipt.field('logs').items().map(readLog);
  return {
    succeeded: receipt.field('status').quantity(8) === 1n,
    cumulativeGasUsed: receipt.field('cumulativeGasUsed').quantity(),
    gasUsed: info.field('gas_used').quantity(),
    effectiveGasPrice: gasPrice,
    logs,
    logsBloom: bloomOf(logs),
    contractAddress: info.field('to').isNothing
      ? info.field('contract_address').orNull((address) => address.bytes(20))
      : null,
  };
}
