/** The functions of BlockHeader that take a depth and return bytes. */
export const BLOCK_HEADER_GETTERS: readonly string[] = [
  'getCoinbaseAddress',
  'getBlockHash',
  'getMergedMiningTags',
  'getMinGasPrice',
  'getGasLimit',
  'getGasUsed',
  'getDifficulty',
  'getBitcoinHeader',
  'getDifficultyWithUncles',
  'getCumulativeWork',
];
