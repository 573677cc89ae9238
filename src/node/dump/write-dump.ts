import type { Blockchain } from '../../chain/blockchain.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { nextTurn } from '../../primitives/next-turn.ts';
import { WorldState } from '../../state/world-state.ts';
import type { StoredKey } from '../../wallet/stored-key.ts';
import type { ChainOptions } from '../chain-options.ts';
import type { ForkRecord } from '../fork/fork-record.ts';
import type { NamedSnapshot, SnapshotsImage } from '../snapshots.ts';
import { blockJson } from './block-json.ts';
import { headingJson } from './dump-heading.ts';
import { forkRecords } from './fork-json.ts';
import { keyJson } from './key-json.ts';
import { momentJson } from './moment-json.ts';
import type { OnProgress } from './progress.ts';
import { rangeJson } from './range-json.ts';
import { StateWriter } from './state-json.ts';

/** What is written; the chain must not change meanwhile. */
export interface DumpSource {
  /** The chain's options, of which the first line tells. */
  readonly heading: ChainOptions;
  /** `null` for a chain with a first block of its own. */
  readonly fork: ForkRecord | null;
  readonly blockchain: Blockchain;
  readonly image: SnapshotsImage;
  readonly keys: readonly StoredKey[];
}

const LINES_PER_TURN = 64;

/**
 * The lines of a dump (see `DUMP_FORMAT`), each a JSON value without its line end. The event loop gets its turn
 * between them.
 */
export async function* writeDump(
  source: DumpSource,
  onProgress: OnProgress,
): AsyncGenerator<string, void, undefined> {
  let count = 0;
  for (const record of records(source, onProgress)) {
    yield JSON.stringify(record);
    if (++count % LINES_PER_TURN === 0) await nextTurn();
  }
}

function* records(source: DumpSource, onProgress: OnProgress): Generator<object, void, undefined> {
  const { heading, fork, blockchain, image, keys } = source;
  yield headingJson(heading);
  if (fork !== null) yield* forkRecords(fork);
  const states = new StateWriter();
  yield* chainRecords(blockchain, states, onProgress);
  for (const kept of image.kept) yield* snapshotRecords(blockchain, states, kept);
  yield {
    present: {
      head: blockchain.head.header.number,
      lastSnapshot: image.lastNumber,
      ...momentJson(image.present),
      ...(keys.length > 0 && { keys: keys.map(keyJson) }),
    },
  };
}

function* chainRecords(
  blockchain: Blockchain,
  states: StateWriter,
  onProgress: OnProgress,
): Generator<object, void, undefined> {
  const { first, head } = blockchain;
  let before = WorldState.empty();
  for (const entry of blockchain.entries()) {
    if ('range' in entry) {
      // Its state is that of the block below it.
      yield { range: rangeJson(entry.range) };
      continue;
    }
    const { block, state: after } = entry;
    const { codes, state } = states.difference(before, after);
    yield* codes;
    const isOfHeader = !after.isKnown || equalBytes(after.root, block.header.stateRoot);
    yield { block: blockJson(block), state, ...(!isOfHeader && { root: toHex(after.root) }) };
    before = after.isKnown ? after : WorldState.empty();
    onProgress((block.header.number - first + 1) / (head.header.number - first + 1));
  }
}

function* snapshotRecords(
  blockchain: Blockchain,
  states: StateWriter,
  { id, snapshot }: NamedSnapshot,
): Generator<object, void, undefined> {
  const { head, headState } = snapshot;
  const { state: below } = blockchain.summary(head);
  const { codes, state } = states.difference(below.isKnown ? below : WorldState.empty(), headState);
  yield* codes;
  const root = headState.isKnown ? { root: toHex(headState.root) } : {};
  yield { snapshot: id, head, state, ...root, ...momentJson(snapshot) };
}
