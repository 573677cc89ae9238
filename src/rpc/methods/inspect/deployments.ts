import type { Timeline } from '../../../chain/execution/timeline.ts';
import type { Inspector } from '../../../inspect/inspector.ts';
import { hexKey, toHex, toQuantity } from '../../../primitives/hex.ts';
import { WorkPieces } from '../../../scheduling/work-pieces.ts';
import { fetchingState } from '../../../state/state-source.ts';
import type { WorldState } from '../../../state/world-state.ts';
import { exactObjectOf } from '../../codecs/codec.ts';
import { countUpTo, index } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, optional } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';

const MOST = 200;
const USUAL = 50;

/** Transactions of all blocks that one question looks at, and blocks; the last block is looked at whole. */
const MOST_LOOKED_AT = 1_000;
const MOST_BLOCKS = 20_000;
/** Cells of the time line, in which empty blocks are folded, that are read at once. */
const CELLS = 200;
/** The units of work of naming a contract. */
const NAMING_WORK = 4_000;

const deploymentCount = countUpTo(MOST, 'contracts');

const place = exactObjectOf({ blockNumber: index, index }, 'an object with blockNumber and index');

/** A contract of a block, from which on older ones are looked at. */
interface Place {
  readonly block: number;
  /** The index among the contracts that the block created; `null` for the last one. */
  readonly index: number | null;
}

/** Resolves to the contract at an address, and to the one behind it; `null` where no code is any more. */
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

/** Looks at the contracts that blocks created, from a place downwards, until enough are found or enough were looked at. */
async function find(
  { node: { chain, inspector }, deadline }: RpcContext,
  from: Place,
  count: number,
): Promise<{ readonly found: readonly object[]; readonly next: Place | null }> {
  const pieces = new WorkPieces(deadline);
  const loaded = await inspector.load();
  const state = chain.headState();
  const found: object[] = [];
  /** A contract that was created anew at an address stands for the one that was there before. */
  const seen = new Set<string>();
  let looked = 0;
  let blocks = 0;
  let start: number | null = from.block;
  while (start !== null) {
    if (blocks >= MOST_BLOCKS) return { found, next: { block: start, index: null } };
    const line: Timeline = await chain.timeline.read(start, CELLS, deadline);
    blocks += line.looked;
    for (const cell of line.cells) {
      if (cell.kind === 'empty' || cell.transactions === 0) continue;
      if (looked >= MOST_LOOKED_AT) return { found, next: { block: cell.number, index: null } };
      const block = await chain.block({ hash: cell.hash });
      // The block left the chain while others were looked at.
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
        const turn = pieces.spend(NAMING_WORK);
        if (turn !== undefined) await turn;
      }
    }
    start = line.next;
  }
  return { found, next: null };
}

export const INSPECT_DEPLOYMENTS: readonly Method[] = [
  /**
   * Lists the contracts that transactions of this chain created, by themselves or in calls inside, the newest first, as far as they
   * still have code: `contract` is the name where an artifact fits, `implementation` the contract behind a proxy. A lane has those of the base chain up
   * to where it began. Contracts of blocks that were reverted are not listed. Contracts of the genesis, and code that a cheat set, no transaction
   * created. A question looks at some 1,000 transactions and 20,000 blocks; `next` is where to go on, also where nothing was found yet.
   */
  defineMethod({
    name: 'inspect_deployments',
    summary: 'The deployed contracts, with names, proxies and creation transactions',
    begins: 'late',
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
        // Without an index, all contracts of the block are meant.
        next: next && {
          blockNumber: toQuantity(next.block),
          ...(next.index === null ? {} : { index: toQuantity(next.index) }),
        },
      };
    },
  }),
];
