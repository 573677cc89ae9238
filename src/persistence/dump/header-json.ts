import { equalBytes } from '../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import type { BlockHeader, EthereumHeaderFields, MergedMining } from '../../protocol/block.ts';
import type { DumpValue } from './dump-value.ts';

type Json = Readonly<Record<string, unknown>>;

/** The header as JSON; `bloom` is that of the block's logs, which does not have to be written. */
export function headerJson(header: BlockHeader, bloom: Uint8Array): Json {
  const hasOwnBloom = !equalBytes(header.logsBloom, bloom);
  return {
    parentHash: toHex(header.parentHash),
    unclesHash: toHex(header.unclesHash),
    coinbase: toHex(header.coinbase),
    stateRoot: toHex(header.stateRoot),
    transactionsRoot: toHex(header.transactionsRoot),
    receiptsRoot: toHex(header.receiptsRoot),
    ...(hasOwnBloom && { logsBloom: toHex(header.logsBloom) }),
    difficulty: toQuantity(header.difficulty),
    number: header.number,
    gasLimit: toQuantity(header.gasLimit),
    gasUsed: toQuantity(header.gasUsed),
    timestamp: header.timestamp,
    extraData: toHex(header.extraData),
    paidFees: toQuantity(header.paidFees),
    minimumGasPrice: toQuantity(header.minimumGasPrice),
    uncleCount: header.uncleCount,
    mergedMining: mergedMiningJson(header.mergedMining),
    ethereum: ethereumJson(header.ethereum),
  };
}

function mergedMiningJson({ header, coinbaseTransaction, merkleProof }: MergedMining): Json {
  return {
    header: toHex(header),
    coinbaseTransaction: toHex(coinbaseTransaction),
    merkleProof: toHex(merkleProof),
  };
}

function hexOrNull(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : toHex(bytes);
}

function quantityOrNull(value: bigint | null): string | null {
  return value === null ? null : toQuantity(value);
}

function ethereumJson(fields: EthereumHeaderFields): Json {
  return {
    baseFeePerGas: quantityOrNull(fields.baseFeePerGas),
    mixHash: toHex(fields.mixHash),
    withdrawalsRoot: hexOrNull(fields.withdrawalsRoot),
    blobGasUsed: quantityOrNull(fields.blobGasUsed),
    excessBlobGas: quantityOrNull(fields.excessBlobGas),
    parentBeaconBlockRoot: hexOrNull(fields.parentBeaconBlockRoot),
    requestsHash: hexOrNull(fields.requestsHash),
  };
}

/** The header that {@link headerJson} wrote with that bloom. Throws an `InvalidDumpError`. */
export function readHeader(value: DumpValue, bloom: Uint8Array): BlockHeader {
  const hash = (name: string) => value.field(name).bytes(32);
  return {
    parentHash: hash('parentHash'),
    unclesHash: hash('unclesHash'),
    coinbase: value.field('coinbase').bytes(20),
    stateRoot: hash('stateRoot'),
    transactionsRoot: hash('transactionsRoot'),
    receiptsRoot: hash('receiptsRoot'),
    logsBloom: value.field('logsBloom').orNull((own) => own.bytes(bloom.length)) ?? bloom,
    difficulty: value.field('difficulty').quantity(),
    number: value.field('number').count(),
    gasLimit: value.field('gasLimit').quantity(),
    gasUsed: value.field('gasUsed').quantity(),
    timestamp: value.field('timestamp').count(),
    extraData: value.field('extraData').bytes(),
    paidFees: value.field('paidFees').quantity(),
    minimumGasPrice: value.field('minimumGasPrice').quantity(),
    uncleCount: value.field('uncleCount').count(),
    mergedMining: readMergedMining(value.field('mergedMining')),
    ethereum: readEthereum(value.field('ethereum')),
  };
}

function readMergedMining(value: DumpValue): MergedMining {
  return {
    header: value.field('header').bytes(),
    coinbaseTransaction: value.field('coinbaseTransaction').bytes(),
    merkleProof: value.field('merkleProof').bytes(),
  };
}

function readEthereum(value: DumpValue): EthereumHeaderFields {
  const quantity = (name: string) => value.field(name).orNull((field) => field.quantity());
  const hash = (name: string) => value.field(name).orNull((field) => field.bytes(32));
  return {
    baseFeePerGas: quantity('baseFeePerGas'),
    mixHash: value.field('mixHash').bytes(32),
    withdrawalsRoot: readWithdrawalsRoot(value.field('withdrawalsRoot')),
    blobGasUsed: quantity('blobGasUsed'),
    excessBlobGas: quantity('excessBlobGas'),
    parentBeaconBlockRoot: hash('parentBeaconBlockRoot'),
    requestsHash: hash('requestsHash'),
  };
}

/** 32 bytes, or none at all where a header of an old Anvil has an empty root. */
function readWithdrawalsRoot(value: DumpValue): Uint8Array | null {
  return value.orNull((root) => (root.isData(0) ? root.bytes() : root.bytes(32)));
}
