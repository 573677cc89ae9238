// Ranges of empty blocks that are kept as one record, in a form that is stored too, and computed on access, so that mining very many blocks
// is cheap.

import { blockEnvironment, sealAtOnce, type UnsealedBlock, unprovenBlock } from '../execution/sealing.ts';
import { bytesToBigInt, concatBytes, equalBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { encodeRlp, type RlpItem } from '../primitives/rlp.ts';
import type { Block, ParentBlock } from '../protocol/block.ts';
import { nextBaseFee } from '../protocol/fees.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { Task } from '../scheduling/task.ts';
import type { WorkPieces } from '../scheduling/work-pieces.ts';
import type { AccountDifference } from '../state/account-differences.ts';
import type { WorldState } from '../state/world-state.ts';
import { bytesOf, integer, itemOf, listOf } from './block-index-store.ts';

const NUMBER_SIZE = 8;
const HASH_SIZE = 32;
const HEAD_SIZE = HASH_SIZE - NUMBER_SIZE;

const encoder = new TextEncoder();
const HASH_DOMAIN = encoder.encode('node-cli reserved block hash');
const MASK_DOMAIN = encoder.encode('node-cli reserved block mask');

function numberBytes(number: number): Uint8Array {
  const bytes = new Uint8Array(NUMBER_SIZE);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
}

function masked(number: Uint8Array, head: Uint8Array): Uint8Array {
  const mask = keccak256(concatBytes(MASK_DOMAIN, head));
  const bytes = new Uint8Array(NUMBER_SIZE);
  for (let index = 0; index < NUMBER_SIZE; index++) bytes[index] = (number[index] ?? 0) ^ (mask[index] ?? 0);
  return bytes;
}

/**
 * Returns the hash (32 bytes) of the block with that number in the reserved range with that seed (32 bytes). The first
 * 24 bytes are a hash of both. The others are the number, masked with bytes that follow from those 24, so that the
 * number can be recovered from the hash and yet each byte looks random.
 */
export function reservedHash(seed: Uint8Array, number: number): Uint8Array {
  const bytes = numberBytes(number);
  const head = keccak256(concatBytes(HASH_DOMAIN, seed, bytes)).subarray(0, HEAD_SIZE);
  return concatBytes(head, masked(bytes, head));
}

/**
 * Returns the number of the block with that hash if it is the hash of a reserved block, or an arbitrary number
 * otherwise. The caller must compare with the hash of the block with that number.
 */
export function reservedNumber(hash: Uint8Array): bigint {
  const number = masked(hash.subarray(HEAD_SIZE), hash.subarray(0, HEAD_SIZE));
  return new DataView(number.buffer).getBigUint64(0);
}

/** True for the hash of a reserved block with that number, also of one that is kept by itself by now. */
export function isReservedHash(hash: Uint8Array, number: number): boolean {
  return reservedNumber(hash) === BigInt(number);
}

/** The properties of the block below a range that the range depends on. */
export interface RangeBase {
  readonly number: number;
  readonly hash: Uint8Array;
  readonly totalDifficulty: bigint;
}

/** The parameters that all blocks of a range are derived from. */
export interface RangeTemplate {
  readonly base: RangeBase;
  /** The timestamp of the first block, in seconds since 1970. */
  readonly firstTimestamp: number;
  /** Seconds between the timestamps of two consecutive blocks. */
  readonly interval: number;
  readonly coinbase: Uint8Array;
  readonly gasLimit: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
  /** Wei per gas of the first block's base fee; `null` under rule sets without one. */
  readonly baseFeePerGas: bigint | null;
  readonly extraData: Uint8Array;
  /** 32 bytes: the root of the state after each block. */
  readonly stateRoot: Uint8Array;
}

const NO_HASH = new Uint8Array(32);
/** Code cannot read these hashes, because no code runs in reserved blocks. */
const NO_ANCESTORS = { blockHash: () => NO_HASH, ancestor: () => undefined };
const SEED_DOMAIN = encoder.encode('node-cli reserved range');

/** Returns the base fees of consecutive empty blocks, until they stay the same. */
function fallingBaseFees(first: bigint, gasLimit: bigint): bigint[] {
  const fees = [first];
  for (let fee = first; ; ) {
    const next = nextBaseFee({ gasLimit, gasUsed: 0n, ethereum: { baseFeePerGas: fee } });
    if (next === fee) return fees;
    fees.push(next);
    fee = next;
  }
}

/**
 * Consecutive empty blocks, kept as one record; each is computed on access, always the same. They equal blocks mined
 * one by one on top of a block without blob gas, or an excess of it, except for their hashes: if each header held the hash of the previous one, the last could not be computed
 * without all before it. The hash of a reserved block is derived from its number and the parameters of the range
 * instead. It is not the Keccak of the block's raw header, but it is the parent hash of the block above.
 */
export class ReservedRange {
  readonly template: RangeTemplate;
  /** 32 bytes that make the hashes differ from those of any other range. */
  readonly seed: Uint8Array;
  /** The number of the highest block. */
  readonly last: number;
  /** The state after each of the blocks, which is that of the block below them. */
  readonly state: WorldState;
  readonly #ruleSet: RuleSet;
  readonly #baseFees: readonly bigint[] | null;

  private constructor(
    template: RangeTemplate,
    state: WorldState,
    last: number,
    ruleSet: RuleSet,
    seed: Uint8Array | null,
  ) {
    const { baseFeePerGas, gasLimit } = template;
    this.template = template;
    this.state = state;
    this.last = last;
    this.#ruleSet = ruleSet;
    this.#baseFees = baseFeePerGas === null ? null : fallingBaseFees(baseFeePerGas, gasLimit);
    this.seed = seed ?? seedOf(template, ruleSet);
  }

  /**
   * Returns the blocks from the one above the base to `last`, which must not be below it, on the state after the base.
   */
  static create(template: RangeTemplate, state: WorldState, last: number, ruleSet: RuleSet): ReservedRange {
    return new ReservedRange(template, state, last, ruleSet, null);
  }

  /** Returns a range from its stored parts. */
  static restore(
    { template, last, seed }: Pick<ReservedRange, 'template' | 'last' | 'seed'>,
    state: WorldState,
    ruleSet: RuleSet,
  ): ReservedRange {
    return new ReservedRange(template, state, last, ruleSet, seed);
  }

  /** The number of the lowest block. */
  get first(): number {
    return this.template.base.number + 1;
  }

  /** True if the range contains the block with that number. */
  includes(number: number): boolean {
    return number >= this.first && number <= this.last;
  }

  /** Returns the range without the blocks above `last`, which must be in it. */
  until(last: number): ReservedRange {
    return new ReservedRange(this.template, this.state, last, this.#ruleSet, this.seed);
  }

  /** Returns the timestamp of the block, in seconds since 1970. */
  timestampOf(number: number): number {
    const { firstTimestamp, interval } = this.template;
    return firstTimestamp + (number - this.first) * interval;
  }

  /** Returns the hash of the block. */
  hashOf(number: number): Uint8Array {
    return reservedHash(this.seed, number);
  }

  /** Returns the hash of the block below the block. */
  parentHashOf(number: number): Uint8Array {
    const { base } = this.template;
    return number === this.first ? base.hash : this.hashOf(number - 1);
  }

  /** True if that is the hash of the block. */
  isHashOf(hash: Uint8Array, number: number): boolean {
    return this.includes(number) && equalBytes(this.hashOf(number), hash);
  }

  /** Returns the block; `number` must be in the range. */
  block(number: number): Block {
    return { ...sealAtOnce(this.#unsealed(number), this.#ruleSet), hash: this.hashOf(number) };
  }

  /** Returns the highest block for the one above the range, which does not follow from the proof of work: that takes the most time. */
  get top(): ParentBlock {
    return { ...unprovenBlock(this.#unsealed(this.last), this.#ruleSet), hash: this.hashOf(this.last) };
  }

  #unsealed(number: number): UnsealedBlock {
    const { base, extraData, stateRoot } = this.template;
    const ruleSet = this.#ruleSet;
    const below = number - 1;
    const parent = {
      hash: this.parentHashOf(number),
      totalDifficulty: base.totalDifficulty + ruleSet.difficulty * BigInt(below - base.number),
    };
    const timestamp = this.timestampOf(number);
    const baseFeePerGas = this.#baseFees?.[Math.min(number - this.first, this.#baseFees.length - 1)] ?? null;
    const excessBlobGas = ruleSet.blobs === null ? null : 0n;
    const given = {
      ...this.template,
      ...NO_ANCESTORS,
      timestamp,
      baseFeePerGas,
      excessBlobGas,
      prevRandao: null,
      parentBeaconBlockRoot: null,
      slotNumber: null,
    };
    const environment = blockEnvironment(ruleSet, given, number, parent.hash);
    const state = { root: stateRoot };
    return {
      parent,
      environment,
      extraData,
      uncles: [],
      transactions: [],
      results: [],
      requests: [],
      accessListHash: null,
      state,
    };
  }
}

/** An element of a chain: a block with the state after it, or a range of reserved blocks. */
export type ChainEntry = BlockEntry | { readonly range: ReservedRange };

/** A block that is kept by itself, and the state after it. */
export interface BlockEntry {
  readonly block: Block;
  readonly state: WorldState;
  /** True where the root of the state is known to be that of the header, without computing it. */
  readonly hasRootOfHeader?: boolean;
  /** Returns the accounts in which the state differs from that of the entry below; `null` where the states have to be compared. */
  changes?(pieces: WorkPieces): Task<readonly AccountDifference[] | null>;
  /** Returns the state, which is made in pieces, where that takes long. */
  stateInPieces?(pieces: WorkPieces): Task<WorldState>;
}

/** Returns the lowest block of an entry, which represents a removed range. */
export function lowestOf(entry: ChainEntry): Block {
  return 'block' in entry ? entry.block : entry.range.block(entry.range.first);
}

/** Returns the ranges among the entries. */
export function rangesOf(entries: readonly ChainEntry[]): ReservedRange[] {
  const ranges: ReservedRange[] = [];
  for (const entry of entries) if ('range' in entry) ranges.push(entry.range);
  return ranges;
}

/** Returns the items of a record that the blocks are derived from. */
function templateItems({ base, baseFeePerGas, ...template }: RangeTemplate): RlpItem[] {
  return [
    [integer(base.number), base.hash, integer(base.totalDifficulty)],
    integer(template.firstTimestamp),
    integer(template.interval),
    template.coinbase,
    integer(template.gasLimit),
    integer(template.minimumGasPrice),
    baseFeePerGas === null ? [] : [integer(baseFeePerGas)],
    template.extraData,
    template.stateRoot,
  ];
}

/** Returns the seed of a range: a hash of all parameters that its blocks have. */
function seedOf(template: RangeTemplate, ruleSet: RuleSet): Uint8Array {
  return keccak256(
    concatBytes(SEED_DOMAIN, encoder.encode(ruleSet.name), encodeRlp(templateItems(template))),
  );
}

/** Returns the range, without its state, as the bytes that storage keeps. */
export function encodeRangeRecord({ template, last, seed }: ReservedRange): Uint8Array {
  return encodeRlp([integer(last), seed, ...templateItems(template)]);
}

/**
 * Returns the range of a record; `stateOf` returns the state with a root, which is the state after the block below the
 * range. Throws {@link BlockRecordError} for malformed bytes.
 */
export function decodeRangeRecord(
  record: Uint8Array,
  stateOf: (root: Uint8Array) => WorldState,
  ruleSet: RuleSet,
): ReservedRange {
  const fields = listOf(itemOf(record));
  const bytes = (index: number): Uint8Array => bytesOf(fields[index]);
  const big = (index: number): bigint => bytesToBigInt(bytes(index));
  const base = listOf(fields[2]).map(bytesOf);
  const [baseFeePerGas] = listOf(fields[8]).map(bytesOf);
  const template = {
    base: {
      number: Number(bytesToBigInt(bytesOf(base[0]))),
      hash: bytesOf(base[1]),
      totalDifficulty: bytesToBigInt(bytesOf(base[2])),
    },
    firstTimestamp: Number(big(3)),
    interval: Number(big(4)),
    coinbase: bytes(5),
    gasLimit: big(6),
    minimumGasPrice: big(7),
    baseFeePerGas: baseFeePerGas === undefined ? null : bytesToBigInt(baseFeePerGas),
    extraData: bytes(9),
    stateRoot: bytes(10),
  };
  const state = stateOf(template.stateRoot);
  return ReservedRange.restore({ template, last: Number(big(0)), seed: bytes(1) }, state, ruleSet);
}
