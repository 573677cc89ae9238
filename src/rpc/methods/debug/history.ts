import type { Awaitable } from '../../../primitives/awaitable.ts';
import { toHex } from '../../../primitives/hex.ts';
import { mapInSteps } from '../../../primitives/steps.ts';
import { encodeHeader } from '../../../protocol/header-encoding.ts';
import { type JsonSchema, objectSchema } from '../../../wire/values.ts';
import { requireBlock } from '../../block-answers.ts';
import { jsonObject } from '../../codecs/basic.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { address, data, hash32, QUANTITY_JSON_SCHEMA } from '../../codecs/hex-values.ts';
import { depth } from '../../codecs/settings.ts';
import { PartialStateError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';

const BYTES_JSON_SCHEMA: JsonSchema = { type: 'array', items: data.jsonSchema };

export const DEBUG_HISTORY: readonly Method[] = [
  /**
   * Returns the data for the execution of a block without a state: `state` has the trie nodes before it, and
   * `codes` the touched contracts. `keys` has the addresses and slots whose hashes are trie keys. `headers`
   * has the RLP headers from the lowest requested block hash to the parent. Rejects for the first block,
   * because no node executes it. On a fork, the node does not have the whole state.
   */
  defineMethod({
    name: 'debug_executionWitness',
    summary: 'The state and earlier headers needed to execute a block (witness)',
    differs:
      'Headers are RLP-encoded, as in reth. The witness includes the code of accounts that were only read',
    priority: 'low',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: {
      description: 'Trie nodes, codes, keys and headers',
      schema: objectSchema({
        state: BYTES_JSON_SCHEMA,
        codes: BYTES_JSON_SCHEMA,
        keys: BYTES_JSON_SCHEMA,
        headers: BYTES_JSON_SCHEMA,
      }),
    },
    handler: async ({ node: { chain, fork }, deadline }, selector) => {
      const view = await chain.view(selector);
      if (fork.current !== null) throw new PartialStateError('state');
      const { state, codes, keys, headers } = await chain.witness.of(view, deadline);
      const spelled = (items: readonly Uint8Array[]): Awaitable<string[]> =>
        deadline.run(mapInSteps(items, (bytes) => 2 * bytes.length, toHex));
      const encoded = headers.map((header) => encodeHeader(header, chain.ruleSet.encoding));
      return {
        state: await spelled(state),
        codes: await spelled(codes),
        keys: await spelled(keys),
        headers: await spelled(encoded),
      };
    },
  }),
  defineMethod({
    name: 'debug_getBadBlocks',
    summary: 'The rejected blocks; always empty, because the node stores no rejected blocks',
    result: { description: 'An empty array', schema: { type: 'array', maxItems: 0 } },
    handler: () => [],
  }),
  /**
   * Returns the state roots after each transaction of a block, by executing it again. Rejects for an unknown
   * block. The options of geth's tracers are accepted and have no effect.
   */
  defineMethod({
    name: 'debug_intermediateRoots',
    summary: 'The state roots after each transaction of a block',
    params: [param('blockHash', hash32), optional<object | null>('options', jsonObject, null)],
    // Only the upstream has the whole state at the fork block.
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: { description: 'The roots', schema: { type: 'array', items: hash32.jsonSchema } },
    handler: async (context, hash) => {
      const block = await requireBlock(context, { hash });
      if (context.node.fork.current !== null) throw new PartialStateError('state');
      const roots = await context.node.chain.simulation.rootsInside(block, context.deadline);
      return roots.map(toHex);
    },
  }),
  /**
   * Removes all blocks above a number, as anvil_rollback does. Filters and subscriptions are notified;
   * snapshots of the removed blocks expire. Rejects for a number above the head.
   */
  defineMethod({
    name: 'debug_setHead',
    summary: 'Rewinds the chain to a block',
    differs: 'If the block is the head, the chain does not change and no error occurs',
    params: [param('number', depth)],
    result: { description: 'null', schema: { type: 'null' } },
    handler: async ({ node: { chain }, call }, number) => {
      await chain.reorganizer.rewindTo(number, call);
      return null;
    },
  }),
  defineMethod({
    name: 'debug_clearTxpool',
    summary: 'Removes all pending transactions',
    result: { description: 'null', schema: { type: 'null' } },
    handler: async ({ node: { chain } }) => {
      await chain.dropTransactions();
      return null;
    },
  }),
  defineMethod({
    name: 'debug_accountTransactionQuota',
    summary: 'The transaction quota of an account; always null, because the node has no quotas',
    params: [param('address', address)],
    result: { description: 'null', schema: { type: 'null' } },
    handler: () => null,
  }),
  defineMethod({
    name: 'debug_freeOSMemory',
    summary: 'No effect: Node.js returns unused memory to the operating system by itself',
    result: { description: 'null', schema: { type: 'null' } },
    handler: () => null,
  }),
  /** 0, because this node has no peers. */
  defineMethod({
    name: 'debug_wireProtocolQueueSize',
    summary: 'The number of messages queued for peers',
    result: { description: 'The number of messages', schema: QUANTITY_JSON_SCHEMA },
    handler: () => '0x0',
  }),
];
