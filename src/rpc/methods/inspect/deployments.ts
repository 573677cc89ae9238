import type { Timeline } from '../../../chain/execution/timeline.ts';
import type { Inspector } from '../../../inspect/inspector.ts';
import { hexKey, toHex, toQuantity } from '../../../primitives/hex.ts';
import { TimeSlice } from '../../../scheduling/time-slice.ts';
import { fetchingState } from '../../../state/state-source.ts';
import type { WorldState } from '../../../state/world-state.ts';
import { exactObjectOf } from '../../codecs/codec.ts';
import { countUpTo, index } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, optional } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';

const MOST = 200;
const USUAL = 50;

/** Maximum transactions and blocks per request. The last block is read completely. */
const MAX_LOOKED_AT = 1_000;
const MAX_BLOCKS = 20_000;
/** Timeline cells per read; empty blocks are combined. */
const CELLS = 200;
/** Work units per named contract. */
const NAMING_WORK = 4_000;

const deploymentCount = countUpTo(MOST, 'contracts');

const place = exactObjectOf({ blockNumber: index, index }, 'an object with blockNumber and index');

/** The position of the next contract; the search continues with older ones. */
interface Place {
  readonly block: number;
  /** The index among the contracts that the block created; `null` for the last one. */
  readonly index: number | null;
}

/** Resolves to the contract at an address and its implementation; `null` if it no longer has code. */
async function described(
  inspector: Inspector,
  state: WorldState,
  address: Uint8Array,
): Promise<object | null> {
  const hasCode = await fetchingState(() => (state.account(address)?.code.bytes.length ?? 0) > 0);
  if (!hasCode) return null;
  const { contract, implementation } = await inspector.contractsAt(state, address);
  return {
    address: toHex(address),
    contract: contract?.name ?? null,
    implementation: implementation && {
      address: toHex(implementation.address),
      contract: implementation.contract?.name ?? null,
    },
  };
}

/** Finds created contracts from a position towards older blocks, until it has enough or reaches a limit. */
async function find(
  { node: { chain, inspector }, deadline }: RpcContext,
  from: Place,
  count: number,
): Promise<{ readonly found: readonly object[]; readonly next: Place | null }> {
  const slice = new TimeSlice(deadline);
  const loaded = await inspector.load();
  const state = chain.headState();
  const found: object[] = [];
  /** A newer contract at an address replaces the earlier one. */
  const seen = new Set<string>();
  let looked = 0;
  let blocks = 0;
  let start: number | null = from.block;
  while (start !== null) {
    if (blocks >= MAX_BLOCKS) return { found, next: { block: start, index: null } };
    const line: Timeline = await chain.timeline.read(start, CELLS, deadline);
    blocks += line.looked;
    for (const cell of line.cells) {
      if (cell.kind === 'empty' || cell.transactions === 0) continue;
      if (looked >= MAX_LOOKED_AT) return { found, next: { block: cell.number, index: null } };
      const block = await chain.block({ hash: cell.hash });
      // The block left the chain during the search.
      if (block === undefined) continue;
      looked += cell.transactions;
      const creations = await chain.creations.in(block, deadline);
      const highest = creations.length - 1;
      const first = cell.number === from.block ? Math.min(from.index ?? highest, highest) : highest;
      for (let at = first; at >= 0; at--) {
        if (found.length >= count) return { found, next: { block: cell.number, index: at } };
        const creation = creations[at];
        if (creation === undefined || seen.has(hexKey(creation.address))) continue;
        seen.add(hexKey(creation.address));
        const facts = await described(loaded, state, creation.address);
        if (facts !== null) {
          found.push({
            ...facts,
            creator: toHex(creation.creator),
            transactionHash: toHex(creation.transactionHash),
            blockNumber: toQuantity(cell.number),
          });
        }
        await slice.spend(NAMING_WORK);
      }
    }
    start = line.next;
  }
  return { found, next: null };
}

export const INSPECT_DEPLOYMENTS: readonly Method[] = [
  /**
   * Returns the contracts that transactions of this chain created, directly or in internal calls, newest
   * first, if they still have code. `contract` is the name of a matching artifact; `implementation` is the
   * contract behind a proxy. A lane includes the base chain's contracts up to its fork point. Contracts of
   * reverted blocks are excluded, and so are genesis contracts and code set by cheats. A request reads about
   * 1,000 transactions and 20,000 blocks. `next` is the start of the next page, also if this page is empty.
   */
  defineMethod({
    name: 'inspect_deployments',
    summary: 'The deployed contracts, with names, proxies and creation transactions',
    priority: 'low',
    params: [optional('from', place, null), optional('count', deploymentCount, USUAL)],
    fork: { kind: 'own', because: 'the forked chain has too many contracts to list' },
    result: {
      description: 'Contracts, and the start of the next page (null after the last page)',
      schema: {
        type: 'object',
        properties: {
          contracts: { type: 'array', items: { type: 'object' } },
          next: { anyOf: [{ type: 'object' }, { type: 'null' }] },
        },
        required: ['contracts', 'next'],
      },
    },
    handler: async (context, from, count) => {
      await context.node.inspector.ready();
      const highest = context.node.chain.head().header.number;
      const start = { block: from?.blockNumber ?? highest, index: from?.index ?? null };
      const { found, next } = await find(context, start, count);
      return {
        contracts: found,
        // Without an index, the page starts with the last contract of the block.
        next: next && {
          blockNumber: toQuantity(next.block),
          ...(next.index === null ? {} : { index: toQuantity(next.index) }),
        },
      };
    },
  }),
];
