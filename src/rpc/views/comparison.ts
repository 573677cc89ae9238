// The JSON form of the result of inspect_compare.

import { type ByRun, type Comparison, logText } from '../../inspect/comparison.ts';
import { toQuantity } from '../../primitives/hex.ts';
import type { Steps } from '../../primitives/steps.ts';
import { inspectionView } from './inspection.ts';

function quantities(values: ByRun<bigint>): (string | null)[] {
  return values.map((value) => (value === null ? null : toQuantity(value)));
}

/** Returns a comparison as JSON. Yields if the results are long. Gas, slots and wei are QUANTITY. */
export function* comparisonView({
  runs,
  isSame,
  frames,
  logs,
  storage,
  balances,
}: Comparison): Steps<object> {
  const shown: object[] = [];
  for (const { ruleSet, refusal, inspection, withMoreGas } of runs) {
    shown.push({
      hardfork: ruleSet,
      outcome: inspection?.call.outcome ?? 'refused',
      reason: refusal ?? inspection?.failure?.message ?? null,
      gasUsed: inspection === null ? null : toQuantity(inspection.gasUsed),
      gasUsedWithMore: withMoreGas === null ? null : toQuantity(withMoreGas.gasUsed),
      inspection: inspection === null ? null : yield* inspectionView(inspection),
    });
  }
  return {
    isSame,
    runs: shown,
    frames: frames.map(({ gasUsed, ownGas, ...frame }) => ({
      ...frame,
      gasUsed: quantities(gasUsed),
      ownGas: quantities(ownGas),
    })),
    logs: logs.map(({ index, logs: values }) => ({ index, logs: values.map(logText) })),
    storage: storage.map(({ slot, ...change }) => ({ ...change, slot: toQuantity(slot) })),
    balances: balances.map(({ account, after }) => ({ account, after: quantities(after) })),
  };
}
