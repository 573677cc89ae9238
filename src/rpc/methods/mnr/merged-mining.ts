import type { SubmittedBlock } from '../../../chain/mining/mining-work.ts';
import { hexKey, toHex, toQuantity } from '../../../primitives/hex.ts';
import { EmptyMerkleHashesError } from '../../../protocol/errors.ts';
import {
  proofOfBlock,
  proofOfPartialTree,
  proofOfTransactions,
} from '../../../protocol/merged-mining/parent-chain-block.ts';
import { workTarget } from '../../../protocol/merged-mining/proof-of-work.ts';
import type { JsonSchema } from '../../../wire/values.ts';
import { data, hash32, QUANTITY_JSON_SCHEMA } from '../../codecs/hex-values.ts';
import {
  bitcoinBlock,
  bitcoinCoinbase,
  bitcoinHeader,
  hashList,
  ignoredHash,
  transactionCount,
} from '../../codecs/work.ts';
import { defineMethod, type Method, param } from '../../method.ts';

/** The result of a submitted block. The import result is a name, as hex of its characters. */
const SUBMITTED_BLOCK_JSON_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    blockImportedResult: data.jsonSchema,
    blockHash: hash32.jsonSchema,
    blockIncludedHeight: QUANTITY_JSON_SCHEMA,
  },
  required: ['blockImportedResult', 'blockHash', 'blockIncludedHeight'],
};

/** Returns a submitted block as JSON. */
function submittedBlockView({ result, hash, number }: SubmittedBlock): Readonly<Record<string, string>> {
  return {
    blockImportedResult: toHex(new TextEncoder().encode(result)),
    blockHash: toHex(hash),
    blockIncludedHeight: toQuantity(number),
  };
}

/** Returns hashes in the byte order of the Merkle tree as text. */
function textHashes(hashes: readonly Uint8Array[]): string[] {
  return hashes.map((hash) => hexKey(hash.toReversed()));
}

export const MNR_MERGED_MINING: readonly Method[] = [
  /**
   * Returns the work for the pending block, for a miner of the parent chain. The target is 2^256 /
   * max(difficulty, 3), as on Rootstock. Rejects with -33000 under Ethereum rules, because Ethereum blocks
   * have no parent chain.
   */
  defineMethod({
    name: 'mnr_getWork',
    summary: 'The merged-mining work for the next block',
    result: {
      description:
        'The hash for merged mining, the target, the fees in wei (decimal), and whether older work is outdated',
      schema: {
        type: 'object',
        properties: {
          blockHashForMergedMining: hash32.jsonSchema,
          target: hash32.jsonSchema,
          feesPaidToMiner: { type: 'string', pattern: '^[0-9]+$' },
          notify: { type: 'boolean' },
          parentBlockHash: hash32.jsonSchema,
        },
        required: ['blockHashForMergedMining', 'target', 'feesPaidToMiner', 'notify', 'parentBlockHash'],
      },
    },
    handler: async ({ node: { chain } }) => {
      const work = await chain.work.offer();
      return {
        blockHashForMergedMining: toHex(work.hashForMergedMining),
        target: toHex(workTarget(work.difficulty)),
        feesPaidToMiner: work.feesPaidToMiner.toString(),
        notify: work.isWorthRestart,
        parentBlockHash: toHex(work.parentHash),
      };
    },
  }),
  /**
   * Submits a solved parent-chain block of a merged miner. Its coinbase transaction commits to the block of
   * this chain. Rejects with -33000 if that block is not one of the last twenty works, or if the proof of
   * work is invalid.
   */
  defineMethod({
    name: 'mnr_submitBitcoinBlock',
    summary: 'Submits a complete parent-chain block',
    params: [param('block', bitcoinBlock)],
    result: { description: 'The result of the submission', schema: SUBMITTED_BLOCK_JSON_SCHEMA },
    handler: async ({ node: { chain }, call }, { bytes, block, commitment }) =>
      submittedBlockView(await chain.work.submit(commitment, () => proofOfBlock(block), call, bytes)),
  }),
  /**
   * Submits a solved parent-chain block as header, coinbase transaction and partial Merkle tree. The hashes
   * are the coinbase transaction's hash and its siblings in the Merkle tree, lowest first. Their byte order
   * is the order of hashing; block explorers reverse it. Rejects as mnr_submitBitcoinBlock does.
   */
  defineMethod({
    name: 'mnr_submitBitcoinBlockPartialMerkle',
    summary: 'Submits a parent-chain block with a partial Merkle tree',
    params: [
      param('blockHash', ignoredHash),
      param('blockHeader', bitcoinHeader),
      param('coinbase', bitcoinCoinbase),
      param('merkleHashes', hashList),
      param('transactionCount', transactionCount),
    ],
    result: { description: 'The result of the submission', schema: SUBMITTED_BLOCK_JSON_SCHEMA },
    handler: async (
      { node: { chain }, call },
      _blockHash,
      header,
      { bytes: coinbase, transaction, commitment },
      hashes,
      count,
    ) => {
      if (hashes.length === 0) throw new EmptyMerkleHashesError();
      const prove = () => proofOfPartialTree({ header, coinbase: transaction }, hashes, count);
      // The other transactions of the block are unknown.
      const block = count === 1 ? { header, coinbase, hashes: textHashes(hashes) } : null;
      return submittedBlockView(await chain.work.submit(commitment, prove, call, block));
    },
  }),
  /**
   * Submits a solved parent-chain block as header, coinbase transaction and all transaction hashes. The
   * coinbase transaction's hash is first; the byte order is the order of block explorers. Rejects as
   * mnr_submitBitcoinBlock does.
   */
  defineMethod({
    name: 'mnr_submitBitcoinBlockTransactions',
    summary: 'Submits a parent-chain block with its transaction hashes',
    params: [
      param('blockHash', ignoredHash),
      param('blockHeader', bitcoinHeader),
      param('coinbase', bitcoinCoinbase),
      param('transactionHashes', hashList),
    ],
    result: { description: 'The result of the submission', schema: SUBMITTED_BLOCK_JSON_SCHEMA },
    handler: async (
      { node: { chain }, call },
      _blockHash,
      header,
      { bytes: coinbase, transaction, commitment },
      hashes,
    ) => {
      const hashed = hashes.map((hash) => hash.toReversed());
      const prove = () => proofOfTransactions({ header, coinbase: transaction }, hashed);
      const block = { header, coinbase, hashes: hashes.map(hexKey) };
      return submittedBlockView(await chain.work.submit(commitment, prove, call, block));
    },
  }),
];
