import type { TransactionPool } from '../../chain/pool/pool.ts';
import type { SerialQueue } from '../../chain/serial-queue.ts';
import { type ConditionParts, runtimeState } from '../../chain/settings/block-settings.ts';
import type { ChainOptions } from '../../chain/settings/chain-options.ts';
import type { Snapshots } from '../../chain/snapshots/snapshots.ts';
import { ForkDumpError } from '../../fork/errors.ts';
import type { Fork } from '../../fork/fork.ts';
import type { ForkHandle } from '../../fork/fork-handle.ts';
import { equalBytes, joinBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { nextTurn } from '../../primitives/interrupt.ts';
import { runTask } from '../../primitives/task.ts';
import { WorkPieces } from '../../primitives/work-pieces.ts';
import type { Block } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { fetchingState } from '../../state/state-source.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { ChainEvents } from '../../storage/chain-events.ts';
import { ForkNotKeptError } from '../../storage/errors.ts';
import type { ChainEntry, ReservedRange } from '../../storage/reserved-range.ts';
import type { Wallet } from '../../wallet/wallet.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import { withAccounts } from '../anvil/anvil-accounts.ts';
import { type AnvilChain, type AnvilState, readAnvilState, stateAfter } from '../anvil/read-anvil-state.ts';
import { anvilStateJson, withCarriedDump } from '../anvil/write-anvil-state.ts';
import type { CreateDurability } from '../durable/durability.ts';
import { compress, jsonLines } from './dump-bytes.ts';
import { type DumpFile, type OwnDump, openDump } from './dump-file.ts';
import { readForkRecord } from './fork-json.ts';
import type { PersistedState } from './persisted-state-json.ts';
import { type ForkGround, readDump } from './read-dump.ts';
import { type OnProgress, partOf, UnpackingRoom, untold } from './unpacking-room.ts';
import { type ChainImage, writeDump } from './write-dump.ts';

/** What a mark is made of; all of it belongs to one chain. */
export interface MarkParts extends ConditionParts {
  readonly blockchain: Blockchain;
  readonly pool: TransactionPool;
  readonly snapshots: Snapshots;
  readonly wallet: Wallet;
}

/** A moment of a chain, to tell whether anything has changed since. */
export type ChainMark = readonly unknown[];

/**
 * The mark of the chain as it is now. The parts of a chain replace what changes instead of changing it, so it is made of
 * what stands there, and costs the same however large the chain is.
 */
export function markOf(parts: MarkParts): ChainMark {
  const { blockchain, pool, snapshots, wallet } = parts;
  return [
    hexKey(blockchain.head.hash),
    blockchain.headState.stamp,
    pool.version,
    ...Object.values(runtimeState(parts)),
    snapshots.lastNumber,
    wallet.version,
    ...snapshots.kept,
  ];
}

/** True when both marks are of the same moment of the same chain, as far as a dump tells. */
export function isSameMark(left: ChainMark, right: ChainMark): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}

/** What a dump is taken of; all of it belongs to one chain. */
export interface ChainDumpParts extends MarkParts {
  readonly options: ChainOptions;
  readonly ruleSet: RuleSet;
  readonly events: ChainEvents;
  readonly changes: SerialQueue;
  readonly fork: ForkHandle;
  readonly createDurability: CreateDurability | null;
}

/** How a chain is dumped. */
export interface DumpOptions {
  /** With gzip, or as lines of text. */
  readonly isCompressed: boolean;
  /** True to write the wallet too: private keys as they are, or in the keystore that their passphrase opens. */
  readonly withKeys: boolean;
  readonly onProgress?: OnProgress;
}

/** How a dump is loaded. */
export interface LoadOptions {
  /** What the chain is to be where the dump says something else, as far as that can change while a chain runs. */
  readonly adjust?: (moment: PersistedState) => PersistedState;
  /** False to leave the keys of the dump out of the wallet. */
  readonly takesKeys?: boolean;
  readonly onProgress?: OnProgress;
}

const BLOCKS_PER_TURN = 32;
/** How much of loading is reading, which checks every state and every hash; the rest is storing. */
const SHARE_OF_READING = 0.8;

/** Writes a chain into a file, and takes one out of a file in its place. */
export class ChainDump {
  readonly #parts: ChainDumpParts;

  constructor(parts: ChainDumpParts) {
    this.#parts = parts;
  }

  /** The whole chain with its history, its pool, its settings and its snapshots (see `DUMP_FORMAT`). */
  write(options: DumpOptions): Promise<Uint8Array> {
    return this.#parts.changes.run(() => this.#write(options));
  }

