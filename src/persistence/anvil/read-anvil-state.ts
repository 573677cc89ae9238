// Reads Anvil's state files (`anvil --dump-state`).

import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Steps } from '../../primitives/steps.ts';
import type { Block } from '../../protocol/block.ts';
import type { GenesisHeader } from '../../protocol/genesis.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { nextIteration } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { type AccountUpdate, type Code, codeOf, type StorageChange } from '../../state/account.ts';
import { applyChanges } from '../../state/apply-changes.ts';
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

interface AnvilAccount {
  readonly address: Uint8Array;
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  readonly code: Code;
  /** Some slots of its storage. Other slots stay unchanged. */
  readonly storage: readonly StorageChange[];
}

/** Reads the accounts of Anvil's file, or of `alloc` in geth's genesis. Throws an `InvalidDumpError`. */
export function readAnvilAccounts(accounts: StrictValue): Steps<AnvilAccount[]> {
  return readAccounts(accounts, function* (address, value) {
    const { code, ...values } = readAccount(ANVIL_ACCOUNT, value);
    const storage = yield* readStorage(ANVIL_STORAGE, value.field('storage'));
    return { ...values, address, code: codeOf(code), storage };
  });
}

/**
 * Merges the accounts into the state like Anvil. Balance and code are replaced. The higher nonce wins, so
 * that no address is used twice. Other slots stay unchanged.
 */
