// Ranges of reserved blocks in the JSON of dumps.

import { toHex, toQuantity } from '../../primitives/hex.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { WorldState } from '../../state/world-state.ts';
import { type RangeBase, type RangeTemplate, ReservedRange } from '../../storage/reserved-range.ts';
import type { Json } from '../../wire/json.ts';
import type { StrictValue } from '../../wire/strict-value.ts';

/** Returns a range of reserved blocks as JSON; its state is that of the block below. */
export function rangeJson({ last, seed, template }: ReservedRange): Json {
  const { base, baseFeePerGas } = template;
  return {
    last,
    seed: toHex(seed),
    base: {
      number: base.number,
      hash: toHex(base.hash),
      totalDifficulty: toQuantity(base.totalDifficulty),
    },
    firstTimestamp: template.firstTimestamp,
    interval: template.interval,
    coinbase: toHex(template.coinbase),
    gasLimit: toQuantity(template.gasLimit),
    minimumGasPrice: toQuantity(template.minimumGasPrice),
    baseFeePerGas: baseFeePerGas === null ? null : toQuantity(baseFeePerGas),
    extraData: toHex(template.extraData),
    stateRoot: toHex(template.stateRoot),
  };
}

/** The range that {@link rangeJson} wrote, on that state. Throws an `InvalidDumpError`. */
export function readRange(value: StrictValue, state: WorldState, ruleSet: RuleSet): ReservedRange {
  const template = readTemplate(value, ruleSet);
  const last = value.field('last').count();
  if (last <= template.base.number) value.field('last').refuse(`a number above ${template.base.number}`);
  return ReservedRange.restore({ template, last, seed: value.field('seed').bytes(32) }, state, ruleSet);
}

function readTemplate(value: StrictValue, ruleSet: RuleSet): RangeTemplate {
  const fee = value.field('baseFeePerGas');
  const hasBaseFee = ruleSet.fees.name === 'base fee';
  if (fee.isNothing === hasBaseFee) fee.refuse(hasBaseFee ? 'a base fee' : 'no base fee');
  return {
    base: readBase(value.field('base')),
    firstTimestamp: value.field('firstTimestamp').count(),
    interval: value.field('interval').count(),
    coinbase: value.field('coinbase').bytes(20),
    gasLimit: value.field('gasLimit').quantity(64),
    minimumGasPrice: value.field('minimumGasPrice').quantity(),
    baseFeePerGas: fee.orNull((field) => field.quantity()),
    extraData: value.field('extraData').bytes(),
    stateRoot: value.field('stateRoot').bytes(32),
  };
}

function readBase(value: StrictValue): RangeBase {
  return {
    number: value.field('number').count(),
    hash: value.field('hash').bytes(32),
    totalDifficulty: value.field('totalDifficulty').quantity(),
  };
}
