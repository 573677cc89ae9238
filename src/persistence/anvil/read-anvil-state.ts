// Reading the state files of Anvil (`anvil --dump-state`).

import { hexKey } from '../../primitives/hex.ts';
import type { Block } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { nextTurn } from '../../scheduling/interrupt.ts';
import { runTask, type Task } from '../../scheduling/task.ts';
import { WorkPieces } from '../../scheduling/work-pieces.ts';
import { type AccountUpdate, type Code, codeOf, type StorageChange } from '../../state/account.ts';
import { applyInPieces } from '../../state/apply-in-pieces.ts';
import { WorldState } from '../../state/world-state.ts';
import {
  ANVIL_ACCOUNT,
  ANVIL_PAST_ACCOUNT,
  ANVIL_STORAGE,
  readAccount,
  readAccounts,
  readStorage,
} from '../../wire/account.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import {
  type AnvilHeader,
  LeftOutBlockError,
  type MinedTransactions,
  minedTransactions,
  readAnvilBlock,
  readAnvilHeaders,
  typesInAnvilBlock,
} from './read-anvil-block.ts';

/** An account of an Anvil file. */
interface AnvilAccount {
  readonly address: Uint8Array;
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  readonly code: Code;
  /** A part of its storage; other slots are unchanged. */
  readonly storage: readonly StorageChange[];
}

/** Returns the accounts of Anvil's file, or of the `alloc` of geth's genesis. Throws an `InvalidDumpError`. */
export function readAnvilAccounts(accounts: StrictValue, pieces: WorkPieces): Task<AnvilAccount[]> {
  return readAccounts(accounts, pieces, function* (address, value) {
    const { code, ...values } = readAccount(ANVIL_ACCOUNT, value);
    const storage = yield* readStorage(ANVIL_STORAGE, value.field('storage'), pieces);
    return { ...values, address, code: codeOf(code), storage };
  });
}

/**
 * Returns the state with the accounts laid over it, like Anvil: balance and code are the account's, the nonce is the
 * higher one, so that no address is used twice, and other slots are unchanged.
 */
export function* withAccounts(
  state: WorldState,
  accounts: readonly AnvilAccount[],
  pieces: WorkPieces,
): Task<WorldState> {
  return yield* applyInPieces(state, { updated: updatesOf(state, accounts), deleted: [] }, pieces);
}

function* updatesOf(
  state: WorldState,
  accounts: readonly AnvilAccount[],
): Generator<AccountUpdate, void, undefined> {
  for (const account of accounts) {
    const nonce = state.account(account.address)?.nonce ?? 0n;
    yield { ...account, nonce: nonce > account.nonce ? nonce : account.nonce, clearsStorage: false };
  }
}

/** Returns a state of Anvil's `historical_states`. Throws an `InvalidDumpError`. */
function* readHistoricalState(state: StrictValue, pieces: WorkPieces): Task<WorldState> {
  const storages = state.field('storage');
  const updated = yield* readAccounts(state.field('accounts'), pieces, function* (address, value, name) {
    const { code, ...values } = readAccount(ANVIL_PAST_ACCOUNT, value);
    const storage = yield* readStorage(ANVIL_STORAGE, storages.field(name), pieces);
    return { ...values, address, code: codeOf(code), storage, clearsStorage: false };
  });
  return yield* applyInPieces(WorldState.empty(), { updated, deleted: [] }, pieces);
}

/** The contents of an Anvil state file. */
export interface AnvilState {
  /** Accounts that are laid over the existing state. */
  readonly accounts: readonly AnvilAccount[];
  /** A chain from its first block on, or the reason why the file has none that can be used, as a clause. */
  readonly chain: AnvilChain | string;
}

/** The blocks of an Anvil state file. */
export interface AnvilChain {
  /** From a first block on, one for each number. */
  readonly blocks: readonly Block[];
  /** The other blocks of the file, as far as it has their receipts. */
  readonly others: readonly Block[];
  /** The states after blocks below the highest, by block hash as `hexKey` spells it, as far as the file has them. */
  readonly states: ReadonlyMap<string, WorldState>;
}

const BLOCKS_PER_TURN = 64;

/**
 * Returns the contents of the state file. Its blocks are read if the rule set has headers and transactions of their
 * form and they go back to a first block, which those of a fork do not; otherwise only its accounts are. Rejects with
 * an `InvalidDumpError`.
 */
export async function readAnvilState(value: StrictValue, ruleSet: RuleSet): Promise<AnvilState> {
  const pieces = new WorkPieces();
  const accounts = await runTask(readAnvilAccounts(value.field('accounts'), pieces));
  try {
    return { accounts, chain: await readChain(value, ruleSet, pieces) };
  } catch (error) {
    if (error instanceof LeftOutBlockError) return { accounts, chain: error.message };
    throw error;
  }
}

/** Rejects with an `InvalidDumpError`, and with a `LeftOutBlockError` where the file's blocks cannot be taken. */
async function readChain(value: StrictValue, ruleSet: RuleSet, pieces: WorkPieces): Promise<AnvilChain> {
  const place = value.field('blocks');
  const found = place.isNothing ? [] : place.items();
  if (found.length === 0)
    throw new LeftOutBlockError('the file has no blocks (Anvil before June 2024 did not write them)');
  if (ruleSet.encoding !== 'ethereum') {
    throw new LeftOutBlockError(
      `Anvil's block format does not match hardfork ${ruleSet.name}; pass an Ethereum hardfork with --hardfork`,
    );
  }
  const mined = minedTransactions(value.field('transactions'));
  const best = value.field('best_block_number').orNull((number) => number.count());
  const headers = readAnvilHeaders(found, mined);
  const lineage = lineageOf(headers, best);
  refuseUnknownTypes(lineage, ruleSet);
  const blocks = await readBlocks(lineage, mined, ruleSet);
  const others = await readOthers(headers, lineage, mined, ruleSet);
  return { blocks, others, states: await runTask(readStates(value.field('historical_states'), pieces)) };
}

