import { toHex } from '../../../primitives/hex.ts';
import { flag } from '../../codecs/basic.ts';
import { defineMethod, optional, SAME } from '../../method.ts';

/**
 * The whole chain, compressed with gzip: blocks, all states, pool, settings and snapshots, but no private keys. With the
 * dialect anvil in the form of Anvil's state file, which Anvil loads too. History is always in it, so the parameter, by
 * which Anvil asks for it, changes nothing.
 */
export const anvil_dumpState = defineMethod({
  name: 'anvil_dumpState',
  aliases: { hardhat_dumpState: SAME, ganache_dumpState: SAME },
  summary: 'Dumps the whole chain, to be loaded again',
  differs:
    "History, pool, settings, clock and snapshots are always in it, private keys never. With the dialect anvil it is a state file of Anvil that Anvil loads too, with all of this carried along; the states of the past are not in the part that Anvil reads. A dump of a fork has what is local, with `--fork-complete` all that was fetched too; Anvil's form has no forks",
  params: [optional('preserveHistoricalStates', flag, true)],
  result: { description: 'The dump', schema: { type: 'string', pattern: '^0x1f8b([0-9a-f]{2})+$' } },
  // gzip without a time and a system; what follows is the chain.
  example: { params: [], result: '0x1f8b08000000000000ff', isExcerpt: true },
  handler: async ({ chain, settings }) =>
    toHex(
      await (settings.compat.dumpsForAnvil
        ? chain.dump.writeForAnvil()
        : chain.dump.write({ isCompressed: true, withKeys: false })),
    ),
});
