import { dropAllTransactions } from '../../../chain/controls.ts';
import { toHex } from '../../../primitives/hex.ts';
import { encodeHeader } from '../../../protocol/header-encoding.ts';
import { type Awaitable, runTask } from '../../../scheduling/task.ts';
import { mapInPieces, WorkPieces } from '../../../scheduling/work-pieces.ts';
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
   * The data that suffices to execute a block and to compute its state root without a state: nodes of the tries before it
   * (`state`), the codes of the contracts that it touched, the addresses and slots that the keys of the tries are hashes of
   * (`keys`), and the RLP of the headers from the lowest one whose hash it asked for up to its parent. The first
   * block is an error, because it was not executed. On a fork the node does not have the whole state.
   */
  defineMethod({
    name: 'debug_executionWitness',
    summary: 'The state and earlier headers needed to execute a block (witness)',
    differs:
      'Headers are RLP-encoded, as in reth. The witness includes the code of accounts that were only read',
    begins: 'late',
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
      const pieces = new WorkPieces(deadline);
      const spelled = (items: readonly Uint8Array[]): Awaitable<string[]> =>
        runTask(mapInPieces(items, pieces, (bytes) => 2 * bytes.length, toHex));
      const encoded = headers.map((header) => encodeHeader(header, chain.ruleSet.encoding));
      return {
        state: await spelled(state),
        codes: await spelled(codes),
        keys: await spelled(keys),
        headers: await spelled(encoded),
      };
    },
  }),
  /**
   * The blocks that were refused. This node makes its blocks itself, and of those that mining software submits it keeps
   * what it takes alone, so that there is none to show.
   */
  defineMethod({
    name: 'debug_getBadBlocks',
    summary: 'The rejected blocks; always empty, because the node stores no rejected blocks',
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
      if (context.node.fork.current !== null) throw new PartialStateError('state');
      const roots = await context.node.chain.simulation.rootsInside(block, context.deadline);
      return roots.map(toHex);
    },
  }),
  /**
   * Takes all blocks above the one with that number away, as anvil_rollback does. Filters and subscriptions are notified;
   * snapshots taken on those blocks are gone, and so are their transactions. A number above the head is refused.
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
  /** Takes all transactions out of the pool. */
  defineMethod({
    name: 'debug_clearTxpool',
    summary: 'Removes all pending transactions',
    params: [],
    result: { description: 'null', schema: { type: 'null' } },
    handler: async ({ node: { chain } }) => {
      await chain.change(dropAllTransactions());
      return null;
    },
  }),
  /**
   * The quota of an account under rskj's limit on the rate of transactions. This node limits no account, so no quota exists: null, as on a
   * node of Rootstock with that limit off.
   */
  defineMethod({
    name: 'debug_accountTransactionQuota',
    summary: 'The transaction quota of an account; always null, because the node has no quotas',
    params: [param('address', address)],
    result: { description: 'null', schema: { type: 'null' } },
    handler: () => null,
  }),
  /** The number of messages that wait to be sent to peers: none, as this node has no peers. */
  defineMethod({
    name: 'debug_wireProtocolQueueSize',
    summary: 'The number of messages queued for peers',
    params: [],
    result: { description: 'The number of messages', schema: QUANTITY_JSON_SCHEMA },
    handler: () => '0x0',
  }),
];
