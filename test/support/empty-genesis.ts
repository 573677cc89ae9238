import type { Block } from '../../src/protocol/block.ts';
import { createGenesis } from '../../src/protocol/genesis.ts';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';

/** A genesis block of Rootstock without accounts, with timestamp 0. */
export function emptyGenesis(gasLimit = 10_000_000n): Block {
  return createGenesis({
    ruleSet: ruleSetNamed('rootstock'),
    timestamp: 0,
    gasLimit,
    minimumGasPrice: 0n,
    allocation: [],
  }).block;
}
