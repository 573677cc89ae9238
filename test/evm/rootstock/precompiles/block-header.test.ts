import { describe, expect, it } from 'vitest';
import { bigIntToFixedBytes, concatBytes } from '../../../../src/primitives/bytes.ts';
import { toHex } from '../../../../src/primitives/hex.ts';
import type { Block, BlockHeader } from '../../../../src/protocol/block.ts';
import { addressOf, type Scene } from '../../../reference/scene.ts';
import { emptyGenesis } from '../../../support/empty-genesis.ts';
import { ENGINES } from '../engines.ts';
import { setRootstockScene } from '../rootstock-scene.ts';
import { answerOfNative, callFromContract, nativeData, priceOfNative } from './precompile-scene.ts';

const GENESIS = emptyGenesis();
const TAG = new TextEncoder().encode('RSKBLOCK:');
const OTHER_TAGS = new TextEncoder().encode('ALTBLOCK:abc');
const COMMITMENT = new Uint8Array(32).fill(7);
/** A tail with an older commitment, the valid commitment, and other tags after it. */
const COINBASE_TAIL = concatBytes(Uint8Array.of(1, 2), TAG, new Uint8Array(32), TAG, COMMITMENT, OTHER_TAGS);
const PARENT_CHAIN_HEADER = new Uint8Array(80).fill(0x51);
const NUMBER = 5_000;

function headerOf(number: number, fields: Partial<BlockHeader> = {}): BlockHeader {
  return {
    ...GENESIS.header,
    number,
    coinbase: addressOf(number),
    gasLimit: 9_990_235n,
    gasUsed: 42_000n,
    difficulty: 0x80n,
    minimumGasPrice: 500n,
    mergedMining: {
      header: PARENT_CHAIN_HEADER,
      coinbaseTransaction: COINBASE_TAIL,
      merkleProof: new Uint8Array(0),
    },
    ...fields,
  };
}

/** The chain below the block. The parent has two uncles. */
function ancestor(number: number): Block | undefined {
  if (number === 0) return GENESIS;
  const uncles = [addressOf(1), addressOf(2)].map((coinbase) =>
    headerOf(number - 1, { coinbase, difficulty: 3n }),
  );
  return {
    ...GENESIS,
    header: headerOf(number),
    hash: bigIntToFixedBytes(BigInt(number), 32),
    uncles: number === NUMBER - 1 ? uncles : [],
    totalDifficulty: 1_000n + BigInt(number),
  };
}

