/** Loads the reference engine on first use. */

import type { Engine } from '../evm/engine.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { nextIteration } from '../scheduling/cancel-check.ts';
import type { ReferenceEngineOptions } from './reference-engine.ts';

/**
 * The packages of ethereumjs, in the order of their dependencies, so that each import loads little new code.
 * The first package is small, because the command line bundles all packages in one file.
 */
const PACKAGES: readonly (() => Promise<unknown>)[] = [
  () => import('@ethereumjs/rlp'),
  () => import('@ethereumjs/util'),
  () => import('@ethereumjs/common'),
  () => import('@ethereumjs/tx'),
  () => import('@ethereumjs/block'),
  () => import('@ethereumjs/evm'),
  () => import('@ethereumjs/vm'),
];

/** Loads sequentially and yields to the event loop after each load. */
export async function loadOneByOne(loads: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const load of loads) {
    await load();
    await nextIteration();
  }
}

/**
 * Creates the reference engine of the rule set. Loading ethereumjs takes a tenth of a second, so one package
 * is loaded per turn of the event loop.
 */
export async function loadReferenceEngine(
  ruleSet: RuleSet,
  options: ReferenceEngineOptions,
): Promise<Engine> {
  await loadOneByOne(PACKAGES);
  const { createReferenceEngine } = await import('./reference-engine.ts');
  return createReferenceEngine(ruleSet, options);
}
