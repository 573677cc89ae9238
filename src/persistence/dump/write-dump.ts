// Writes a chain as a dump, and reads and writes ranges of reserved blocks.

import type { ParentChainForms } from '../../chain/live-parent-chain.ts';
import type { ChainOptions } from '../../chain/settings/chain-options.ts';
import type { NamedSnapshot, SnapshotsImage } from '../../chain/snapshots/snapshots.ts';
import type { ForkRecord } from '../../fork/fork-options.ts';
import { isLongJson, type JsonWriter, jsonParts } from '../../json/json-writer.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { runTask } from '../../scheduling/task.ts';
import type { TimeSlice } from '../../scheduling/time-slice.ts';
import { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import {
  type BlockEntry,
  EmptyBlockRange,
  filedBlock,
  type RangeBase,
  type RangeTemplate,
} from '../../storage/empty-block-range.ts';
import type { StoredKey } from '../../wallet/keystore.ts';
import { writeBlock } from '../../wire/block-file.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import { address, bytes, type FileCodec, fileObjectOf, hash, integer, nullOr } from '../../wire/values.ts';
import type { OnProgress } from './dump-bytes.ts';
import { headingJson } from './dump-format.ts';
import { forkRecords } from './fork-json.ts';
import { gas, keyJson, number, persistedStateJson } from './persisted-state-json.ts';
import type { StateWriter } from './state-json.ts';
import { WrittenParentBlocks } from './stored-parent-blocks.ts';

/** A range in a dump. Its state equals the state of the block below. */
type RangeRecord = Pick<EmptyBlockRange, 'last' | 'seed'> & RangeTemplate;

const RANGE: FileCodec<RangeRecord> = fileObjectOf<RangeRecord>({
  last: number,
  seed: hash,
  base: fileObjectOf<RangeBase>({ number, hash, totalDifficulty: integer }),
  firstTimestamp: number,
  interval: number,
  coinbase: address,
  gasLimit: gas,
  minimumGasPrice: integer,
  baseFeePerGas: nullOr(integer),
  extraData: bytes,
  stateRoot: hash,
});

function rangeJson({ last, seed, template }: EmptyBlockRange): unknown {
  return RANGE.write({ ...template, last, seed });
}

/** Inverse of {@link rangeJson}, with the given state. Throws an `InvalidDumpError`. */
export function readRange(value: StrictValue, state: WorldState, ruleSet: RuleSet): EmptyBlockRange {
  const fee = value.field('baseFeePerGas');
  const hasBaseFee = ruleSet.fees.name !== 'gas price';
  if (fee.isNothing === hasBaseFee) fee.refuse(hasBaseFee ? 'a base fee' : 'no base fee');
  const { last, seed, ...template } = RANGE.read(value, 'dump');
  if (last <= template.base.number) value.field('last').refuse(`a number above ${template.base.number}`);
  return EmptyBlockRange.restore({ template, last, seed }, state, ruleSet);
}

export interface ChainImage extends SnapshotsImage {
  /** A chain in memory with the blocks of the dump. */
  readonly blockchain: Blockchain;
  /** The keys in the dump; empty without keys. */
  readonly keys: readonly StoredKey[];
  /** True if the dump has a parent chain that was not read. */
  readonly lacksParentChain: boolean;
}

/** The content of a dump. The chain must not change meanwhile. */
export interface DumpSource {
  /** The chain's options for the first line. */
  readonly heading: ChainOptions;
  /** `null` for a chain with its own genesis. */
  readonly fork: ForkRecord | null;
  readonly blockchain: Blockchain;
  readonly image: SnapshotsImage;
  readonly keys: readonly StoredKey[];
  /** Writes the parent chain; `null` without one. */
  readonly parentForms: ParentChainForms | null;
}

/** Work units per block for its state and difference, in addition to the size of the difference. */
const WORK_OF_STATE = 8_192;

/** Work units per character of JSON that is created from objects. */
const WORK_OF_CHARACTER = 4;

/** Receives the lines of a dump. */
export interface LineTarget {
  /** Writes the present line. */
  readonly line: JsonWriter;
  /** Ends a line. `block` is the number of its block, or `null`. */
  end(block: number | null): Promise<void>;
}

/** Writes the lines before the first block (see `DUMP_FORMAT`). */
export async function writePreamble(
  { heading, fork }: Pick<DumpSource, 'heading' | 'fork'>,
  target: LineTarget,
  slice: TimeSlice,
): Promise<void> {
  await writeRecord(headingJson(heading), target, slice);
  if (fork !== null) for (const record of forkRecords(fork)) await writeRecord(record, target, slice);
}

/**
 * Writes the lines from the first block, or from the one above `below`. `states` has written the codes up to
 * there. Other work runs meanwhile, as `slice` requires.
 */
export async function writeDump(
  source: DumpSource,
  states: StateWriter,
  below: number | null,
  target: LineTarget,
  onProgress: OnProgress,
  slice: TimeSlice,
): Promise<void> {
  const { blockchain, image, keys, parentForms } = source;
  await writeChain(blockchain, states, below, target, onProgress, slice);
  for (const record of parentBlockRecords(image, parentForms)) await writeRecord(record, target, slice);
  for (const kept of image.kept)
    for await (const record of snapshotRecords(blockchain, states, kept, slice, parentForms))
      await writeRecord(record, target, slice);
  const present = {
    head: blockchain.head.block.header.number,
    lastSnapshot: image.lastNumber,
    ...persistedStateJson(image.present, parentForms),
    ...(keys.length > 0 && { keys: keys.map(keyJson) }),
  };
  await writeRecord({ present }, target, slice);
}

async function writeRecord(record: object, target: LineTarget, slice: TimeSlice): Promise<void> {
  await writeJson(record, target, slice);
  await target.end(null);
}

/** Writes the JSON of an object, without its first `omitted` characters. */
async function writeJson(value: object, { line }: LineTarget, slice: TimeSlice, omitted = 0): Promise<void> {
  const texts = isLongJson(value)
    ? await runTask(
        jsonParts(value, () => {}),
        slice,
      )
    : [JSON.stringify(value)];
  let start = omitted;
  for (const text of texts) {
    line.text(start === 0 ? text : text.slice(start));
    start = 0;
    await slice.spend(WORK_OF_CHARACTER * text.length);
  }
}

async function writeChain(
  blockchain: Blockchain,
  states: StateWriter,
  lastWritten: number | null,
  target: LineTarget,
  onProgress: OnProgress,
  slice: TimeSlice,
): Promise<void> {
  const { first, head } = blockchain;
  let below: BlockEntry | null = null;
  for (const entry of blockchain.entries(lastWritten ?? first)) {
    if ('range' in entry) {
      // Its state equals the state of the block below it.
      await writeRecord({ range: rangeJson(entry.range) }, target, slice);
      continue;
    }
    const block = filedBlock(entry);
    const { number } = block.header;
    if (number !== lastWritten) {
      const { codes, state } = await runTask(stateOf(entry, below, states), slice);
      for (const code of codes) await writeRecord(code, target, slice);
      target.line.text('{"block":');
      await runTask(writeBlock(target.line, block), slice);
      target.line.text(',');
      await writeJson(
        { state, ...otherRoot(entry), ...otherParent(entry, below) },
        target,
        slice,
        '{'.length,
      );
      await target.end(number);
    }
    below = entry;
    onProgress((number - first + 1) / (head.block.header.number - first + 1));
    await slice.spend(WORK_OF_STATE);
  }
}

/** Returns the state as the difference from the block below, or from the empty state. */
function* stateOf(
  entry: BlockEntry,
  below: BlockEntry | null,
  states: StateWriter,
): ReturnType<StateWriter['difference']> {
  const known = below === null || entry.changes === undefined ? null : yield* entry.changes();
  if (known !== null) return yield* states.known(known);
  const before = below?.state;
  const after = entry.stateInSteps === undefined ? entry.state : yield* entry.stateInSteps();
  return yield* states.difference(before?.isKnown === true ? before : WorldState.empty(), after);
}

/** Returns the `root` field if the state's root differs from the header's. */
function otherRoot(entry: BlockEntry): { readonly root?: string } {
  if (entry.hasRootOfHeader === true) return {};
  const { state } = entry;
  const isOfHeader = !state.isKnown || equalBytes(state.root, filedBlock(entry).header.stateRoot);
  return isOfHeader ? {} : { root: toHex(state.root) };
}

/** Returns the `hasOtherParent` field if the block's parent is not the block below, as in Anvil's files. */
function otherParent(entry: BlockEntry, below: BlockEntry | null): { readonly hasOtherParent?: true } {
  const { number, parentHash } = filedBlock(entry).header;
  const parent = below === null ? null : filedBlock(below);
  if (parent === null || parent.header.number !== number - 1) return {};
  return equalBytes(parentHash, parent.hash) ? {} : { hasOtherParent: true };
}

/** Yields the blocks of the parent chain that the states need, each after its parent. */
function* parentBlockRecords(
  { present, kept }: SnapshotsImage,
  forms: ParentChainForms | null,
): Iterable<object> {
  if (forms === null) return;
  const written = new WrittenParentBlocks();
  for (const { parentChain } of [...kept.map(({ snapshot }) => snapshot), present]) {
    const blocks = parentChain === null ? [] : written.take(parentChain.tip);
    for (const block of blocks) yield { parentBlock: toHex(forms.blockToBytes(block)) };
  }
}

async function* snapshotRecords(
  blockchain: Blockchain,
  states: StateWriter,
  { id, snapshot }: NamedSnapshot,
  slice: TimeSlice,
  parentForms: ParentChainForms | null,
): AsyncGenerator<object, void, undefined> {
  const { head, headState } = snapshot;
  const below = blockchain.state(head);
  const { codes, state } = await runTask(
    states.difference(below.isKnown ? below : WorldState.empty(), headState),
    slice,
  );
  yield* codes;
  const root = headState.isKnown ? { root: toHex(headState.root) } : {};
  yield { snapshot: id, head, state, ...root, ...persistedStateJson(snapshot, parentForms) };
}
