import {
  changeSettings,
  setMinimumGasPrice,
  setNextBaseFee,
  setNextBeaconRoot,
  setNextPrevRandao,
  setTimestampInterval,
} from '../../../chain/mining-controls.ts';
import { address, quantity, seconds, word32 } from '../../codecs/hex-values.ts';
import { blockCount, blockTimeOf, intervalAmount } from '../../codecs/settings.ts';
import { defineMethod, type Method, optional, param, SAME } from '../../method.ts';
import { clientCheck } from '../../request-check.ts';
import { NULL, TRUE } from '../../result-shapes.ts';
import { blockTimeInSeconds, INTERVAL_JSON_SCHEMA } from '../../views/node-info.ts';

const SECOND = 1;

/** In wei per gas. The headers of the next blocks contain it. */
const anvil_setMinGasPrice = defineMethod({
  name: 'anvil_setMinGasPrice',
  aliases: { hardhat_setMinGasPrice: TRUE, ganache_setMinGasPrice: TRUE },
  summary: 'Sets the minimum gas price',
  differs: {
    anvil_setMinGasPrice: 'Also allowed under hardforks with a base fee',
    hardhat_setMinGasPrice: 'Also allowed under hardforks with a base fee',
  },
  params: [param('price', quantity)],
  result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  handler: ({ node: { chain } }, minimumGasPrice) => chain.change(setMinimumGasPrice(minimumGasPrice)),
});

export const ANVIL_MINING: readonly Method[] = [
  /**
   * Mines blocks. An interval permanently moves the clock before each block, including the first. Long runs
   * of empty blocks are reserved (see `hardhat_mine`).
   */
  defineMethod({
    name: 'anvil_mine',
    summary: 'Mines blocks immediately',
    params: [optional('blocks', blockCount, 1), optional('interval', seconds, null)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: async ({ node: { chain }, connection, call }, count, seconds) => {
      const options = { count, requireClient: clientCheck(connection) };
      await chain.mineBulk(
        seconds === null ? options : { ...options, interval: { seconds, movesFirst: true } },
        call,
      );
    },
  }),
  defineMethod({
    name: 'anvil_getAutomine',
    aliases: { hardhat_getAutomine: SAME, ganache_getAutomine: SAME },
    summary: 'Whether automine is on',
    priority: 'high',
    result: { description: 'true if automine is on', schema: { type: 'boolean' } },
    handler: ({ node: { chain } }) => chain.miner.automine,
  }),
  /** Returns seconds, or bounds in milliseconds if each interval is random. */
  defineMethod({
    name: 'anvil_getIntervalMining',
    summary: 'The block interval in seconds (interval mining)',
    priority: 'high',
    result: {
      description: 'The interval, or `null` if interval mining is off',
      schema: INTERVAL_JSON_SCHEMA,
    },
    handler: ({ node: { chain } }) => blockTimeInSeconds(chain.miner.blockTime),
  }),
  /**
   * Sets the seconds between blocks, or bounds in milliseconds for random intervals. 0 stops interval mining.
   * Automining is unchanged, except in compat mode `anvil`, which switches it off.
   */
  defineMethod({
    name: 'anvil_setIntervalMining',
    aliases: { ganache_setIntervalMining: TRUE },
    summary: 'Sets the block interval in seconds (interval mining)',
    params: [param('interval', intervalAmount)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain }, settings }, interval) =>
      settings.compat.mining.setBlockTime(chain, blockTimeOf(interval, SECOND)),
  }),
  defineMethod({
    name: 'anvil_getGenesisTime',
    summary: 'The timestamp of the genesis block',
    result: { description: 'Seconds since 1970', schema: { type: 'integer' } },
    handler: ({ node: { chain } }) => chain.blocks.firstTimestamp,
  }),
  /** Independent of the chain's clock. Before any block, it is the time of the chain's start. */
  defineMethod({
    name: 'anvil_getLastBlockWallTime',
    summary: 'The wall-clock time of the newest block',
    result: { description: 'Milliseconds since 1970', schema: { type: 'integer' } },
    handler: ({ node: { chain } }) => chain.lastBlockTime.milliseconds,
  }),
  /** Independent of the clock; the minimum is one second. */
  defineMethod({
    name: 'anvil_setBlockTimestampInterval',
    aliases: { ganache_setBlockTimestampInterval: TRUE },
    summary: 'Sets the timestamp difference between blocks, in seconds',
    params: [param('interval', seconds)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain } }, interval) => chain.change(setTimestampInterval(interval)),
  }),
  defineMethod({
    name: 'anvil_removeBlockTimestampInterval',
    aliases: { hardhat_removeBlockTimestampInterval: SAME, ganache_removeBlockTimestampInterval: SAME },
    summary: 'Removes the fixed timestamp difference between blocks',
    result: { description: 'true if a difference was set', schema: { type: 'boolean' } },
    handler: async ({ node: { chain } }) => {
      const wasSet = chain.timestampInterval !== null;
      await chain.change(setTimestampInterval(null));
      return wasSet;
    },
  }),
  defineMethod({
    name: 'anvil_setCoinbase',
    aliases: { hardhat_setCoinbase: TRUE, ganache_setCoinbase: TRUE, miner_setEtherbase: TRUE },
    summary: 'Sets the fee recipient (coinbase) of the next blocks',
    params: [param('address', address)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain } }, coinbase) => chain.change(changeSettings({ coinbase })),
  }),
  anvil_setMinGasPrice,
  /** Applies to one block, in wei per gas. Rejects without a base fee; use the minimum gas price then. */
  defineMethod({
    name: 'anvil_setNextBlockBaseFeePerGas',
    aliases: { hardhat_setNextBlockBaseFeePerGas: TRUE, ganache_setNextBlockBaseFeePerGas: TRUE },
    summary: 'Sets the base fee of the next block',
    differs: "Returns an error under Rootstock's rules, which have no base fee",
    params: [param('baseFee', quantity)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain } }, baseFee) => chain.change(setNextBaseFee(baseFee)),
  }),
  /** Later values derive from that block. Rejects under hardforks before proof of stake. */
  defineMethod({
    name: 'anvil_setNextBlockPrevRandao',
    aliases: { anvil_setPrevRandao: NULL, hardhat_setPrevRandao: TRUE },
    summary: 'Sets PREVRANDAO of the next block',
    differs: "Returns an error under Rootstock's rules, which have no PREVRANDAO",
    params: [param('prevRandao', word32)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain } }, prevRandao) => chain.change(setNextPrevRandao(prevRandao)),
  }),
  /** Applies to one block (EIP-4788); other blocks have zeros. Rejects under hardforks without it. */
  defineMethod({
    name: 'anvil_setNextBlockParentBeaconBlockRoot',
    summary: 'Sets the parent beacon block root of the next block',
    differs: "Returns an error under Rootstock's rules, which have no beacon chain",
    params: [param('root', word32)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain } }, root) => chain.change(setNextBeaconRoot(root)),
  }),
];