  /** What the chain is now, to tell later whether a dump would be another one. */
  mark(): ChainMark {
    const fork = this.#parts.fork.current;
    const fetched = fork?.options.dumpsFetched === true ? fork.upstream.version : null;
    return [...markOf(this.#parts), fork, fetched];
  }

  async #write({ isCompressed, withKeys, onProgress = untold }: DumpOptions): Promise<Uint8Array> {
    const { options, snapshots, wallet } = this.#parts;
    const keys = withKeys ? wallet.storedKeys() : [];
    const lines: Uint8Array[] = [];
    const fork = this.#parts.fork.current?.record(options) ?? null;
    const source = { ...this.#parts, heading: options, fork, image: snapshots.image(), keys };
    for await (const line of writeDump(source, onProgress)) lines.push(Buffer.from(`${line}\n`));
    const bytes = joinBytes(lines);
    return isCompressed ? compress(bytes) : bytes;
  }

  /**
   * The chain in the form of Anvil's state files, compressed or not. Anvil loads it as far as it knows what is in it;
   * loaded here it is the whole chain again, unless somebody edited it.
   */
  writeForAnvil(isCompressed = true, onProgress = untold): Promise<Uint8Array> {
    return this.#parts.changes.run(async () => {
      this.#mustNotBeFork();
      const own = await this.#write({ isCompressed: true, withKeys: false, onProgress });
      const state = await anvilStateJson(this.#parts.blockchain);
      const bytes = Buffer.from(JSON.stringify(withCarriedDump(state, own)));
      return isCompressed ? compress(bytes) : bytes;
    });
  }

  /**
   * Makes the chain what a dump says, compressed or not. A state file of Anvil is laid over the chain instead: its
   * accounts over the state at the head; its blocks in the place of those here where the rule set has blocks like that.
   * Filters and subscriptions are told as of a reorganization. Rejects with an `InvalidDumpError` or a
   * `DumpVersionError` for other bytes and for those that there is no room to unpack for, and nothing has changed.
   */
  async load(bytes: Uint8Array, room = new UnpackingRoom()): Promise<void> {
    return room.use(async (dump) => this.loadFile(await openDump(bytes, dump)));
  }

  /** As {@link load}, for what is opened already. */
  async loadFile(file: DumpFile, options: LoadOptions = {}): Promise<void> {
    const { ruleSet, changes } = this.#parts;
    if (file.kind === 'anvil') {
      const state = await readAnvilState(file.value, ruleSet);
      return changes.run(() => this.#overlay(state));
    }
    const { onProgress = untold } = options;
    const fork = await this.#holdForkOf(file);
    try {
      const image = await readDump(
        jsonLines(file.lines, partOf(onProgress, 0, SHARE_OF_READING)),
        ruleSet,
        fork === null ? null : this.#groundOf(fork),
      );
      if (fork !== null) await fetchPoolSenders(image);
      await changes.run(() => this.#adopt(image, fork, options));
    } finally {
      fork?.release();
    }
  }

  /** The fork that the chain of the dump is, held: the one here, if it begins as that does; `null` for none. */
  async #holdForkOf({ lines }: OwnDump): Promise<Fork | null> {
    const { fork, options, createDurability } = this.#parts;
    const record = await readForkRecord(lines);
    if (record === null) return null;
    if (createDurability !== null) throw new ForkNotKeptError();
    const { current, forking } = fork;
    if (current?.isOf(record, options) === true) {
      // A reset meanwhile must not close it.
      current.hold();
      if (record.answers !== null) current.upstream.give(record.answers);
      return current;
    }
    const opened = await forking.openRecorded(record);
    opened.hold();
    return opened;
  }

  #groundOf(fork: Fork): ForkGround {
    const { ruleSet, options } = this.#parts;
    const { before, upstream } = fork;
    return { ...upstream.pin, before, state: fork.first(ruleSet, options).state };
  }

  /** Of a fork Anvil's files do not tell enough, and blocks of another chain make no sense on top of it. */
  #mustNotBeFork(): void {
    if (this.#parts.fork.current !== null) throw new ForkDumpError();
  }

  async #adopt(
    { entries, keys, present, ...image }: ChainImage,
    fork: Fork | null,
    options: LoadOptions,
  ): Promise<void> {
    const { snapshots, wallet } = this.#parts;
    const { adjust, takesKeys = true, onProgress = untold } = options;
    await this.#replaceBlocks(entries, partOf(onProgress, SHARE_OF_READING, 1));
    this.#parts.fork.replace(fork);
    snapshots.adopt({ ...image, present: { ...present, ...adjust?.(present) } });
    if (takesKeys) wallet.addStoredKeys(keys);
  }

