// The stored form of a range of reserved blocks.

import { bytesToBigInt } from '../primitives/bytes.ts';
import { encodeRlp } from '../primitives/rlp.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { WorldState } from '../state/world-state.ts';
import { bytesOf, integer, itemOf, listOf } from './block-index-store.ts';
import { ReservedRange } from './reserved-range.ts';

/** Returns the range, without its state, as the bytes that storage keeps. */
export function encodeRangeRecord({ template, last, seed }: ReservedRange): Uint8Array {
  const {
    base,
    firstTimestamp,
    interval,
    coinbase,
    gasLimit,
    minimumGasPrice,
    baseFeePerGas,
    extraData,
    stateRoot,
  } = template;
  return encodeRlp([
    integer(last),
    seed,
    [integer(base.number), base.hash, integer(base.totalDifficulty)],
    integer(firstTimestamp),
    integer(interval),
    coinbase,
    integer(gasLimit),
    integer(minimumGasPrice),
    baseFeePerGas === null ? [] : [integer(baseFeePerGas)],
    extraData,
    stateRoot,
  ]);
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
