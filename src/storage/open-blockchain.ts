// Opens a chain from disk.

import { equalBytes } from '../primitives/bytes.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { StateKeeper } from '../state/state-store.ts';
import { WorldState } from '../state/world-state.ts';
import { BlockIndexStore } from './block-index-store.ts';
import { BlockLayer } from './block-layer.ts';
import { BlockStorage } from './block-storage.ts';
import { Blockchain } from './blockchain.ts';
import type { DurableStore } from './durable-store.ts';
import { decodeRangeRecord } from './empty-block-range.ts';
import { BlockRecordError } from './errors.ts';

/** Returns a storage that stores the data for {@link openBlockchain} with each block. */
export function durableStorage(store: DurableStore, states: StateKeeper, ruleSet: RuleSet): BlockStorage {
  return new BlockStorage(store, ruleSet, new BlockIndexStore(store, states));
}

/** Opens states in block order. Consecutive blocks with the same root share one state object. */
class StateSequence {
  readonly #states: StateKeeper;
  #root: Uint8Array | null = null;
  #state = WorldState.unknown();

  constructor(states: StateKeeper) {
    this.#states = states;
  }

  /** Returns the state of a range of reserved blocks, equal to the state of the block below it. */
  ofRange(root: Uint8Array): WorldState {
    return this.#states.isByRoot ? this.next(root) : this.#state;
  }

  next(root: Uint8Array | null): WorldState {
    if (root === null || this.#root === null || !equalBytes(root, this.#root)) {
      this.#root = root;
      this.#state = root === null ? WorldState.unknown() : this.#states.open(root);
    }
    return this.#state;
  }
}

/**
 * Opens the chain on disk. It reads a small record per block; blocks and states are read on access. Rejects
 * with a {@link BlockRecordError} for inconsistent records.
 */
export async function openBlockchain(
  store: DurableStore,
  states: StateKeeper,
  ruleSet: RuleSet,
): Promise<Blockchain> {
  const indexStore = new BlockIndexStore(store, states);
  const storage = new BlockStorage(store, ruleSet, indexStore);
  const ranges = await indexStore.ranges();
  const sequence = new StateSequence(states);
  let layer: BlockLayer | undefined;
  let next = 0;
  for await (const { number, record } of indexStore.records()) {
    layer ??= new BlockLayer(number, ruleSet, storage);
    const below = ranges.get(next);
    if (below !== undefined) {
      const range = decodeRangeRecord(below, (root) => sequence.ofRange(root), ruleSet);
      layer.restore(range, range.state, []);
      next = range.last + 1;
    }
    if (!layer.isEmpty && number !== next) {
      throw new BlockRecordError(`expected block ${next}, got block ${number}`);
    }
    const { hash, stateRoot, logsBloom, logs } = record;
    layer.restore({ hash, logsBloom }, sequence.next(stateRoot), logs);
    next = number + 1;
  }
  const block = storage.block(next - 1);
  const state = layer?.state(next - 1);
  if (layer === undefined || block === undefined || state === undefined)
    throw new BlockRecordError('it has no head');
  return Blockchain.of(layer, ruleSet, { block, state });
}
