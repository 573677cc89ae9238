// Moves the local blocks of a fork onto a later block of the forked chain, without executing them again.

import { sealAgain } from '../../execution/sealing.ts';
import { bigIntToFixedBytes, bytesToBigInt, equalBytes, stripLeadingZeros } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import type { Block } from '../../protocol/block.ts';
import { RING_SIZE } from '../../protocol/hardforks/system-contracts.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { nextIteration } from '../../scheduling/cancel-check.ts';
import { runTask, type Task, waitFor } from '../../scheduling/task.ts';
import { ChangeOfSource, type MapSlots, type NonceConflict } from '../../state/change-of-source.ts';
import { WorldState } from '../../state/world-state.ts';
import { BlockStorage } from '../../storage/block-storage.ts';
import { Blockchain } from '../../storage/blockchain.ts';
import { EmptyBlockRange } from '../../storage/empty-block-range.ts';
import { MemoryStore } from '../../storage/key-value-store.ts';
import type { ChainCore, ForkBase } from '../chain-core.ts';
import type { CallToken } from '../changes.ts';
import type { ChainOrigin, Snapshots } from '../snapshots/snapshots.ts';
import type { BlockProducer } from './block-producer.ts';

/** A block of the forked chain that the local blocks continue on. */
export interface NewBase {
  readonly base: ForkBase;
  /** The block and the state after it. */
  readonly origin: ChainOrigin;
  /** The number of the first new block of the forked chain. */
  readonly first: number;
  /** The newest new blocks up to the base, lowest first. Subscribers are notified of them. */
  readonly inserted: readonly Block[];
  /** The blocks of the forked chain that it has replaced since, highest first. */
  readonly replaced: readonly Block[];
}

/** The local blocks on their new base. */
interface Rebuilt {
  readonly blockchain: Blockchain;
  /** The blocks in order. A range of empty blocks is represented by the block above it. */
  readonly blocks: readonly Block[];
  readonly conflicts: Iterable<NonceConflict>;
}

/** Number of `block` events between two yields to the event loop. */
const BLOCKS_PER_TURN = 32;
const WORD_SIZE = 32;

export class BaseChange {
  readonly #core: ChainCore;
  readonly #producer: BlockProducer;
  readonly #snapshots: Snapshots;

  constructor(core: ChainCore, producer: BlockProducer, snapshots: Snapshots) {
    this.#core = core;
    this.#producer = producer;
    this.#snapshots = snapshots;
  }

