import { toHex } from '../../../primitives/hex.ts';
import { requireBlock } from '../../block-answers.ts';
import { jsonObject } from '../../codecs/basic.ts';
import { hash32 } from '../../codecs/data.ts';
import { depth } from '../../codecs/settings.ts';
import { PartialStateError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';

export const DEBUG_HISTORY: readonly Method[] = [
  /**
   * The blocks that were refused. This node makes its blocks itself, and of those that mining software submits it keeps
   * what it takes alone, so that there is none to show.
   */
  defineMethod({
    name: 'debug_getBadBlocks',
    summary: 'The blocks that were refused: none is kept',
    params: [],
    result: { description: 'An empty array', schema: { type: 'array', maxItems: 0 } },
    handler: () => [],
  }),
  /**
   * The roots of the state after each transaction of a block, found by running them again; empty for a block without any. An
   * unknown block is an error. The options of geth's tracers are taken and change nothing.
   */
  defineMethod({
    name: 'debug_intermediateRoots',
    summary: 'The state roots after each transaction of a block',
    params: [param('blockHash', hash32), optional<object | null>('options', jsonObject, null)],
    // The state at the fork is whole on the upstream alone.
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: { description: 'The roots', schema: { type: 'array', items: hash32.jsonSchema } },
    handler: async (context, hash) => {
      const block = await requireBlock(context, { hash });
      if (context.fork.current !== null) throw new PartialStateError('state');
      const roots = await context.chain.simulation.rootsInside(block, context.checkInterrupt);
      return roots.map(toHex);
    },
  }),
  /**
   * Takes all blocks above the one with that number away, as anvil_rollback does. Filters and subscriptions are told;
   * snapshots taken on those blocks are gone, and so are their transactions. A number above the head is refused.
   */
  defineMethod({
    name: 'debug_setHead',
    summary: 'Rewinds the chain to a block',
    differs: 'The number of the head is no error and changes nothing',
    params: [param('number', depth)],
    result: { description: 'null', schema: { type: 'null' } },
    handler: async ({ chain, call }, number) => {
      await chain.reorganizer.rewindTo(number, call);
      return null;
    },
  }),
];
