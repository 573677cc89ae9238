import { type Hex, toHex, toQuantity } from '../../primitives/hex.ts';
import { type Block, type BlockHeader, hasWithdrawals } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { encodeHeader, hashForMergedMining, headerHash } from '../../protocol/header-encoding.ts';
import { transactionView } from './transaction.ts';

/** Whose names the merged-mining fields bear: the service document's, or the network's own. */
export type FieldNames = 'service' | 'native';

/** A block as JSON (service document, Block object). */
export type BlockView = Readonly<Record<string, unknown>>;

// The network's proof of work lies in its merged-mining fields, so this one is always the same.
const NONCE = '0x0000000000000000';

const PARENT_CHAIN: Readonly<Record<FieldNames, string>> = { service: 'parentchain', native: 'bitcoin' };

/** The fields of a header that stand in every form of a block. */
function headerFields(header: BlockHeader): BlockView {
  return {
    parentHash: toHex(header.parentHash),
    sha3Uncles: toHex(header.unclesHash),
    transactionsRoot: toHex(header.transactionsRoot),
    stateRoot: toHex(header.stateRoot),
    receiptsRoot: toHex(header.receiptsRoot),
    miner: toHex(header.coinbase),
    difficulty: toQuantity(header.difficulty),
    extraData: toHex(header.extraData),
    gasLimit: toQuantity(header.gasLimit),
    gasUsed: toQuantity(header.gasUsed),
    timestamp: toQuantity(header.timestamp),
    mixHash: toHex(header.ethereum.mixHash),
  };
}

/** The fields that only the network's own headers have. */
function networkFields(header: BlockHeader, fieldNames: FieldNames): BlockView {
  const prefix = PARENT_CHAIN[fieldNames];
  return {
    minimumGasPrice: toQuantity(header.minimumGasPrice),
    [`${prefix}MergedMiningHeader`]: toHex(header.mergedMining.header),
    [`${prefix}MergedMiningCoinbaseTransaction`]: toHex(header.mergedMining.coinbaseTransaction),
    [`${prefix}MergedMiningMerkleProof`]: toHex(header.mergedMining.merkleProof),
    hashForMergedMining: toHex(hashForMergedMining(header)),
    paidFees: toQuantity(header.paidFees),
    ...(fieldNames === 'native' ? nativeFields(header) : {}),
  };
}

/**
 * Fields that the network's nodes have and the service document does not: where the parallel lists of transactions end
 * (RSKIP-144), of which blocks of this node have none and the first block no word, and the event of RSKIP-535, which no
 * block of this node has.
 */
function nativeFields({ number }: BlockHeader): BlockView {
  return { rskPteEdges: number === 0 ? null : [], baseEvent: null };
}

function optionalField(name: string, value: Hex | null): BlockView {
  return value === null ? {} : { [name]: value };
}

/** The fields that Ethereum rule sets add, where the header has them. */
function ethereumFields(header: BlockHeader): BlockView {
  const { baseFeePerGas, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash } = header.ethereum;
  const withdrawalsRoot = hasWithdrawals(header) ? header.ethereum.withdrawalsRoot : null;
  return {
    ...optionalField('baseFeePerGas', baseFeePerGas === null ? null : toQuantity(baseFeePerGas)),
    ...optionalField('withdrawalsRoot', withdrawalsRoot === null ? null : toHex(withdrawalsRoot)),
    ...(withdrawalsRoot === null ? {} : { withdrawals: [] }),
    ...optionalField('blobGasUsed', blobGasUsed === null ? null : toQuantity(blobGasUsed)),
    ...optionalField('excessBlobGas', excessBlobGas === null ? null : toQuantity(excessBlobGas)),
    ...optionalField(
      'parentBeaconBlockRoot',
      parentBeaconBlockRoot === null ? null : toHex(parentBeaconBlockRoot),
    ),
    ...optionalField('requestsHash', requestsHash === null ? null : toHex(requestsHash)),
  };
}

function cumulativeDifficulty(block: Block): bigint {
  return block.uncles.reduce((sum, uncle) => sum + uncle.difficulty, block.header.difficulty);
}

function transactionsView(
  block: Block,
  { full, isPending, rules }: Pick<BlockViewOptions, 'full' | 'isPending' | 'rules'>,
): unknown[] {
  if (!full) return block.transactions.map(({ hash }) => toHex(hash));
  return block.transactions.map((transaction, index) =>
    transactionView(transaction, isPending ? null : { block, index }, rules),
  );
}

/** How a block is to be shown. */
export interface BlockViewOptions {
  /** True for whole transactions, false for their hashes. */
  readonly full: boolean;
  /** True for a block that is not sealed: what only a seal fixes is `null`. */
  readonly isPending: boolean;
  readonly fieldNames: FieldNames;
  /** The rules of the chain, which tell how uncles are hashed and what transactions look like. */
  readonly rules: Pick<RuleSet, 'encoding'>;
}

/**
 * A block as JSON. A pending block keeps its number, which is certain and which client libraries cannot do without;
 * its hash, nonce and bloom are `null`.
 */
export function blockView(block: Block, options: BlockViewOptions): BlockView {
  const { encoding } = options.rules;
  return {
    ...headerView(block, options),
    cumulativeDifficulty: toQuantity(cumulativeDifficulty(block)),
    totalDifficulty: toQuantity(block.totalDifficulty),
    size: toQuantity(block.size),
    transactions: transactionsView(block, options),
    uncles: block.uncles.map((uncle) => toHex(headerHash(uncle, encoding))),
  };
}

/** The header of a block as JSON: what {@link blockView} tells but for the body's part. */
export function headerView(
  block: Block,
  { isPending, fieldNames }: Pick<BlockViewOptions, 'isPending' | 'fieldNames'>,
): BlockView {
  const { header } = block;
  return {
    number: toQuantity(header.number),
    hash: isPending ? null : toHex(block.hash),
    nonce: isPending ? null : NONCE,
    logsBloom: isPending ? null : toHex(header.logsBloom),
    ...headerFields(header),
    ...networkFields(header, fieldNames),
    ...ethereumFields(header),
  };
}

/** The head of a chain as a subscription to new heads tells it: the header alone. */
export function headView(block: Block): BlockView {
  const { header } = block;
  return {
    number: toQuantity(header.number),
    hash: toHex(block.hash),
    nonce: NONCE,
    logsBloom: toHex(header.logsBloom),
    ...headerFields(header),
    ...ethereumFields(header),
  };
}

/** How an uncle is to be shown. */
export interface UncleViewOptions {
  readonly encoding: RuleSet['encoding'];
  /** The difficulty of the chain up to the uncle's parent. */
  readonly parentDifficulty: bigint;
  readonly fieldNames: FieldNames;
}

/**
 * An uncle as JSON: a block without transactions. Its size is that of its header. Its own uncles are not known but for
 * their number; their difficulty is taken for the same, as it is the same for all blocks of a chain here.
 */
export function uncleView(
  header: BlockHeader,
  { encoding, parentDifficulty, fieldNames }: UncleViewOptions,
): BlockView {
  const cumulative = header.difficulty * BigInt(1 + header.uncleCount);
  return {
    number: toQuantity(header.number),
    hash: toHex(headerHash(header, encoding)),
    nonce: NONCE,
    logsBloom: toHex(header.logsBloom),
    ...headerFields(header),
    cumulativeDifficulty: toQuantity(cumulative),
    totalDifficulty: toQuantity(parentDifficulty + cumulative),
    size: toQuantity(encodeHeader(header, encoding).length),
    uncles: [],
    ...networkFields(header, fieldNames),
    ...ethereumFields(header),
  };
}
