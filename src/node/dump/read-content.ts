import { keyOf, toHex } from '../../primitives/hex.ts';
import { type RuleSetName, ruleSetNamed } from '../../rules/rule-set.ts';
import { UnknownStateError } from '../../state/errors.ts';
import type { StateSource } from '../../state/state-source.ts';
import { WorldState } from '../../state/world-state.ts';
import { readAccounts, withAccounts } from './anvil/anvil-accounts.ts';
import { readAnvilHeader } from './anvil/read-anvil-block.ts';
import { jsonLines } from './dump-bytes.ts';
import { type DumpFile, type OwnDump, readFacts } from './dump-file.ts';
import { DUMP_VERSION } from './dump-format.ts';
import type { DumpValue } from './dump-value.ts';
import { readDump } from './read-dump.ts';

/** The highest block of a file. */
export interface ContentHead {
  readonly number: number;
  /** 32 bytes as DATA. */
  readonly hash: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/** What is in a file, to be looked at without a chain. */
export interface DumpContent {
  readonly format: 'node-cli' | 'anvil';
  /** Of the format; `null` where it has none. */
  readonly version: number | null;
  /** `null` where the file does not say. */
  readonly ruleSet: RuleSetName | null;
  readonly chainId: number | null;
  readonly head: ContentHead | null;
  readonly blocks: number;
  readonly transactions: number;
  readonly snapshots: number;
  /** Accounts whose keys are in it. */
  readonly keys: number;
  /** The state at the head. */
  readonly state: WorldState;
}

function unknown(): never {
  throw new UnknownStateError();
}

/** What a fork began with, where only what was written since is looked at. */
const NOT_AT_HAND: StateSource = { account: unknown, storageAt: unknown, blockHash: unknown };

/** Reads all of the file. Rejects with an `InvalidDumpError`. */
export async function readContent(file: DumpFile): Promise<DumpContent> {
  return file.kind === 'own' ? readOwn(file) : readAnvil(file.value);
}

async function readOwn(file: OwnDump): Promise<DumpContent> {
  const { ruleSet, fork } = readFacts(file);
  const ground = fork === null ? null : { ...fork, state: WorldState.beginningWith(NOT_AT_HAND) };
  const { entries, kept, keys, present } = await readDump(
    jsonLines(file.lines),
    ruleSetNamed(ruleSet),
    ground,
  );
  const blocks = entries.flatMap((entry) => ('block' in entry ? [entry.block] : []));
  const [first, head] = [blocks[0], blocks.at(-1)];
  if (first === undefined || head === undefined) throw new RangeError('a dump that was read has no blocks');
  const { number, timestamp } = head.header;
  return {
    format: file.isCarried ? 'anvil' : 'node-cli',
    version: DUMP_VERSION,
    ruleSet,
    chainId: present.settings.chainId,
    head: { number, timestamp, hash: toHex(head.hash) },
    blocks: number - first.header.number + 1,
    transactions: blocks.reduce((sum, { transactions }) => sum + transactions.length, 0),
    snapshots: kept.length,
    keys: keys.length,
    state: present.headState,
  };
}

function readAnvil(value: DumpValue): DumpContent {
  const blocks = value.field('blocks');
  const headers = blocks.isNothing ? [] : blocks.items().map(readAnvilHeader);
  const best = value.field('best_block_number').orNull((number) => number.count());
  const head = headers.find(({ header }) => header.number === best);
  const transactions = value.field('transactions');
  return {
    format: 'anvil',
    version: null,
    ruleSet: null,
    chainId: null,
    head: head === undefined ? null : headOf(head),
    blocks: new Set(headers.map(({ hash }) => keyOf(hash))).size,
    transactions: transactions.isNothing ? 0 : transactions.items().length,
    snapshots: 0,
    keys: 0,
    state: withAccounts(WorldState.empty(), readAccounts(value.field('accounts'))),
  };
}

function headOf({ header, hash }: ReturnType<typeof readAnvilHeader>): ContentHead {
  return { number: header.number, timestamp: header.timestamp, hash: toHex(hash) };
}
