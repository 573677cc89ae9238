// Ranges of reserved blocks in the JSON of dumps.

import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { WorldState } from '../../state/world-state.ts';
import { type RangeBase, type RangeTemplate, ReservedRange } from '../../storage/reserved-range.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import { address, bytes, type FileCodec, fileObjectOf, hash, integer, nullOr } from '../../wire/values.ts';
import { gas, number } from './persisted-state-json.ts';

/** A range as dumps have it: its state is that of the block below. */
type RangeRecord = Pick<ReservedRange, 'last' | 'seed'> & RangeTemplate;

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

/** Returns a range of reserved blocks as JSON; its state is that of the block below. */
export function rangeJson({ last, seed, template }: ReservedRange): unknown {
  return RANGE.write({ ...template, last, seed });
}

/** The range that {@link rangeJson} wrote, on that state. Throws an `InvalidDumpError`. */
export function readRange(value: StrictValue, state: WorldState, ruleSet: RuleSet): ReservedRange {
  const fee = value.field('baseFeePerGas');
  const hasBaseFee = ruleSet.fees.name === 'base fee';
  if (fee.isNothing === hasBaseFee) fee.refuse(hasBaseFee ? 'a base fee' : 'no base fee');
  const { last, seed, ...template } = RANGE.read(value, 'dump');
  if (last <= template.base.number) value.field('last').refuse(`a number above ${template.base.number}`);
  return ReservedRange.restore({ template, last, seed }, state, ruleSet);
}
