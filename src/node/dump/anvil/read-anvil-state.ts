import { keyOf } from '../../../primitives/hex.ts';
import { nextTurn } from '../../../primitives/next-turn.ts';
import { perform, type Steps } from '../../../primitives/steps.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import type { Block } from '../../../rules/block.ts';
import type { RuleSet } from '../../../rules/rule-set.ts';
import { WorldState } from '../../../state/world-state.ts';
import type { DumpValue } from '../dump-value.ts';
import { type AnvilAccount, readAccounts, readHistoricalState } from './anvil-accounts.ts';
import {
  type AnvilHeader,
  minedByBlock,
  readAnvilBlock,
  readAnvilHeader,
  typesInAnvilBlock,
} from './read-anvil-block.ts';

/** A state file of Anvil. */
export interface AnvilState {
  /** To be laid over the state that there is. */
  readonly accounts: readonly AnvilAccount[];
  /** A chain from its first block on, or `null` when the file holds none that can stand under the rule set. */
  readonly chain: AnvilChain | null;
}

/** The blocks of a state file of Anvil. */
export interface AnvilChain {
  readonly blocks: readonly Block[];
  /** The states after blocks below the highest, by block hash as `keyOf` spells it; of the others the file has none. */
  readonly states: ReadonlyMap<string, WorldState>;
}

const BLOCKS_PER_TURN = 64;

/**
 * The state file. Its blocks are read where the rule set has headers and transactions like theirs and they go back to a
 * first one, which those of a fork do not; else its accounts are all that it gives. Rejects with an `InvalidDumpError`.
 */
export async function readAnvilState(value: DumpValue, ruleSet: RuleSet): Promise<AnvilState> {
  const pieces = new WorkPieces();
  const accounts = await perform(readAccounts(value.field('accounts'), pieces));
  const place = value.field('blocks');
  if (ruleSet.encoding !== 'ethereum' || place.isNothing) return { accounts, chain: null };
  const lineage = lineageOf(
    place.items().map(readAnvilHeader),
    value.field('best_block_number').orNull((number) => number.count()),
  );
  if (lineage === null || !canStand(lineage, ruleSet)) return { accounts, chain: null };
  const blocks = await readBlocks(lineage, value.field('transactions'));
  return {
    accounts,
    chain: { blocks, states: await perform(readStates(value.field('historical_states'), pieces)) },
  };
}

/**
 * The blocks from a first one to the one with that number, the highest for `null`; or `null` when there are none.
 * Anvil writes blocks in no order, and those of chains too that it has left.
 */
function lineageOf(headers: readonly AnvilHeader[], best: number | null): AnvilHeader[] | null {
  const byHash = new Map(headers.map((header) => [keyOf(header.hash), header]));
  const highest = best ?? headers.reduce((most, { header }) => Math.max(most, header.number), 0);
  for (const head of headers.filter(({ header }) => header.number === highest)) {
    const lineage: AnvilHeader[] = [];
    let next: AnvilHeader | undefined = head;
    for (let number = highest; number >= 0 && next?.header.number === number; number--) {
      lineage.push(next);
      next = byHash.get(keyOf(next.header.parentHash));
    }
    if (lineage.length === highest + 1) return lineage.reverse();
  }
  return null;
}

function canStand(lineage: readonly AnvilHeader[], { transactionTypes }: RuleSet): boolean {
  const known = new Set<number>(transactionTypes);
  return lineage.every(({ value }) => typesInAnvilBlock(value).every((type) => known.has(type)));
}

async function readBlocks(lineage: readonly AnvilHeader[], transactions: DumpValue): Promise<Block[]> {
  const mined = minedByBlock(transactions);
  const blocks: Block[] = [];
  for (const header of lineage) {
    blocks.push(readAnvilBlock(header, blocks.at(-1) ?? null, mined));
    if (blocks.length % BLOCKS_PER_TURN === 0) await nextTurn();
  }
  return blocks;
}

/** Newest versions tell two states of a block that was changed by hand: the one its child was made on is ours. */
function* readStates(value: DumpValue, pieces: WorkPieces): Steps<Map<string, WorldState>> {
  const states = new Map<string, WorldState>();
  if (value.isNothing) return states;
  const list = value.isArray ? value : value.field('states');
  for (const item of list.items()) {
    const [hash, state] = item.items();
    if (hash === undefined || state === undefined) throw item.fault('a block hash and a state');
    states.set(keyOf(hash.bytes(32)), yield* readHistoricalState(state, pieces));
  }
  return states;
}

/** The state after a block of the chain that is not its highest. */
export function stateAfter({ states }: AnvilChain, block: Block): WorldState {
  return states.get(keyOf(block.hash)) ?? WorldState.unknown();
}
