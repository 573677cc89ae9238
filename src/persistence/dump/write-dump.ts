// Writing a chain as a dump.

import type { ChainOptions } from '../../chain/settings/chain-options.ts';
import type { NamedSnapshot, SnapshotsImage } from '../../chain/snapshots/snapshots.ts';
import type { ForkRecord } from '../../fork/fork-options.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { isLongJson, jsonPieces } from '../../primitives/json/json-pieces.ts';
import { runTask } from '../../primitives/task.ts';
import { WorkPieces } from '../../primitives/work-pieces.ts';
import { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { ChainEntry } from '../../storage/reserved-range.ts';
import type { StoredKey } from '../../wallet/keystore.ts';
import { blockJson } from '../../wire/block.ts';
import { headingJson } from './dump-heading.ts';
import { forkRecords } from './fork-json.ts';
import { keyJson, persistedStateJson } from './persisted-state-json.ts';
import { rangeJson } from './range-json.ts';
import { StateWriter } from './state-json.ts';
import type { OnProgress } from './unpacking-room.ts';

/** A whole chain as plain values. */
export interface ChainImage extends SnapshotsImage {
  /** From the first block to the head, which is an ordinary block. */
  readonly entries: readonly ChainEntry[];
  /** The keys in the dump; empty when there are none. */
  readonly keys: readonly StoredKey[];
}

/** The contents of a dump; the chain must not change meanwhile. */
export interface DumpSource {
  /** The chain's options, which the first line records. */
  readonly heading: ChainOptions;
  /** `null` for a chain with a first block of its own. */
  readonly fork: ForkRecord | null;
  readonly blockchain: Blockchain;
  readonly image: SnapshotsImage;
  readonly keys: readonly StoredKey[];
}

/** Units of work for computing a piece of text, for each of its characters. */
const WORK_OF_CHARACTER = 4;

/**
 * Yields the text of a dump (see `DUMP_FORMAT`), whose lines are JSON values, in pieces that are short whatever is in a
 * line. Yields to the event loop between them.
 */
export async function* writeDump(
  source: DumpSource,
  onProgress: OnProgress,
): AsyncGenerator<string, void, undefined> {
  const pieces = new WorkPieces();
  for await (const record of records(source, onProgress, pieces)) {
    const texts = isLongJson(record)
      ? await runTask(jsonPieces(record, pieces, () => {}))
      : [JSON.stringify(record)];
    texts.push(`${texts.pop()}\n`);
    for (const text of texts) {
      yield text;
      await pieces.spend(WORK_OF_CHARACTER * text.length);
    }
  }
}

async function* records(
  source: DumpSource,
  onProgress: OnProgress,
  pieces: WorkPieces,
): AsyncGenerator<object, void, undefined> {
  const { heading, fork, blockchain, image, keys } = source;
  yield headingJson(heading);
  if (fork !== null) yield* forkRecords(fork);
  const states = new StateWriter();
  yield* chainRecords(blockchain, states, onProgress, pieces);
  for (const kept of image.kept) yield* snapshotRecords(blockchain, states, kept, pieces);
  yield {
    present: {
      head: blockchain.head.header.number,
      lastSnapshot: image.lastNumber,
      ...persistedStateJson(image.present),
      ...(keys.length > 0 && { keys: keys.map(keyJson) }),
    },
  };
}

async function* chainRecords(
  blockchain: Blockchain,
  states: StateWriter,
  onProgress: OnProgress,
  pieces: WorkPieces,
): AsyncGenerator<object, void, undefined> {
  const { first, head } = blockchain;
  let before = WorldState.empty();
  for (const entry of blockchain.entries()) {
    if ('range' in entry) {
      // Its state is that of the block below it.
      yield { range: rangeJson(entry.range) };
      continue;
    }
    const { block, state: after } = entry;
    const { codes, state } = await runTask(states.difference(before, after, pieces));
    yield* codes;
    const isOfHeader = !after.isKnown || equalBytes(after.root, block.header.stateRoot);
    yield { block: blockJson(block), state, ...(!isOfHeader && { root: toHex(after.root) }) };
    before = after.isKnown ? after : WorldState.empty();
    onProgress((block.header.number - first + 1) / (head.header.number - first + 1));
  }
}

async function* snapshotRecords(
  blockchain: Blockchain,
  states: StateWriter,
  { id, snapshot }: NamedSnapshot,
  pieces: WorkPieces,
): AsyncGenerator<object, void, undefined> {
  const { head, headState } = snapshot;
  const below = blockchain.state(head);
  const { codes, state } = await runTask(
    states.difference(below.isKnown ? below : WorldState.empty(), headState, pieces),
  );
  yield* codes;
  const root = headState.isKnown ? { root: toHex(headState.root) } : {};
  yield { snapshot: id, head, state, ...root, ...persistedStateJson(snapshot) };
}
