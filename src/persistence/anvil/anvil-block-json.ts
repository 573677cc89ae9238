import { toHex, toQuantity } from '../../primitives/hex.ts';
import { type Block, type BlockHeader, hasWithdrawals } from '../../protocol/block.ts';
import type { Log, Receipt } from '../../protocol/receipt.ts';
import type { AccessListEntry, Transaction } from '../../protocol/transaction.ts';

type Json = Readonly<Record<string, unknown>>;

const ZERO_NONCE = '0x0000000000000000';

/** True for a transaction without a signature (see `withoutSignature`): none has twice the same number in it. */
function isUnsigned({ v, r, s }: Transaction): boolean {
  return v === 0n && r === s;
}

/** A block in the form of Anvil's `blocks`. */
export function anvilBlockJson(block: Pick<Block, 'header' | 'transactions' | 'uncles'>): Json {
  return {
    header: anvilHeaderJson(block.header),
    transactions: block.transactions.map((transaction) => ({
      transaction: anvilTransactionJson(transaction),
      impersonated_sender: isUnsigned(transaction) ? toHex(transaction.sender) : null,
    })),
    ommers: block.uncles.map(anvilHeaderJson),
    withdrawals: hasWithdrawals(block.header) ? [] : null,
  };
}

function anvilHeaderJson(header: BlockHeader): Json {
  const { ethereum } = header;
  return {
    parentHash: toHex(header.parentHash),
    sha3Uncles: toHex(header.unclesHash),
    miner: toHex(header.coinbase),
    stateRoot: toHex(header.stateRoot),
    transactionsRoot: toHex(header.transactionsRoot),
    receiptsRoot: toHex(header.receiptsRoot),
    logsBloom: toHex(header.logsBloom),
    difficulty: toQuantity(header.difficulty),
    number: toQuantity(header.number),
    gasLimit: toQuantity(header.gasLimit),
    gasUsed: toQuantity(header.gasUsed),
    timestamp: toQuantity(header.timestamp),
    extraData: toHex(header.extraData),
    mixHash: toHex(ethereum.mixHash),
    nonce: ZERO_NONCE,
    ...quantityField('baseFeePerGas', ethereum.baseFeePerGas),
    ...hashField('withdrawalsRoot', ethereum.withdrawalsRoot),
    ...quantityField('blobGasUsed', ethereum.blobGasUsed),
    ...quantityField('excessBlobGas', ethereum.excessBlobGas),
    ...hashField('parentBeaconBlockRoot', ethereum.parentBeaconBlockRoot),
    ...hashField('requestsHash', ethereum.requestsHash),
  };
}

function quantityField(name: string, value: bigint | null): Json {
  return value === null ? {} : { [name]: toQuantity(value) };
}

function hashField(name: string, value: Uint8Array | null): Json {
  return value === null ? {} : { [name]: toHex(value) };
}

function anvilTransactionJson(transaction: Transaction): Json {
  const { type, r, s } = transaction;
  return {
    type: toQuantity(type),
    ...quantityField('chainId', transaction.chainId),
    nonce: toQuantity(transaction.nonce),
    gas: toQuantity(transaction.gasLimit),
    ...feeFields(transaction),
    to: transaction.to === null ? null : toHex(transaction.to),
    value: toQuantity(transaction.value),
    ...(type > 0 && { accessList: transaction.accessList.map(accessListJson) }),
    ...(type === 4 && { authorizationList: authorizationsJson(transaction) }),
    input: toHex(transaction.data),
    r: toQuantity(r),
    s: toQuantity(s),
    ...signatureFields(transaction),
    hash: toHex(transaction.hash),
  };
}

function feeFields({ type, maxFeePerGas, maxPriorityFeePerGas }: Transaction): Json {
  if (type < 2) return { gasPrice: toQuantity(maxFeePerGas) };
  return {
    maxFeePerGas: toQuantity(maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(maxPriorityFeePerGas),
  };
}

// Anvil reads 27 and 28 as a signature without replay protection, and does not look at that of an impersonated sender.
const UNPROTECTED_V = 27n;

function signatureFields(transaction: Transaction): Json {
  const { type, v } = transaction;
  if (type === 0) return { v: toQuantity(isUnsigned(transaction) ? UNPROTECTED_V : v) };
  return { yParity: toQuantity(v), v: toQuantity(v) };
}

function accessListJson({ address, storageKeys }: AccessListEntry): Json {
  return { address: toHex(address), storageKeys: storageKeys.map(toHex) };
}

function authorizationsJson({ authorizationList }: Transaction): Json[] {
  return authorizationList.map(({ chainId, address, nonce, yParity, r, s }) => ({
    chainId: toQuantity(chainId),
    address: toHex(address),
    nonce: toQuantity(nonce),
    yParity: toQuantity(yParity),
    r: toQuantity(r),
    s: toQuantity(s),
  }));
}

/** A transaction and its receipt in the form of Anvil's `transactions`. */
export function minedTransactionJson(
  transaction: Transaction,
  receipt: Receipt,
  index: number,
  block: { readonly hash: Uint8Array; readonly number: number },
): Json {
  const { to } = transaction;
  const created = receipt.contractAddress === null ? null : toHex(receipt.contractAddress);
  const end = receipt.succeeded ? 'Stop' : 'Revert';
  return {
    info: {
      transaction_hash: toHex(transaction.hash),
      transaction_index: index,
      from: toHex(transaction.sender),
      to: to === null ? null : toHex(to),
      contract_address: created,
      traces: [rootTraceJson(transaction, receipt, end)],
      exit: end,
      out: null,
      nonce: Number(transaction.nonce),
      gas_used: Number(receipt.gasUsed),
    },
    receipt: {
      type: toQuantity(transaction.type),
      status: toQuantity(receipt.succeeded ? 1 : 0),
      cumulativeGasUsed: toQuantity(receipt.cumulativeGasUsed),
      logs: receipt.logs.map(logJson),
      logsBloom: toHex(receipt.logsBloom),
    },
    block_hash: toHex(block.hash),
    block_number: block.number,
  };
}

/** Anvil takes it for granted that there is at least the call that the transaction itself is. */
function rootTraceJson(
  { sender, to, value, data, gasLimit }: Transaction,
  receipt: Receipt,
  end: string,
): Json {
  return {
    parent: null,
    children: [],
    idx: 0,
    trace: {
      depth: 0,
      success: receipt.succeeded,
      caller: toHex(sender),
      address: toHex(to ?? receipt.contractAddress ?? new Uint8Array(20)),
      maybe_precompile: null,
      selfdestruct_address: null,
      selfdestruct_refund_target: null,
      selfdestruct_transferred_value: null,
      kind: to === null ? 'CREATE' : 'CALL',
      value: toQuantity(value),
      data: toHex(data),
      output: '0x',
      gas_used: Number(receipt.gasUsed),
      gas_limit: Number(gasLimit),
      gas_refund_counter: 0,
      status: end,
      steps: [],
      decoded: null,
    },
    logs: [],
    ordering: [],
  };
}

function logJson({ address, topics, data }: Log): Json {
  return { address: toHex(address), topics: topics.map(toHex), data: toHex(data) };
}
