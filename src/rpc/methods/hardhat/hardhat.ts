import { TransactionMinedError } from '../../../chain/errors.ts';
import { setMining, setTimestampInterval } from '../../../chain/mining-controls.ts';
import { jsonObject, text } from '../../codecs/basic.ts';
import { address, hash32, seconds } from '../../codecs/hex-values.ts';
import {
  blockCount,
  blockTimeOf,
  intervalAmount,
  wholeSecondsInMilliseconds,
} from '../../codecs/settings.ts';
import { defineMethod, type Method, optional, param, SAME } from '../../method.ts';
import { clientCheck } from '../../request-check.ts';
import { NULL, TRUE } from '../../result-shapes.ts';
import { addUserArtifacts } from '../../user-artifacts.ts';
import { blockTimeInMilliseconds, hardhatMetadataView, INTERVAL_JSON_SCHEMA } from '../../views/node-info.ts';

const DEFAULT_INTERVAL = 1;

const MILLISECOND = 0.001;

const hardhat_dropTransaction = defineMethod({
  name: 'hardhat_dropTransaction',
  aliases: { ganache_dropTransaction: SAME },
  summary: 'Removes a pending transaction; returns an error if the transaction is already mined',
  differs: {
    hardhat_dropTransaction:
      "If the transaction is already mined, returns error -32000 with Hardhat's message",
  },
  params: [param('transactionHash', hash32)],
  fork: { kind: 'own', because: 'the pool is local to this node' },
  result: { description: 'true if the transaction was pending', schema: { type: 'boolean' } },
  handler: async ({ node: { chain } }, hash) => {
    if (chain.transaction(hash) !== undefined) throw new TransactionMinedError(hash);
    return chain.dropTransaction(hash);
  },
});

export const HARDHAT: readonly Method[] = [
  /**
   * Mines blocks. The first follows the clock, or the timestamp set for it; later ones are an interval apart,
   * and the clock continues from the last. The first blocks contain the pool's transactions. If the pool is
   * empty and 128 or more blocks remain, all but the last are reserved: each is created on its first read.
   * Their hashes are not the Keccak hashes of their headers, and filters and subscribers do not receive them.
   */
  defineMethod({
    name: 'hardhat_mine',
    summary: 'Mines blocks immediately, `interval` seconds apart (default 1)',
    params: [optional('blocks', blockCount, 1), optional('interval', seconds, null)],
    result: { description: 'True', schema: { const: true } },
    shape: TRUE,
    handler: async ({ node: { chain }, connection, call }, count, interval) => {
      const distance = interval ?? (chain.timestampInterval === null ? DEFAULT_INTERVAL : 0);
      const options = { count, interval: { seconds: distance, movesFirst: false } };
      await chain.mineBulk({ ...options, requireClient: clientCheck(connection) }, call);
    },
  }),
  defineMethod({
    name: 'hardhat_getIntervalMining',
    summary: 'The block interval in milliseconds (interval mining)',
    differs: 'Not in Hardhat',
    priority: 'high',
    result: {
      description: 'The interval, or `null` if interval mining is off',
      schema: INTERVAL_JSON_SCHEMA,
    },
    handler: ({ node: { chain } }) => blockTimeInMilliseconds(chain.miner.blockTime),
  }),
  /**
   * Bounds for random intervals are also in milliseconds. 0 stops interval mining; automining is unchanged.
   */
  defineMethod({
    name: 'hardhat_setIntervalMining',
    summary: 'Sets the block interval in milliseconds (interval mining)',
    differs: 'Not in Hardhat; Hardhat provides `evm_setIntervalMining`',
    params: [param('interval', intervalAmount)],
    result: { description: 'True', schema: { const: true } },
    shape: TRUE,
    handler: ({ node: { chain } }, interval) =>
      chain.change(setMining({ blockTime: blockTimeOf(interval, MILLISECOND) })),
  }),
  /** In milliseconds, as in other hardhat_* methods; must be whole seconds. */
  defineMethod({
    name: 'hardhat_setBlockTimestampInterval',
    summary: 'Sets the timestamp difference between blocks, in milliseconds',
    differs: 'Not in Hardhat, but viem sends this method in its mode `hardhat`',
    params: [param('interval', wholeSecondsInMilliseconds)],
    result: { description: 'True', schema: { const: true } },
    shape: TRUE,
    handler: ({ node: { chain } }, interval) => chain.change(setTimestampInterval(interval)),
  }),
  /**
   * Adds the contracts of a solc run, for decoded calls and stack traces in logs, errors and inspections.
   * They replace contracts of the same file and name.
   */
  defineMethod({
    name: 'hardhat_addCompilationResult',
    summary: 'Adds contracts from compiler input and output, for decoding and stack traces',
    params: [param('solcVersion', text), param('input', jsonObject), param('output', jsonObject)],
    result: { description: 'true if the output contains contracts', schema: { type: 'boolean' } },
    handler: async ({ node: { inspector } }, version, input, output) =>
      (await addUserArtifacts(inspector, input, output, version)) > 0,
  }),
  hardhat_dropTransaction,
  defineMethod({
    name: 'hardhat_getStackTraceFailuresCount',
    summary: 'The number of stack traces that could not be created; always 0',
    differs: 'Always 0',
    result: { description: 'Always 0', schema: { const: 0 } },
    handler: () => 0,
  }),
  /** A reset changes the instance id. */
  defineMethod({
    name: 'hardhat_metadata',
    summary: 'The node version and the chain instance id',
    differs:
      '`clientVersion` is `node-cli/…`. Without a fork, `forkedNetwork` is null (with `--compat hardhat`, absent); hardhat-viem distinguishes Hardhat from Anvil by this field',
    priority: 'high',
    result: { description: "The node's metadata", schema: { type: 'object' } },
    handler: ({ node: { chain, fork }, settings }) => hardhatMetadataView(chain, fork.current, settings),
  }),
  defineMethod({
    name: 'hardhat_stopImpersonatingAccount',
    aliases: { anvil_stopImpersonatingAccount: NULL, ganache_stopImpersonatingAccount: SAME },
    summary: 'Stops impersonating an account',
    params: [param('address', address)],
    result: { description: 'true if the account was impersonated', schema: { type: 'boolean' } },
    handler: ({ node: { chain } }, account) => chain.impersonation.remove(account),
  }),
];