  async #overlay({ accounts, chain }: AnvilState): Promise<void> {
    const { blockchain, pool, events } = this.#parts;
    const headState = await runTask(withAccounts(blockchain.headState, accounts, new WorkPieces()));
    if (typeof chain !== 'string') {
      this.#mustNotBeFork();
      await this.#replaceChain(chain, headState);
    } else {
      blockchain.replaceHeadState(headState);
      const { number } = blockchain.head.header;
      events.emit(
        'notice',
        `the blocks of the state file of Anvil are not loaded, its accounts are: ${chain}. The head stays block ${number}`,
      );
    }
    pool.removeStale(accounts.map(({ address }) => address));
  }

  /** Time goes on from the last block, which may be of another time than ours. */
  async #replaceChain(chain: AnvilChain, headState: WorldState): Promise<void> {
    const { blockchain, snapshots, clock } = this.#parts;
    const head = chain.blocks.length - 1;
    await this.#replaceBlocks(
      chain.blocks.map((block, number) => ({
        block,
        state: number === head ? headState : stateAfter(chain, block),
      })),
    );
    snapshots.forgetAll();
    clock.setTime(blockchain.head.header.timestamp);
  }

  /** Blocks that stand there already stay, with the state that they are to have now. */
  async #replaceBlocks(entries: readonly ChainEntry[], onProgress = untold): Promise<void> {
    const { blockchain, events } = this.#parts;
    const shared = this.#sharedEntries(entries);
    const rest = entries.slice(shared.length);
    const removed = this.#rewind(shared.at(-1), rest);
    for (const entry of shared) {
      if ('block' in entry) blockchain.replaceState(entry.block.header.number, entry.state);
    }
    const added = shared.length === 0 ? rest.slice(1) : rest;
    const successors = added.length === 0 ? 'none' : 'others follow';
    if (removed.length > 0) events.emit('removed', removed, successors);
    await this.#append(added, onProgress);
  }

  /** Those at the beginning that the chain has too, up to a block by itself. */
  #sharedEntries(entries: readonly ChainEntry[]): ChainEntry[] {
    const present = this.#parts.blockchain.entries()[Symbol.iterator]();
    const isShared = (entry: ChainEntry) => {
      const other = present.next();
      return other.done !== true && isSameEntry(entry, other.value);
    };
    const end = entries.findIndex((entry) => !isShared(entry));
    const shared = end === -1 ? entries : entries.slice(0, end);
    return shared.slice(0, shared.findLastIndex((entry) => 'block' in entry) + 1);
  }

  #rewind(lastShared: ChainEntry | undefined, [first]: readonly ChainEntry[]): readonly Block[] {
    const { blockchain } = this.#parts;
    if (lastShared !== undefined && 'block' in lastShared) {
      return blockchain.rewind(lastShared.block.header.number);
    }
    if (first === undefined || 'range' in first) throw new InvalidDumpError('it has no first block');
    return blockchain.restart(first.block, first.state);
  }

  async #append(entries: readonly ChainEntry[], onProgress: OnProgress): Promise<void> {
    const { blockchain, events } = this.#parts;
    let below: ReservedRange | null = null;
    for (const [index, entry] of entries.entries()) {
      if ('range' in entry) {
        below = entry.range;
        continue;
      }
      const { block, state } = entry;
      if (below === null) blockchain.append(block, state);
      else blockchain.appendAbove(below, block, state);
      below = null;
      events.emit('block', block, null);
      if (index % BLOCKS_PER_TURN !== 0) continue;
      onProgress(index / entries.length);
      await nextTurn();
    }
  }
}

/** A pool asks for the nonces of its senders at once, so they must be at hand. */
async function fetchPoolSenders({ present, kept }: ChainImage): Promise<void> {
  for (const { headState, pool } of [present, ...kept.map(({ snapshot }) => snapshot)]) {
    for (const { transaction } of pool.byHash.values()) {
      await fetchingState(() => headState.account(transaction.sender));
    }
  }
}

function isSameEntry(left: ChainEntry, right: ChainEntry): boolean {
  if ('block' in left) return 'block' in right && equalBytes(left.block.hash, right.block.hash);
  return (
    'range' in right && left.range.last === right.range.last && equalBytes(left.range.seed, right.range.seed)
  );
}
