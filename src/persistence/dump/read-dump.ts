import type { SnapshotId } from '../../chain/errors.ts';
import type { ParentChainForms } from '../../chain/live-parent-chain.ts';
import type { NamedSnapshot, SnapshotsImage } from '../../chain/snapshots/snapshots.ts';
import type { ForkRecord } from '../../fork/fork-options.ts';
import type { Awaitable } from '../../primitives/awaitable.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import type { FiledBlock } from '../../protocol/block.ts';
import type { FederationFormat } from '../../protocol/hardforks/rootstock.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { headerHash } from '../../protocol/header-encoding.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { WorldState } from '../../state/world-state.ts';
import { BlockLayer } from '../../storage/block-layer.ts';
import { Blockchain } from '../../storage/blockchain.ts';
import { type EmptyBlockRange, isReservedHash } from '../../storage/empty-block-range.ts';
import type { StoredKey } from '../../wallet/keystore.ts';
import { readBlock, type ScannedBody } from '../../wire/block-file.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import { ignoreProgress } from './dump-bytes.ts';
import { readHeading } from './dump-format.ts';
import type { DumpLayout, DumpMark } from './dump-layout.ts';
import type { DumpLine, DumpText } from './dump-text.ts';
import { readKey, readPersistedState } from './persisted-state-json.ts';
import { PIECE_SIZE } from './pieces.ts';
import { StateReader } from './state-json.ts';
import { StoredParentBlocks } from './stored-parent-blocks.ts';
import { type ChainImage, readRange } from './write-dump.ts';

/** The parent that the next block must follow. */
export interface Parent {
  readonly number: number;
  readonly hash: Uint8Array;
}

function parentOf({ header, hash }: FiledBlock): Parent {
  return { number: header.number, hash };
}

/**
 * Throws an `InvalidDumpError` unless the block has the right hash and follows the parent. A first block
 * (`null` parent) may have any number, because a genesis file can set one.
 */
function checkBlock(value: StrictValue, block: FiledBlock, parent: Parent | null, ruleSet: RuleSet): void {
  const { header, hash } = block;
  const number = parent === null ? header.number : parent.number + 1;
  if (header.number !== number) value.field('header').field('number').refuse(String(number));
  const isChild = parent === null || equalBytes(header.parentHash, parent.hash);
  if (!isChild) value.field('header').field('parentHash').refuse(toHex(parent.hash));
  const ownHash = headerHash(header, ruleSet.encoding);
  if (equalBytes(hash, ownHash) || isReservedHash(hash, number)) return;
  value.field('hash').refuse(`the hash of the header, ${toHex(ownHash)}`);
}

/**
 * Throws an `InvalidDumpError` unless the block is the fork's pinned block. Only number and hash are checked,
 * because the upstream's header can have more fields.
 */
function checkPinned(value: StrictValue, { header, hash }: FiledBlock, pinned: Parent): void {
  if (header.number !== pinned.number) value.field('header').field('number').refuse(String(pinned.number));
  if (!equalBytes(hash, pinned.hash)) value.field('hash').refuse(toHex(pinned.hash));
}

/** Throws an `InvalidDumpError` unless the range follows the parent and has its state. */
function checkRange(
  value: StrictValue,
  { template: { base, stateRoot } }: EmptyBlockRange,
  { parent, state }: { readonly parent: Parent; readonly state: WorldState },
): void {
  if (base.number !== parent.number) value.field('base').field('number').refuse(String(parent.number));
  if (!equalBytes(base.hash, parent.hash)) value.field('base').field('hash').refuse(toHex(parent.hash));
  if (state.isKnown && !equalBytes(state.root, stateRoot)) {
    value.field('stateRoot').refuse(`the root of the previous state, ${toHex(state.root)}`);
  }
}

/**
 * Reads the lines that `writeDump` wrote. `fork` is the start of a forked chain, or `null`. Without
 * `parentForms`, the parent chain is left out. Rejects with an {@link InvalidDumpError} that names the
 * problem, or with a `DumpVersionError`.
 */
export async function readDump(
  text: DumpText,
  rules: DumpRules,
  fork: ForkBase | null,
  parentForms: ParentChainForms | null = null,
  onProgress = ignoreProgress,
): Promise<ReadDump> {
  const reader = new DumpReader(rules, fork, parentForms);
  const layout = new LayoutReader(text.isCompressed ? 0 : PIECE_SIZE);
  for await (const line of text.lines(onProgress, rules.ruleSet)) {
    await reader.take(line.value, line.body);
    layout.take(line, reader.codes);
  }
  return { ...reader.finish(), ...layout.read(reader.codes) };
}

/** A dump that was read, with the parts of its layout. */
export type ReadDump = ChainImage & Pick<DumpLayout, 'preamble' | 'marks' | 'codes'>;

