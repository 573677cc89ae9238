// Ranges of empty blocks. A range is stored as one record and its blocks are computed on access, so that
// mining millions of blocks is cheap.

import { blockEnvironment, sealSync, type UnsealedBlock, unprovenBlock } from '../execution/sealing.ts';
import { bytesToBigInt, concatBytes, equalBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { encodeRlp, type RlpItem } from '../primitives/rlp.ts';
import type { Steps } from '../primitives/steps.ts';
import type { Block, FiledBlock, ParentBlock } from '../protocol/block.ts';
import { nextBaseFee } from '../protocol/fees.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
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
 * Returns the hash (32 bytes) of a block in a reserved range, from the range's seed (32 bytes) and the
 * number. The first 24 bytes are a hash of both. The last 8 bytes are the number, masked with a hash of the
 * first 24. So the number can be recovered from the hash, and yet all bytes look random.
 */
export function reservedHash(seed: Uint8Array, number: number): Uint8Array {
  const bytes = numberBytes(number);
  const head = keccak256(concatBytes(HASH_DOMAIN, seed, bytes)).subarray(0, HEAD_SIZE);
  return concatBytes(head, masked(bytes, head));
}

/**
 * Returns the number of a reserved block from its hash, or an arbitrary number for other hashes. The caller
 * must compare the hash of the block with this number.
 */
export function reservedNumber(hash: Uint8Array): bigint {
  const number = masked(hash.subarray(HEAD_SIZE), hash.subarray(0, HEAD_SIZE));
  return new DataView(number.buffer).getBigUint64(0);
}

/** True for the hash of a reserved block with this number, even if the block is an ordinary one by now. */
export function isReservedHash(hash: Uint8Array, number: number): boolean {
  return reservedNumber(hash) === BigInt(number);
}

/** The properties of the block below a range that the range depends on. */
export interface RangeBase {
  readonly number: number;
  readonly hash: Uint8Array;
  readonly totalDifficulty: bigint;
}

/** The parameters that determine all blocks of a range. */
export interface RangeTemplate {
  readonly base: RangeBase;
  /** The timestamp of the first block, in seconds since 1970. */
  readonly firstTimestamp: number;
  /** Seconds between two blocks. */
  readonly interval: number;
  readonly coinbase: Uint8Array;
  readonly gasLimit: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
  /** Base fee of the first block (wei per gas); `null` under rule sets without one. */
  readonly baseFeePerGas: bigint | null;
  readonly extraData: Uint8Array;
  /** 32 bytes: the state root after each block. */
  readonly stateRoot: Uint8Array;
}

const NO_HASH = new Uint8Array(32);
/** No code runs in reserved blocks, so no code reads these hashes. */
const NO_ANCESTORS = { blockHash: () => NO_HASH, ancestor: () => undefined };
const SEED_DOMAIN = encoder.encode('node-cli reserved range');

/** Returns the base fees of consecutive empty blocks until they are stable. */
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
 * Consecutive empty blocks, stored as one record. Each block is computed on access, with the same result each
 * time. Except for their hashes, the blocks equal blocks mined one by one on a block without excess blob gas.
 * If each header contained the previous hash, computing the last block would require all before it. Instead,
 * a hash is derived from the block's number and the parameters of the range. It is not the Keccak hash of the
 * header, but it is the parent hash of the block above.
 */
export class EmptyBlockRange {
  readonly template: RangeTemplate;
  /** 32 bytes, different for each range, so that its block hashes are unique. */
  readonly seed: Uint8Array;
  /** The number of the highest block. */
  readonly last: number;
  /** The state after each block, equal to the state below the range. */
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

  /** Creates the range from the block above the base to `last`. `state` is the state after the base. */
  static create(template: RangeTemplate, state: WorldState, last: number, ruleSet: RuleSet): EmptyBlockRange {
    return new EmptyBlockRange(template, state, last, ruleSet, null);
  }

  static restore(
    { template, last, seed }: Pick<EmptyBlockRange, 'template' | 'last' | 'seed'>,
    state: WorldState,
    ruleSet: RuleSet,
  ): EmptyBlockRange {
    return new EmptyBlockRange(template, state, last, ruleSet, seed);
  }

  get first(): number {
    return this.template.base.number + 1;
  }

  includes(number: number): boolean {
    return number >= this.first && number <= this.last;
  }

  /** Returns the range without the blocks above `last`, which must be in it. */
  until(last: number): EmptyBlockRange {
    return new EmptyBlockRange(this.template, this.state, last, this.#ruleSet, this.seed);
  }

  /** Seconds since 1970. */
  timestampOf(number: number): number {
    const { firstTimestamp, interval } = this.template;
    return firstTimestamp + (number - this.first) * interval;
  }

  hashOf(number: number): Uint8Array {
    return reservedHash(this.seed, number);
  }

  parentHashOf(number: number): Uint8Array {
    const { base } = this.template;
    return number === this.first ? base.hash : this.hashOf(number - 1);
  }

  isHashOf(hash: Uint8Array, number: number): boolean {
    return this.includes(number) && equalBytes(this.hashOf(number), hash);
  }

  /** `number` must be in the range. */
  block(number: number): Block {
    return { ...sealSync(this.#unsealed(number), this.#ruleSet), hash: this.hashOf(number) };
  }

  /**
   * Returns the highest block without a proof of work, as the parent of the next block. Computing the proof
   * would take most of the time.
   */
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
export type ChainEntry = BlockEntry | { readonly range: EmptyBlockRange };

/** An ordinary block and the state after it. */
export interface BlockEntry {
  readonly block: Block;
  /** Returns the block without decoding its transactions. */
  filed?(): FiledBlock;
  readonly state: WorldState;
  /** True if the state root is known to equal the header's, without computing it. */
  readonly hasRootOfHeader?: boolean;
  /** Returns the accounts that differ from the entry below; `null` if the states must be compared. */
  changes?(): Steps<readonly AccountDifference[] | null>;
  /** Returns the state and yields while it is computed. */
  stateInSteps?(): Steps<WorldState>;
}

/** Returns the block of an entry, without decoding its transactions if possible. */
export function filedBlock(entry: BlockEntry): FiledBlock {
  return entry.filed?.() ?? entry.block;
}

/** Returns the lowest block of an entry. It represents a removed range. */
export function lowestOf(entry: ChainEntry): Block {
  return 'block' in entry ? entry.block : entry.range.block(entry.range.first);
}

export function rangesOf(entries: readonly ChainEntry[]): EmptyBlockRange[] {
  const ranges: EmptyBlockRange[] = [];
  for (const entry of entries) if ('range' in entry) ranges.push(entry.range);
  return ranges;
}

/** Returns the record items that determine the blocks. */
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

/** Returns the seed of a range: a hash of all its parameters. */
function seedOf(template: RangeTemplate, ruleSet: RuleSet): Uint8Array {
  return keccak256(
    concatBytes(SEED_DOMAIN, encoder.encode(ruleSet.name), encodeRlp(templateItems(template))),
  );
}

/** Encodes the range without its state. */
export function encodeRangeRecord({ template, last, seed }: EmptyBlockRange): Uint8Array {
  return encodeRlp([integer(last), seed, ...templateItems(template)]);
}

/**
 * Decodes a range. `stateOf` returns the state with a root; it is the state after the block below the range.
 * Throws {@link BlockRecordError} for malformed bytes.
 */
export function decodeRangeRecord(
  record: Uint8Array,
  stateOf: (root: Uint8Array) => WorldState,
  ruleSet: RuleSet,
): EmptyBlockRange {
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
  return EmptyBlockRange.restore({ template, last: Number(big(0)), seed: bytes(1) }, state, ruleSet);
}