/**
 * Returns the blocks from a first one to the one with that number, the highest for `null`. Of blocks with one number,
 * Anvil takes the last of the file; a chain whose blocks name one another as parents goes before, since older versions
 * wrote blocks in no order. A block that names another parent follows Anvil's block with the number below, as in files
 * of chains whose number was set. Throws a {@link LeftOutBlockError} if a number has no block.
 */
function lineageOf(headers: readonly AnvilHeader[], best: number | null): AnvilHeader[] {
  const byHash = new Map(headers.map((header) => [hexKey(header.hash), header]));
  const highest = best ?? headers.reduce((most, { header }) => Math.max(most, header.number), 0);
  const heads = headers.filter(({ header }) => header.number === highest).reverse();
  if (heads.length === 0) throw new LeftOutBlockError(`block ${highest} (best_block_number) is missing`);
  for (const head of heads) {
    const linked = ancestry(head, (child) => byHash.get(hexKey(child.header.parentHash)));
    if (linked.length === highest + 1) return linked.reverse();
  }
  const byNumber = new Map(headers.map((header) => [header.header.number, header]));
  const [head] = heads as [AnvilHeader];
  const filled = ancestry(head, ({ header }) => {
    const parent = byHash.get(hexKey(header.parentHash));
    return parent?.header.number === header.number - 1 ? parent : byNumber.get(header.number - 1);
  });
  if (filled.length <= highest) throw new LeftOutBlockError(`block ${highest - filled.length} is missing`);
  return filled.reverse();
}

/** Returns the block and those before it, down to the first one or to a number that no block has. */
function ancestry(
  head: AnvilHeader,
  parentOf: (child: AnvilHeader) => AnvilHeader | undefined,
): AnvilHeader[] {
  const found = [head];
  let next = head.header.number === 0 ? undefined : parentOf(head);
  while (next !== undefined && next.header.number === head.header.number - found.length) {
    found.push(next);
    next = next.header.number === 0 ? undefined : parentOf(next);
  }
  return found;
}

function refuseUnknownTypes(lineage: readonly AnvilHeader[], { name, transactionTypes }: RuleSet): void {
  const known = new Set<number | string>(transactionTypes);
  for (const { value, header } of lineage) {
    const unknown = typesInAnvilBlock(value).find((type) => !known.has(type));
    if (unknown === undefined) continue;
    throw new LeftOutBlockError(
      `block ${header.number} has a transaction of type ${unknown}, which hardfork ${name} does not have`,
    );
  }
}

async function readBlocks(
  lineage: readonly AnvilHeader[],
  mined: MinedTransactions,
  ruleSet: RuleSet,
): Promise<Block[]> {
  const blocks: Block[] = [];
  const pieces = new WorkPieces();
  for (const header of lineage) {
    blocks.push(await runTask(readAnvilBlock(header, blocks.at(-1) ?? null, mined, ruleSet, pieces)));
    if (blocks.length % BLOCKS_PER_TURN === 0) await nextTurn();
  }
  return blocks;
}

/** The maximum number of blocks beside the chain that are read: as many as are kept beside it. */
const MOST_OTHERS = 256;

/** Returns the newest blocks of the file beside the chain; leaves out a block that this node cannot keep. */
async function readOthers(
  headers: readonly AnvilHeader[],
  lineage: readonly AnvilHeader[],
  mined: MinedTransactions,
  ruleSet: RuleSet,
): Promise<Block[]> {
  const seen = new Set(lineage.map(({ hash }) => hexKey(hash)));
  const others: Block[] = [];
  const known = new Set<number | string>(ruleSet.transactionTypes);
  const pieces = new WorkPieces();
  for (const header of [...headers].reverse()) {
    if (others.length === MOST_OTHERS) break;
    const key = hexKey(header.hash);
    const isKnown = typesInAnvilBlock(header.value).every((type) => known.has(type));
    if (seen.has(key) || !isKnown) continue;
    seen.add(key);
    try {
      others.push(await runTask(readAnvilBlock(header, null, mined, ruleSet, pieces)));
    } catch (error) {
      if (!(error instanceof LeftOutBlockError)) throw error;
    }
  }
  return others.reverse();
}

/** The newest versions write two states for a block that was changed by hand; the one on which its child was made is taken. */
function* readStates(value: StrictValue, pieces: WorkPieces): Task<Map<string, WorldState>> {
  const states = new Map<string, WorldState>();
  if (value.isNothing) return states;
  const list = value.isArray ? value : value.field('states');
  for (const item of list.items()) {
    const [hash, state] = item.items();
    if (hash === undefined || state === undefined) throw item.fault('a block hash and a state');
    states.set(hexKey(hash.bytes(32)), yield* readHistoricalState(state, pieces));
  }
  return states;
}

/** Returns the state after a block of the chain that is not its highest. */
export function stateAfter({ states }: AnvilChain, block: Block): WorldState {
  return states.get(hexKey(block.hash)) ?? WorldState.unknown();
}