describe.each(ENGINES)('BlockHeader on the $engine engine', (tested) => {
  const scene = (number = NUMBER, answers: typeof ancestor = ancestor): Promise<Scene> =>
    setRootstockScene(tested, { environment: { number, ancestor: answers } });
  const ask = async (name: string, ...values: readonly unknown[]): Promise<unknown> =>
    answerOfNative(await scene(), 'BLOCK_HEADER', name, values);

  it.each([
    ['getCoinbaseAddress', toHex(addressOf(NUMBER - 1))],
    ['getBlockHash', toHex(bigIntToFixedBytes(BigInt(NUMBER - 1), 32))],
    ['getMergedMiningTags', toHex(OTHER_TAGS)],
    ['getMinGasPrice', '0x01f4'],
    // As in the header: a leading zero byte in place of a sign bit.
    ['getGasLimit', '0x0098705b'],
    ['getGasUsed', '0x00a410'],
    ['getDifficulty', '0x0080'],
    ['getBitcoinHeader', toHex(PARENT_CHAIN_HEADER)],
    ['getDifficultyWithUncles', '0x0086'],
    ['getCumulativeWork', '0x176f'],
  ])('%s returns the value of the parent at depth 0', async (name, expected) => {
    expect(await ask(name, 0)).toBe(expected);
  });

  it('higher depths return earlier blocks, up to depth 3999', async () => {
    expect(await ask('getBlockHash', 1)).toBe(toHex(bigIntToFixedBytes(BigInt(NUMBER - 2), 32)));
    expect(await ask('getBlockHash', 3_999)).toBe(toHex(bigIntToFixedBytes(BigInt(NUMBER - 4_000), 32)));
    expect(await ask('getDifficultyWithUncles', 1)).toBe('0x0080');
  });

  it('depths above 3999 and blocks before genesis return empty bytes', async () => {
    expect(await ask('getBlockHash', 4_000)).toBe('0x');
    expect(await ask('getBlockHash', 32_767)).toBe('0x');
    const young = await scene(3);
    expect(await answerOfNative(young, 'BLOCK_HEADER', 'getBlockHash', [2])).toBe(toHex(GENESIS.hash));
    expect(await answerOfNative(young, 'BLOCK_HEADER', 'getBlockHash', [3])).toBe('0x');
    const first = await scene(0);
    expect(await answerOfNative(first, 'BLOCK_HEADER', 'getBlockHash', [0])).toBe('0x');
    const alone = await scene(NUMBER, () => undefined);
    expect(await answerOfNative(alone, 'BLOCK_HEADER', 'getBlockHash', [0])).toBe('0x');
  });

  it('a negative depth fails, but a depth beyond 16 bits returns empty bytes', async () => {
    expect(await ask('getBlockHash', -1)).toBeNull();
    expect(await ask('getBlockHash', -32_768)).toBeNull();
    expect(await ask('getBlockHash', -32_769)).toBe('0x');
    expect(await ask('getBlockHash', 32_768)).toBe('0x');
    expect(await ask('getBlockHash', 2n ** 255n - 1n)).toBe('0x');
  });

  it('getBlockHash without arguments uses depth 0', async () => {
    const { output } = await callFromContract(
      await scene(),
      'BLOCK_HEADER',
      nativeData('getBlockHash', [0]).subarray(0, 4),
    );
    expect(output.subarray(64)).toEqual(bigIntToFixedBytes(BigInt(NUMBER - 1), 32));
  });

  it('empty bytes are encoded as length 0 and a zero word', async () => {
    const { output } = await callFromContract(
      await scene(),
      'BLOCK_HEADER',
      nativeData('getBlockHash', [4_000]),
    );
    expect(toHex(output)).toBe(`0x${'20'.padStart(64, '0')}${'0'.repeat(128)}`);
  });

  it('the genesis block has the values of the genesis file', async () => {
    const young = await scene(1);
    const of = (name: string): Promise<unknown> => answerOfNative(young, 'BLOCK_HEADER', name, [0]);
    expect(await of('getGasLimit')).toBe('0x989680');
    expect(await of('getGasUsed')).toBe('0x00');
    expect(await of('getMinGasPrice')).toBe('0x00');
    expect(await of('getMergedMiningTags')).toBe('0x');
    expect(await of('getBitcoinHeader')).toBe(toHex(GENESIS.header.mergedMining.header));
  });

  describe('getMergedMiningTags', () => {
    const tagsOf = async (coinbaseTransaction: Uint8Array): Promise<unknown> => {
      const mergedMining = { ...GENESIS.header.mergedMining, coinbaseTransaction };
      const block = { ...GENESIS, header: headerOf(NUMBER - 1, { mergedMining }) };
      const prepared = await scene(NUMBER, () => block);
      return answerOfNative(prepared, 'BLOCK_HEADER', 'getMergedMiningTags', [0]);
    };

    it('getMergedMiningTags returns empty bytes without a commitment or without tags after it', async () => {
      expect(await tagsOf(concatBytes(TAG, COMMITMENT))).toBe('0x');
      expect(await tagsOf(new Uint8Array(0))).toBe('0x');
      expect(await tagsOf(OTHER_TAGS)).toBe('0x');
    });

    it('getMergedMiningTags fails if the coinbase transaction ends within the commitment', async () => {
      expect(await tagsOf(concatBytes(TAG, COMMITMENT.subarray(1)))).toBeNull();
    });
  });

  describe('getUncleCoinbaseAddress', () => {
    it('getUncleCoinbaseAddress returns the coinbase of each uncle, else empty bytes', async () => {
      expect(await ask('getUncleCoinbaseAddress', 0, 0)).toBe(toHex(addressOf(1)));
      expect(await ask('getUncleCoinbaseAddress', 0, 1)).toBe(toHex(addressOf(2)));
      expect(await ask('getUncleCoinbaseAddress', 0, 2)).toBe('0x');
      expect(await ask('getUncleCoinbaseAddress', 1, 0)).toBe('0x');
      expect(await ask('getUncleCoinbaseAddress', 0, 40_000)).toBe('0x');
    });

    it('getUncleCoinbaseAddress fails for a negative index of an existing block', async () => {
      expect(await ask('getUncleCoinbaseAddress', 0, -1)).toBeNull();
      expect(await ask('getUncleCoinbaseAddress', 0, -40_000)).toBe('0x');
      expect(await ask('getUncleCoinbaseAddress', 4_000, -1)).toBe('0x');
    });
  });

  it('a call costs 4000, and 2 for each byte of the data', async () => {
    const prepared = await scene();
    expect(await priceOfNative(prepared, 'BLOCK_HEADER', nativeData('getBlockHash', [0]))).toBe(4_072n);
    const uncle = nativeData('getUncleCoinbaseAddress', [0, 0]);
    expect(await priceOfNative(prepared, 'BLOCK_HEADER', uncle)).toBe(4_136n);
    expect(await priceOfNative(prepared, 'BLOCK_HEADER', nativeData('getBlockHash', [-1]))).toBe(4_072n);
  });
});