  /**
   * Moves the local blocks onto a later block of the forked chain, or onto one that replaced it. They keep
   * transactions, receipts and state changes, and get new numbers, hashes and, if they must, timestamps. Accounts
   * and slots that were written here keep their values. Snapshots keep their blocks. `prepare` returns the base,
   * or `null` to change nothing. Resolves to the accounts whose nonce is higher on the forked chain.
   */
  move(prepare: () => NewBase | null, call: CallToken | null = null): Promise<readonly NonceConflict[]> {
    return this.#core.changes.run(
      () =>
        runTask(
          this.#producer.inTurn(() => this.#move(prepare())),
          this.#producer.timeSlice(),
        ),
      call,
    );
  }

  *#move(next: NewBase | null): Task<readonly NonceConflict[]> {
    if (next === null) return [];
    const { blockchain, fork, pool, events, changes } = this.#core;
    const { first } = blockchain;
    const { blockchain: rebuilt, blocks, conflicts } = yield* this.#rebuild(next.origin);
    // The pool reads them after the move, when nothing may be missing.
    for (const { transaction } of pool.entries()) rebuilt.head.state.account(transaction.sender);
    this.#snapshots.leaveBlocks();
    const left = yield* blockchain.become(rebuilt);
    fork.moveTo(next.base);
    this.#removeOvertaken();
    const removed = [...left.filter(({ header }) => header.number > first), ...next.replaced];
    if (removed.length > 0) events.emit('removed', removed, 'same blocks', changes.call);
    events.emit('inserted', next.inserted, {
      first: next.first,
      isReorganization: next.replaced.length > 0,
      localBlocks: blocks.length,
    });
    for (const [index, block] of blocks.entries()) {
      events.emit('block', block, null, changes.call);
      if (index % BLOCKS_PER_TURN === BLOCKS_PER_TURN - 1) yield* waitFor(nextIteration());
    }
    return Array.from(conflicts);
  }

  /** Removes transactions of the pool whose nonce is used on the forked chain. */
  #removeOvertaken(): void {
    const { pool, events } = this.#core;
    const before = Array.from(pool.entries(), ({ transaction }) => transaction);
    pool.removeStale(before.map(({ sender }) => sender));
    for (const { hash } of before)
      if (pool.byHash(hash) === undefined)
        events.emit(
          'notice',
          `Removed transaction ${toHex(hash)} from the pool: the forked chain has used its nonce`,
        );
  }

  /** Returns the local blocks on top of the block. The chain does not change. */
  *#rebuild({ block: base, state: baseState }: ChainOrigin): Task<Rebuilt> {
    const { blockchain, ruleSet } = this.#core;
    const { first, head } = blockchain;
    const shift = base.header.number - first;
    const change = new ChangeOfSource(sourceOf(head.state), sourceOf(baseState));
    let before = blockchain.state(first);
    let moved = yield* change.move(WorldState.beginningWith(sourceOf(before)), before, baseState);
    const rebuilt = Blockchain.create(new BlockStorage(new MemoryStore(), ruleSet), base, moved);
    const blocks: Block[] = [];
    let parent: Pick<Block, 'hash' | 'totalDifficulty' | 'header'> = base;
    let range: EmptyBlockRange | null = null;
    for (const entry of blockchain.entries()) {
      if ('range' in entry) {
        range = rangeAbove(parent, entry.range, shift, moved, ruleSet);
        parent = range.top;
        continue;
      }
      const { number, timestamp } = entry.block.header;
      if (number === first) continue;
      const { state } = entry;
      const below = range;
      const hashOf = (of: number): Uint8Array =>
        below?.includes(of) === true ? below.hashOf(of) : rebuilt.summary(of).hash;
      moved = yield* change.move(before, state, moved, this.#historySlots(number, first, shift, hashOf));
      before = state;
      const place = {
        parent,
        number: number + shift,
        timestamp: Math.max(timestamp, parent.header.timestamp + 1),
        stateRoot: moved.root,
        closing: this.#closingOf(entry.block, number + shift),
      };
      const block = yield* sealAgain(entry.block, place, ruleSet);
      yield* rebuilt.append({ range, block, state: moved });
      blocks.push(block);
      parent = block;
      range = null;
    }
    return { blockchain: rebuilt, blocks, conflicts: change.conflicts };
  }

  /** Returns the closing transaction at a new number, because its hash depends on the number; `null` without one. */
  #closingOf({ header, transactions }: Block, number: number): Transaction | null {
    const { closing } = this.#core;
    const last = transactions.at(-1);
    if (closing === null || last === undefined) return null;
    return equalBytes(last.hash, closing.transaction(header.number).hash)
      ? closing.transaction(number)
      : null;
  }

  /**
   * Returns the slots of block hashes (EIP-2935) that a moved block writes. `number` is its former number, and
   * `first` the former number of the base.
   */
  #historySlots(
    number: number,
    first: number,
    shift: number,
    hashOf: (number: number) => Uint8Array,
  ): MapSlots {
    const history = this.#core.ruleSet.systemContracts.find(
      ({ call }) => call.at === 'beginning' && call.input === 'parent hash',
    );
    return (address, slots) => {
      if (history === undefined || !equalBytes(address, history.address)) return slots;
      return slots.map((slot) => {
        const index = bytesToBigInt(slot.slot);
        if (index >= RING_SIZE) return slot;
        const age = (number - 1 - Number(index) + number * RING_SIZE) % RING_SIZE;
        const ancestor = number - 1 - age;
        if (ancestor < first) return slot;
        const now = ancestor + shift;
        return {
          slot: bigIntToFixedBytes(BigInt(now % RING_SIZE), WORD_SIZE),
          value: stripLeadingZeros(hashOf(now)),
        };
      });
    };
  }
}

function sourceOf({ source }: WorldState) {
  if (source === null) throw new Error('the chain is no fork');
  return source;
}

/** Returns the empty blocks on another parent. */
function rangeAbove(
  { hash, totalDifficulty, header }: Pick<Block, 'hash' | 'totalDifficulty' | 'header'>,
  range: EmptyBlockRange,
  shift: number,
  state: WorldState,
  ruleSet: ChainCore['ruleSet'],
): EmptyBlockRange {
  const template = {
    ...range.template,
    base: { number: header.number, hash, totalDifficulty },
    firstTimestamp: Math.max(range.template.firstTimestamp, header.timestamp + 1),
    stateRoot: state.root,
  };
  return EmptyBlockRange.create(template, state, range.last + shift, ruleSet);
}
