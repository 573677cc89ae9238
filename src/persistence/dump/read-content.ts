// Reads the content of a dump without a chain, for inspection.

import { AnswerStore } from '../../fork/answer-store.ts';
import { answersInMemory } from '../../fork/cache/fork-cache.ts';
import type { ForkRecord } from '../../fork/fork-options.ts';
import { ForkState } from '../../fork/fork-state.ts';
import { hexKey, toHex } from '../../primitives/hex.ts';
import { type RuleSetName, ruleSetNamed } from '../../protocol/hardforks/registry.ts';
import type { FederationFormat } from '../../protocol/hardforks/rootstock.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { UnknownStateError } from '../../state/errors.ts';
import { WorldState } from '../../state/world-state.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import { type AnvilHeader, minedTransactions, readAnvilHeaders } from '../anvil/read-anvil-block.ts';
import { readAnvilAccounts, withAccounts } from '../anvil/read-anvil-state.ts';
import { type DumpFile, type OwnDump, readFacts } from './dump-file.ts';
import type { DumpLimits } from './dump-format.ts';
import { readDump } from './read-dump.ts';

/** Returns the upstream responses in a fork's dump, without access to the upstream. */
function recordedAnswers({ number, block, answers }: ForkRecord): AnswerStore {
  const ask = async (): Promise<never> => {
    throw new UnknownStateError();
  };
  const store = new AnswerStore({ ask }, answersInMemory(), { number, block, keys: new Set() }, false);
  if (answers !== null) store.give(answers);
  return store;
}

/** The highest block of a file. */
export interface ContentHead {
  readonly number: number;
  /** 32 bytes as DATA. */
  readonly hash: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/** The fork in a file. */
export interface ContentFork {
  /** URLs of the upstream with masked secrets. */
  readonly urls: readonly string[];
  readonly chainId: number;
  /** The last block of the upstream: its number, and its hash (32 bytes) as DATA. */
  readonly number: number;
  readonly hash: string;
  /** True if the file includes all fetched responses. */
  readonly isComplete: boolean;
}

export interface DumpContent {
  readonly format: 'node-cli' | 'anvil';
  /** The version of the format; `null` for formats without one. */
  readonly version: number | null;
  /** `null` if the file does not name it. */
  readonly ruleSet: RuleSetName | null;
  /** The script format of the Bridge's federation; `null` if the file does not name it. */
  readonly federation: FederationFormat | null;
  readonly limits: DumpLimits | null;
  readonly chainId: number | null;
  readonly head: ContentHead | null;
  readonly blocks: number;
  readonly transactions: number;
  readonly snapshots: number;
  /** The number of accounts with included keys. */
  readonly keys: number;
  /** The fork; `null` for a chain with its own genesis. */
  readonly fork: ContentFork | null;
  /** The known upstream responses; `null` for a chain with its own genesis. */
  readonly answers: AnswerStore | null;
  /** The state at the head. For a fork, reads outside the file throw `MissingStateError`. */
  readonly state: WorldState;
}

/** Reads the whole file. Rejects with an `InvalidDumpError`. */
export async function readContent(file: DumpFile): Promise<DumpContent> {
  return file.kind === 'own' ? readOwn(file) : readAnvil(file.value);
}

async function readOwn(file: OwnDump): Promise<DumpContent> {
  const { version, ruleSet, federation, limits, fork } = await readFacts(file);
  const answers = fork === null ? null : recordedAnswers(fork);
  const base =
    fork === null || answers === null
      ? null
      : {
          ...fork,
          state: WorldState.beginningWith(
            new ForkState(answers, fork.funds, { hasBridge: false, hints: null, companions: [] }),
          ),
        };
  const { blockchain, kept, keys, present } = await readDump(
    file.text,
    { ruleSet: ruleSetNamed(ruleSet), federation },
    base,
  );
  const { hash, header } = blockchain.head.block;
  const { number, timestamp } = header;
  let transactions = 0;
  for (const entry of blockchain.entries())
    if ('block' in entry) transactions += entry.block.transactions.length;
  return {
    format: file.carrier === null ? 'node-cli' : 'anvil',
    version,
    ruleSet,
    federation,
    limits,
    chainId: present.settings.chainId,
    head: { number, timestamp, hash: toHex(hash) },
    blocks: number - blockchain.first + 1,
    transactions,
    snapshots: kept.length,
    keys: keys.length,
    fork: fork === null ? null : contentFork(fork),
    answers,
    state: present.headState,
  };
}

function contentFork({ urls, chainId, number, hash, answers }: ForkRecord): ContentFork {
  return { urls, chainId, number, hash: toHex(hash), isComplete: answers !== null };
}

async function readAnvil(value: StrictValue): Promise<DumpContent> {
  const blocks = value.field('blocks');
  const mined = minedTransactions(value.field('transactions'));
  const headers = blocks.isNothing ? [] : readAnvilHeaders(blocks.items(), mined);
  const best = value.field('best_block_number').orNull((number) => number.count());
  const head = headers.findLast(({ header }) => header.number === best);
  const slice = new TimeSlice();
  const accounts = await runTask(readAnvilAccounts(value.field('accounts')), slice);
  return {
    format: 'anvil',
    version: null,
    ruleSet: null,
    federation: null,
    limits: null,
    chainId: null,
    head: head === undefined ? null : headOf(head),
    blocks: new Set(headers.map(({ hash }) => hexKey(hash))).size,
    transactions: headers.reduce((sum, block) => sum + block.value.field('transactions').items().length, 0),
    snapshots: 0,
    keys: 0,
    fork: null,
    answers: null,
    state: await runTask(withAccounts(WorldState.empty(), accounts), slice),
  };
}

function headOf({ header, hash }: AnvilHeader): ContentHead {
  return { number: header.number, timestamp: header.timestamp, hash: toHex(hash) };
}
