import { stateDump } from '../../codecs/state-dump.ts';
import { defineMethod, param, SAME } from '../../method.ts';

/**
 * Makes the chain what a dump says: the answer of `anvil_dumpState`, a file that this node wrote, or a state file of
 * Anvil, compressed or not. Of Anvil's, the accounts are laid over the state at the head, with the higher of the two
 * nonces; its blocks take the place of those here under rule sets of Ethereum, if they are all there from the first one
 * on, and else the log says why they do not. Filters and subscriptions hear of it as of a reorganization. Nothing changes when the dump cannot be read.
 */
export const anvil_loadState = defineMethod({
  name: 'anvil_loadState',
  aliases: { hardhat_loadState: SAME, ganache_loadState: SAME },
  summary: 'Makes the chain what a dump says',
  differs:
    "Replaces the chain by what `anvil_dumpState` answered here. Anvil's own files are laid over it as in Anvil, their blocks only under Ethereum's rules and when they go back to the first one (the log says why where they stay out); takes JSON too. A file that cannot be read changes nothing",
  params: [param('state', stateDump)],
  result: { description: 'True', schema: { const: true } },
  example: {
    params: ['{"accounts":{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":{"nonce":0,"balance":"0x1"}}}'],
    result: true,
  },
  handler: async ({ chain, unpackingRoom }, state) => {
    await chain.dump.load(state, unpackingRoom);
    return true;
  },
});
