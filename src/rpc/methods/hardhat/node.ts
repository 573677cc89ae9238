import { TransactionMinedError } from '../../../chain/errors.ts';
import { jsonObject, text } from '../../codecs/basic.ts';
import { address, hash32 } from '../../codecs/data.ts';
import { defineMethod, type Method, param, SAME } from '../../method.ts';
import { NULL } from '../../result-shapes.ts';
import { hardhatMetadataView } from '../../views/node-info.ts';

/** Takes a transaction out of the pool; false when it was not there. One that is mined already is an error. */
const hardhat_dropTransaction = defineMethod({
  name: 'hardhat_dropTransaction',
  aliases: { ganache_dropTransaction: SAME },
  summary: 'Takes a transaction out of the pool; one that is mined is an error',
  differs: {
    hardhat_dropTransaction: "Error -32000 for one that is mined, in Hardhat's words",
  },
  params: [param('transactionHash', hash32)],
  fork: { kind: 'own', because: 'the pool is that of this node' },
  result: { description: 'True when it was in the pool', schema: { type: 'boolean' } },
  handler: async ({ chain }, hash) => {
    if (chain.transaction(hash) !== undefined) throw new TransactionMinedError(hash);
    return chain.change(({ pool }) => pool.remove(hash));
  },
});

export const HARDHAT_NODE: readonly Method[] = [
  /**
   * Adds the contracts of a run of solc, by which logs, errors and inspections decode calls and make stack traces. Contracts of
   * the same file and name that were given before are replaced.
   */
  defineMethod({
    name: 'hardhat_addCompilationResult',
    summary: 'Adds contracts by the input and output of their compiler, for decoding and stack traces',
    params: [param('solcVersion', text), param('input', jsonObject), param('output', jsonObject)],
    result: { description: 'True when there were contracts in it', schema: { type: 'boolean' } },
    handler: async ({ inspector }, version, input, output) => {
      const artifacts = await inspector.artifacts.load();
      return (await artifacts.addCompilation(input, output, version)) > 0;
    },
  }),
  hardhat_dropTransaction,
  /** The number of Solidity stack traces that could not be made: none, as the node makes none. */
  defineMethod({
    name: 'hardhat_getStackTraceFailuresCount',
    summary: 'The number of stack traces that could not be made',
    differs: 'Always 0',
    params: [],
    result: { description: 'Always 0', schema: { const: 0 } },
    handler: () => 0,
  }),
  /** The node and the life of its chain: the instance id is new after a reset. */
  defineMethod({
    name: 'hardhat_metadata',
    summary: 'The version of the node and the instance of its chain',
    differs:
      'Names node-cli as the client; `forkedNetwork` is left out with the dialect hardhat only, by which hardhat-viem tells Hardhat from Anvil',
    params: [],
    result: { description: 'The node', schema: { type: 'object' } },
    handler: ({ chain, fork, settings }) => hardhatMetadataView(chain, fork.current, settings),
  }),
  /** Ends the impersonation of an account; false when it was not impersonated by name. */
  defineMethod({
    name: 'hardhat_stopImpersonatingAccount',
    aliases: { anvil_stopImpersonatingAccount: NULL, ganache_stopImpersonatingAccount: SAME },
    summary: 'Ends the impersonation of an account',
    params: [param('address', address)],
    result: { description: 'True when the account was impersonated', schema: { type: 'boolean' } },
    handler: ({ chain }, account) => chain.impersonation.remove(account),
  }),
];
