import {
  type PrecompileContext,
  type PrecompiledFunction,
  PrecompileError,
} from '../evm/precompiles/precompiled-contract.ts';
import { bigIntToBytes, bigIntToSignedBytes, EMPTY_BYTES } from '../primitives/bytes.ts';
import type { Block } from '../protocol/block.ts';
import type { RootstockPrecompileGas } from '../protocol/hardforks/precompiles.ts';
import { COMMITMENT_TAG, lastTag } from '../protocol/merged-mining/proof-of-work.ts';
import { type PrecompileMethod, precompileMethod, rootstockPrecompile } from './rootstock-precompile.ts';

/** Blocks at this depth below the parent, or deeper, are not accessible. */
const DEPTH_BOUND = 4_000;
/** Values beyond 16 bits are out of range. Negative values within 16 bits are an error. */
const HIGHEST_SHORT = 2n ** 15n - 1n;
const LOWEST_SHORT = -(2n ** 15n);
const HASH_SIZE = 32;

/** Returns `undefined` if the number is out of range. Throws `PrecompileError` if it is negative. */
function shortOf(value: bigint, name: string): number | undefined {
  if (value < LOWEST_SHORT || value > HIGHEST_SHORT) return undefined;
  if (value < 0n) throw new PrecompileError(`the ${name} is negative`);
  return Number(value);
}

/** Returns the block `depth` blocks before the parent of the executing block. */
function blockAt(depth: bigint, { environment }: PrecompileContext): Block | undefined {
  const distance = shortOf(depth, 'block depth');
  if (distance === undefined || distance >= DEPTH_BOUND) return undefined;
  const number = environment.number - 1 - distance;
  return number < 0 ? undefined : environment.ancestor(number);
}

/** Returns the bytes after the RSKBLOCK hash in the coinbase transaction: the tags of other chains. */
function miningTags({ header }: Block): Uint8Array {
  const { coinbaseTransaction } = header.mergedMining;
  const tag = lastTag(coinbaseTransaction);
  if (tag === -1) return EMPTY_BYTES;
  const start = tag + COMMITMENT_TAG.length + HASH_SIZE;
  if (start > coinbaseTransaction.length)
    throw new PrecompileError("the parent chain's coinbase transaction ends inside its RSKBLOCK: tag");
  return coinbaseTransaction.subarray(start);
}

/** Returns the gas limit as encoded in the header. The genesis file has an unsigned encoding. */
function gasLimit({ header }: Block): Uint8Array {
  return header.number === 0 ? bigIntToBytes(header.gasLimit) : bigIntToSignedBytes(header.gasLimit);
}

function difficultyWithUncles({ header, uncles }: Block): Uint8Array {
  return bigIntToSignedBytes(uncles.reduce((sum, { difficulty }) => sum + difficulty, header.difficulty));
}

/** The getters, each with the block field that it returns. */
const GETTERS: readonly (readonly [name: string, answer: (block: Block) => Uint8Array])[] = [
  ['getCoinbaseAddress', ({ header }) => header.coinbase],
  ['getBlockHash', ({ hash }) => hash],
  ['getMergedMiningTags', miningTags],
  ['getMinGasPrice', ({ header }) => bigIntToSignedBytes(header.minimumGasPrice)],
  ['getGasLimit', gasLimit],
  ['getGasUsed', ({ header }) => bigIntToSignedBytes(header.gasUsed)],
  ['getDifficulty', ({ header }) => bigIntToSignedBytes(header.difficulty)],
  ['getBitcoinHeader', ({ header }) => header.mergedMining.header],
  ['getDifficultyWithUncles', difficultyWithUncles],
  ['getCumulativeWork', ({ totalDifficulty }) => bigIntToSignedBytes(totalDifficulty)],
];

function getters(gas: (values: readonly bigint[], input: Uint8Array) => number): PrecompileMethod[] {
  return GETTERS.map(([name, answer]) =>
    precompileMethod({
      name,
      inputs: ['int256'],
      output: 'bytes',
      gas,
      run([depth], context) {
        const block = blockAt(depth, context);
        return block === undefined ? EMPTY_BYTES : answer(block);
      },
    }),
  );
}

/**
 * Creates the precompile BlockHeader (RSKIP-119, RSKIP-536): header fields of the last 4,000 blocks. Depth 0
 * is the parent of the executing block. Missing data is empty. A negative depth or index fails.
 */
export function blockHeaderContract(price: RootstockPrecompileGas['blockHeader']): PrecompiledFunction {
  const gas = (_: readonly bigint[], input: Uint8Array): number => price.base + price.byte * input.length;
  return rootstockPrecompile(() => [
    ...getters(gas),
    precompileMethod({
      name: 'getUncleCoinbaseAddress',
      inputs: ['int256', 'int256'],
      output: 'bytes',
      gas,
      run([depth, uncle], context) {
        const block = blockAt(depth, context);
        if (block === undefined) return EMPTY_BYTES;
        const index = shortOf(uncle, 'uncle index');
        return index === undefined ? EMPTY_BYTES : (block.uncles[index]?.coinbase ?? EMPTY_BYTES);
      },
    }),
  ]);
}