export function* withAccounts(state: WorldState, accounts: readonly AnvilAccount[]): Steps<WorldState> {
  return yield* applyChanges(state, { updated: updatesOf(state, accounts), deleted: [] });
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

/** Reads a state of Anvil's `historical_states`. Throws an `InvalidDumpError`. */
function* readHistoricalState(state: StrictValue): Steps<WorldState> {
  const storages = state.field('storage');
  const updated = yield* readAccounts(state.field('accounts'), function* (address, value, name) {
    const { code, ...values } = readAccount(ANVIL_PAST_ACCOUNT, value);
    const storage = yield* readStorage(ANVIL_STORAGE, storages.field(name));
    return { ...values, address, code: codeOf(code), storage, clearsStorage: false };
  });
  return yield* applyChanges(WorldState.empty(), { updated, deleted: [] });
}

export interface AnvilState {
  /** Accounts to merge into the present state. */
  readonly accounts: readonly AnvilAccount[];
  /** A chain from its first block, or the reason (a clause) why the file has no usable chain. */
  readonly chain: AnvilChain | string;
  /** The number of the newest block; `null` if the file does not name it. */
  readonly best: number | null;
  /** The newest block of a file without blocks; `null` if the file has blocks or lacks it. */
  readonly newest: AnvilNewestBlock | null;
  /** True if the file has blocks, but not its newest block. */
  readonly lacksBest: boolean;
}

/** The newest block as Anvil describes it outside of `blocks`. */
export interface AnvilNewestBlock {
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly gasLimit: bigint;
  readonly header: Partial<GenesisHeader> & { readonly number: number };
}

export interface AnvilChain {
  /** From the first block, one per number. */
  readonly blocks: readonly Block[];
  /** Side blocks with receipts in the file. */
  readonly others: readonly Block[];
  /** The states after blocks below the highest, if in the file, by block hash as `hexKey` formats it. */
  readonly states: ReadonlyMap<string, WorldState>;
}

const BLOCKS_PER_TURN = 64;

/**
 * Reads a state file. Its blocks are read if the rule set has Ethereum's header form and the blocks reach the
 * first block; a fork's blocks do not. Otherwise only the accounts are read. Rejects with an
 * `InvalidDumpError`.
 */
export async function readAnvilState(value: StrictValue, ruleSet: RuleSet): Promise<AnvilState> {
  const slice = new TimeSlice();
  const accounts = await runTask(readAnvilAccounts(value.field('accounts')), slice);
  // The chain has no blocks above 2^48 - 1. From 2^53, numbers would lose precision.
  const best = value.field('best_block_number').orNull((number) => Number(number.quantity(48)));
  const read = { accounts, best, newest: readNewest(value, best), lacksBest: false };
  try {
    return { ...read, chain: await readChain(value, best, ruleSet, slice) };
  } catch (error) {
    if (!(error instanceof LeftOutBlockError)) throw error;
    return { ...read, chain: error.message, lacksBest: error instanceof NoBestBlockError };
  }
}

/** Thrown if the newest block is missing. */
class NoBestBlockError extends LeftOutBlockError {}

function hasBlocks(value: StrictValue): boolean {
  const blocks = value.field('blocks');
  return !blocks.isNothing && blocks.items().length > 0;
}

/** Reads `block`, whose coinbase has an older name. Throws an `InvalidDumpError`. */
function readNewest(value: StrictValue, best: number | null): AnvilNewestBlock | null {
  const block = value.field('block');
  if (block.isNothing || hasBlocks(value)) return null;
  const excess = block
    .field('blob_excess_gas_and_price')
    .orNull((blob) => blob.field('excess_blob_gas').quantity());
  return {
    timestamp: Number(block.field('timestamp').quantity(48)),
    gasLimit: block.field('gas_limit').quantity(63),
    header: {
      number: best ?? Number(block.field('number').quantity(48)),
      coinbase: block.either('beneficiary', 'coinbase').bytes(20),
      extraData: EMPTY_BYTES,
      difficulty: block.field('difficulty').quantity(),
      mixHash: block.field('prevrandao').orNull((word) => word.bytes(32)) ?? new Uint8Array(32),
      baseFeePerGas: block.field('basefee').quantity(),
      ...(excess === null ? {} : { excessBlobGas: excess }),
    },
  };
}

/** Rejects with an `InvalidDumpError`, and with a `LeftOutBlockError` if the blocks are unusable. */
async function readChain(
  value: StrictValue,
  best: number | null,
  ruleSet: RuleSet,
  slice: TimeSlice,
): Promise<AnvilChain> {
  if (!hasBlocks(value))
    throw new LeftOutBlockError('the file has no blocks (Anvil before June 2024 did not write them)');
  if (ruleSet.encoding !== 'ethereum') {
    throw new LeftOutBlockError(
      `Anvil's block format does not match hardfork ${ruleSet.name}; pass an Ethereum hardfork with --hardfork`,
    );
  }
  const mined = minedTransactions(value.field('transactions'));
  const headers = readAnvilHeaders(value.field('blocks').items(), mined);
  const lineage = lineageOf(headers, best);
  rejectUnknownTypes(lineage, ruleSet);
  const blocks = await readBlocks(lineage, mined, ruleSet);
  const others = await readOthers(headers, lineage, mined, ruleSet);
  return { blocks, others, states: await runTask(readStates(value.field('historical_states')), slice) };
}

/**
 * Returns the blocks from the first to block `best` (`null`: the highest). Among blocks with the same number,
 * Anvil uses the last in the file. A chain linked by parent hashes takes precedence, because older versions
 * wrote blocks unordered. A block with an unknown parent follows the block with the number below, as in files
 * of chains with a set number. Throws a {@link LeftOutBlockError} for a missing number.
 */
function lineageOf(headers: readonly AnvilHeader[], best: number | null): AnvilHeader[] {
  const byHash = new Map(headers.map((header) => [hexKey(header.hash), header]));
  const highest = best ?? headers.reduce((most, { header }) => Math.max(most, header.number), 0);
  const heads = headers.filter(({ header }) => header.number === highest).reverse();
  if (heads.length === 0) throw new NoBestBlockError(`block ${highest} (best_block_number) is missing`);
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

/** Returns the block and its ancestors, down to the first block or a missing one. */
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

function rejectUnknownTypes(lineage: readonly AnvilHeader[], { name, transactionTypes }: RuleSet): void {
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
  const slice = new TimeSlice();
  for (const header of lineage) {
    blocks.push(await runTask(readAnvilBlock(header, blocks.at(-1) ?? null, mined, ruleSet), slice));
    if (blocks.length % BLOCKS_PER_TURN === 0) await nextIteration();
  }
  return blocks;
}

/** Maximum number of side blocks to read, equal to the number that the chain stores. */
const MAX_OTHERS = 256;

/** Returns the newest side blocks of the file, except blocks that this node cannot store. */
async function readOthers(
  headers: readonly AnvilHeader[],
  lineage: readonly AnvilHeader[],
  mined: MinedTransactions,
  ruleSet: RuleSet,
): Promise<Block[]> {
  const seen = new Set(lineage.map(({ hash }) => hexKey(hash)));
  const others: Block[] = [];
  const known = new Set<number | string>(ruleSet.transactionTypes);
  const slice = new TimeSlice();
  for (const header of [...headers].reverse()) {
    if (others.length === MAX_OTHERS) break;
    const key = hexKey(header.hash);
    const isKnown = typesInAnvilBlock(header.value).every((type) => known.has(type));
    if (seen.has(key) || !isKnown) continue;
    seen.add(key);
    try {
      others.push(await runTask(readAnvilBlock(header, null, mined, ruleSet), slice));
    } catch (error) {
      if (!(error instanceof LeftOutBlockError)) throw error;
    }
  }
  return others.reverse();
}

/**
 * New versions write two states for a block that was changed by a cheat. The later one wins, because the
 * child block was built on it.
 */
function* readStates(value: StrictValue): Steps<Map<string, WorldState>> {
  const states = new Map<string, WorldState>();
  if (value.isNothing) return states;
  const list = value.isArray ? value : value.field('states');
  for (const item of list.items()) {
    const [hash, state] = item.items();
    if (hash === undefined || state === undefined) throw item.fault('a block hash and a state');
    states.set(hexKey(hash.bytes(32)), yield* readHistoricalState(state));
  }
  return states;
}

/** Returns the state after a block of the chain below the highest. */
export function stateAfter({ states }: AnvilChain, block: Block): WorldState {
  return states.get(hexKey(block.hash)) ?? WorldState.unknown();
}
