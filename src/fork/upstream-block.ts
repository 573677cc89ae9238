import { padLeft } from '../primitives/bytes.ts';
import { INITIAL_BASE_FEE } from '../protocol/base-fee.ts';
import type { Block, BlockHeader } from '../protocol/block.ts';
import { BLOOM_SIZE } from '../protocol/bloom.ts';
import { ethereumFields } from '../protocol/genesis.ts';
import type { RuleSet, RuleSetName } from '../protocol/hardforks/rule-set.ts';
import { tolerantData, UpstreamFields } from './decoding.ts';

const NO_HASH = new Uint8Array(32);

/** The public chains with the network's own rules. */
const NETWORK_CHAIN_IDS: ReadonlySet<number> = new Set([30, 31]);

/**
 * The rules of the chain with that id which a block is of, as far as these show: the newest of Ethereum where there is a
 * base fee, or the network's own.
 */
export function ruleSetOfBlock(block: unknown, chainId: number): RuleSetName {
  const fields = new UpstreamFields(block, 'block to fork at');
  const hasBaseFee = fields.optionalQuantity('baseFeePerGas', null) !== null;
  return hasBaseFee && !NETWORK_CHAIN_IDS.has(chainId) ? 'prague' : 'rootstock';
}

function headerOf(fields: UpstreamFields, ruleSet: RuleSet): BlockHeader {
  const hash = (name: string): Uint8Array => fields.optionalFixed(name, 32, NO_HASH);
  const baseFeePerGas = ruleSet.hasBaseFee
    ? fields.optionalQuantity('baseFeePerGas', INITIAL_BASE_FEE)
    : null;
  return {
    parentHash: hash('parentHash'),
    unclesHash: hash('sha3Uncles'),
    coinbase: fields.optionalFixed('miner', 20, new Uint8Array(20)),
    stateRoot: hash('stateRoot'),
    transactionsRoot: hash('transactionsRoot'),
    receiptsRoot: hash('receiptsRoot'),
    logsBloom: fields.optionalFixed('logsBloom', BLOOM_SIZE, new Uint8Array(BLOOM_SIZE)),
    difficulty: fields.optionalQuantity('difficulty', 0n),
    number: fields.number('number'),
    gasLimit: fields.quantity('gasLimit'),
    gasUsed: fields.optionalQuantity('gasUsed', 0n),
    timestamp: fields.number('timestamp'),
    extraData: fields.data('extraData'),
    paidFees: fields.optionalQuantity('paidFees', 0n),
    minimumGasPrice: fields.optionalQuantity('minimumGasPrice', 0n),
    uncleCount: uncleCount(fields.raw('uncles')),
    mergedMining: {
      header: fields.data('bitcoinMergedMiningHeader'),
      coinbaseTransaction: fields.data('bitcoinMergedMiningCoinbaseTransaction'),
      merkleProof: fields.data('bitcoinMergedMiningMerkleProof'),
    },
    ethereum: ethereumFields(ruleSet, { baseFeePerGas, mixHash: hash('mixHash') }),
  };
}

function uncleCount(uncles: unknown): number {
  return Array.isArray(uncles) ? uncles.length : 0;
}

/**
 * A block of the upstream as the ground of local ones: number, hash, time and limits are what they are there; its
 * transactions stay there, and fields that it does not have are zero. Throws a `ForkPointError` for what is no block.
 */
export function blockOfUpstream(block: unknown, ruleSet: RuleSet): Block {
  const fields = new UpstreamFields(block, 'block to fork at');
  const header = headerOf(fields, ruleSet);
  return {
    header,
    hash: fields.fixed('hash', 32),
    transactions: [],
    receipts: [],
    uncles: [],
    totalDifficulty: fields.optionalQuantity('totalDifficulty', header.difficulty),
    size: Number(fields.optionalQuantity('size', 0n)),
  };
}

/** The hash of a block of the upstream as 32 bytes; `undefined` for what is no block. */
export function hashOfUpstream(hash: unknown): Uint8Array | undefined {
  const bytes = tolerantData(hash);
  return bytes === undefined || bytes.length > 32 ? undefined : padLeft(bytes, 32);
}