/** Notes where the bytes of a dump can be divided. */
class LayoutReader {
  /** Minimum bytes of text between two marks. */
  readonly #spacing: number;
  #preamble: string | null = '';
  #isInPreamble = true;
  readonly #marks: DumpMark[] = [];
  /** The bytes of text since the last mark. */
  #length = 0;

  constructor(spacing: number) {
    this.#spacing = spacing;
  }

  take({ value, text, end }: DumpLine, codes: ReadonlyMap<string, unknown>): void {
    this.#length += text.length + 1;
    if (!value.field('answer').isNothing) this.#preamble = null;
    const block = value.field('block');
    this.#isInPreamble &&= block.isNothing && value.field('code').isNothing;
    if (this.#isInPreamble && this.#preamble !== null) this.#preamble += `${Buffer.from(text).toString()}\n`;
    if (block.isNothing || end === null || this.#length < this.#spacing) return;
    this.#marks.push({ block: block.field('header').field('number').count(), end, codes: codes.size - 1 });
    this.#length = 0;
  }

  read(codes: ReadonlyMap<string, unknown>): Pick<DumpLayout, 'preamble' | 'marks' | 'codes'> {
    return { preamble: this.#preamble, marks: this.#marks, codes: Array.from(codes.keys()).slice(1) };
  }
}

/** The rules of the chain that reads a dump. The dump must have the same ones. */
export interface DumpRules {
  readonly ruleSet: RuleSet;
  readonly federation: FederationFormat;
}

/** The start of a forked chain. */
export interface ForkBase extends Pick<ForkRecord, 'number' | 'hash' | 'before'> {
  /** The state after the pinned block. */
  readonly state: WorldState;
}

/** The end of the chain after an entry. */
interface Tip {
  readonly parent: Parent;
  readonly state: WorldState;
  readonly isBlock: boolean;
}

/** Reads the lines in sequence, by kind. */
class DumpReader {
  readonly #ruleSet: RuleSet;
  readonly #federation: FederationFormat;
  readonly #fork: ForkBase | null;
  /** The base of differences without a known state below. */
  readonly #baseState: WorldState;
  readonly #states = new StateReader();
  readonly #parents: StoredParentBlocks | null;
  readonly #timeSlice = new TimeSlice();
  /** The blocks so far; `null` before the first one. */
  #layer: BlockLayer | null = null;
  /** The range above the last block. */
  #range: EmptyBlockRange | null = null;
  readonly #kept: NamedSnapshot[] = [];
  #tip: Tip | null = null;
  #hasHeading = false;
  #hasParentChain = false;
  #end: Pick<SnapshotsImage, 'present' | 'lastNumber'> | undefined;
  #keys: readonly StoredKey[] = [];

  constructor(
    { ruleSet, federation }: DumpRules,
    fork: ForkBase | null,
    parentForms: ParentChainForms | null,
  ) {
    this.#ruleSet = ruleSet;
    this.#federation = federation;
    this.#parents = parentForms && new StoredParentBlocks(parentForms);
    this.#fork = fork;
    this.#baseState = fork?.state ?? WorldState.empty();
  }

  async take(line: StrictValue, body: ScannedBody | null): Promise<void> {
    if (!this.#hasHeading) return this.#takeHeading(line);
    if (this.#end !== undefined) line.refuse('no line after the line with "present"');
    const isOf = (name: string) => !line.field(name).isNothing;
    if (isOf('fork') || isOf('answer')) return this.#mustBeOfFork(line);
    if (isOf('code')) this.#states.addCode(line.field('code').bytes());
    else if (isOf('block')) await this.#takeBlock(line, body);
    else if (isOf('range')) this.#takeRange(line.field('range'));
    else if (isOf('parentBlock')) this.#takeParentBlock(line.field('parentBlock'));
    else if (isOf('snapshot')) await this.#takeSnapshot(line);
    else if (isOf('present')) await this.#takePresent(line.field('present'));
    else line.refuse('a line with "code", "block", "range", "parentBlock", "snapshot" or "present"');
  }

  #takeHeading(line: StrictValue): void {
    const { ruleSet, federation } = readHeading(line);
    const { name } = this.#ruleSet;
    if (ruleSet !== name) {
      throw new InvalidDumpError(
        `its hardfork is ${ruleSet}, but this chain has ${name}; start with --hardfork ${ruleSet}`,
      );
    }
    if (federation !== this.#federation) {
      throw new InvalidDumpError(
        `its federation is ${federation}, but this chain has ${this.#federation}; start with --federation ${federation}`,
      );
    }
    this.#hasHeading = true;
  }

  /** These lines were read before. */
  #mustBeOfFork(line: StrictValue): void {
    if (this.#fork === null || this.#layer !== null)
      line.refuse('no line with "fork" or "answer" at this position');
  }

  async #takeBlock(line: StrictValue, body: ScannedBody | null): Promise<void> {
    const value = line.field('block');
    const block = await runTask(readBlock(value, this.#ruleSet, body), this.#timeSlice);
    this.#checkBlock(line, block);
    const state = await this.#readState(line, this.#tip?.state ?? this.#baseState);
    checkRoot(line, state, line.field('root').orNull((own) => own.bytes(32)) ?? block.header.stateRoot);
    this.#layer ??= new BlockLayer(block.header.number, this.#ruleSet);
    await runTask(this.#layer.append({ range: this.#range, block, state }), this.#timeSlice);
    this.#range = null;
    this.#tip = { parent: parentOf(block), state, isBlock: true };
  }

  #checkBlock(line: StrictValue, block: FiledBlock): void {
    const fork = this.#fork;
    const tip = this.#tip;
    const value = line.field('block');
    if (tip === null && fork !== null && fork.before === null) {
      checkPinned(value, block, fork);
      return;
    }
    const other = line.field('hasOtherParent');
    const hasOtherParent = !other.isNothing && other.flag() && tip?.isBlock === true;
    const parent = tip?.parent ?? fork;
    const named = hasOtherParent && parent !== null ? { ...parent, hash: block.header.parentHash } : parent;
    checkBlock(value, block, named, this.#ruleSet);
  }

  #takeRange(value: StrictValue): void {
    const tip = this.#tip;
    if (tip === null || !tip.isBlock) throw value.problem('a range must follow a block');
    const range = readRange(value, tip.state, this.#ruleSet);
    checkRange(value, range, tip);
    this.#range = range;
    this.#tip = {
      parent: { number: range.last, hash: range.hashOf(range.last) },
      state: tip.state,
      isBlock: false,
    };
  }

  #readState(line: StrictValue, below: WorldState): Awaitable<WorldState> {
    const differences = line.field('state');
    if (differences.isNothing) return WorldState.unknown();
    return runTask(this.#states.apply(below.isKnown ? below : this.#baseState, differences), this.#timeSlice);
  }

  #takeParentBlock(value: StrictValue): void {
    const bytes = value.bytes();
    try {
      this.#parents?.add(bytes);
    } catch (error) {
      throw value.problem(`invalid block: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #takeSnapshot(line: StrictValue): Promise<void> {
    const head = line.field('head').count();
    const below = this.#stateAfter(head);
    if (below === null) throw line.field('head').fault('the number of an earlier block');
    const headState = await this.#readState(line, below);
    line.field('root').orNull((root) => checkRoot(line, headState, root.bytes(32)));
    const persisted = await runTask(readPersistedState(line, this.#ruleSet, this.#parents), this.#timeSlice);
    const snapshot = { head, headState, ...persisted };
    this.#kept.push({ id: readSnapshotId(line.field('snapshot')), snapshot });
  }

  #stateAfter(number: number): WorldState | null {
    const chain = this.#layer;
    if (chain === null || number < chain.first || chain.rangeAt(number) !== undefined) return null;
    return chain.state(number) ?? null;
  }

  async #takePresent(value: StrictValue): Promise<void> {
    const tip = this.#tip;
    const head = value.field('head').count();
    if (tip === null || !tip.isBlock || tip.parent.number !== head) {
      throw value.field('head').fault('the number of the last block in the dump');
    }
    const persisted = await runTask(readPersistedState(value, this.#ruleSet, this.#parents), this.#timeSlice);
    const present = { head, headState: tip.state, ...persisted };
    this.#hasParentChain = !value.field('parentChain').isNothing;
    this.#end = { present, lastNumber: value.field('lastSnapshot').count() };
    const keys = value.field('keys');
    if (!keys.isNothing) this.#keys = keys.items().map(readKey);
  }

  /** By hash, in the order of their lines; the first one is empty code. */
  get codes(): ReadonlyMap<string, unknown> {
    return this.#states.codes;
  }

  finish(): ChainImage {
    const block = this.#layer?.block(this.#end?.present.head ?? 0);
    if (this.#end === undefined || this.#layer === null || block === undefined)
      throw new InvalidDumpError('its last line is missing');
    const { present } = this.#end;
    const lacksParentChain = this.#hasParentChain && present.parentChain === null;
    const blockchain = Blockchain.of(this.#layer, this.#ruleSet, { block, state: present.headState });
    return { blockchain, kept: this.#kept, keys: this.#keys, lacksParentChain, ...this.#end };
  }
}

function readSnapshotId(value: StrictValue): SnapshotId {
  return value.isNumber ? value.count() : value.text();
}

function checkRoot(line: StrictValue, state: WorldState, root: Uint8Array): void {
  if (!state.isKnown || equalBytes(state.root, root)) return;
  throw line.field('state').problem(`the state root is ${toHex(state.root)}, expected ${toHex(root)}`);
}
