/** The functions of the block header contract that take a depth and answer bytes. */
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
