/** Loads the reference engine when it is first used, if ever. */

import type { Engine } from '../evm/engine.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { nextTurn } from '../scheduling/interrupt.ts';
import type { ReferenceEngineOptions } from './reference-engine.ts';

/**
 * The packages of the library, each behind those that it needs, so that none brings much that is not loaded yet. The first one is
 * small: in the command line all of them are in one file, which is read with it.
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

/** Loads one after the other, each in a turn of the event loop of its own. */
export async function loadInTurns(loads: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const load of loads) {
    await load();
    await nextTurn();
  }
}

/**
 * Returns the reference engine for the rule set. Its library takes a tenth of a second to load, so that this loads one package in
 * each turn of the event loop.
 */
export async function loadReferenceEngine(
  ruleSet: RuleSet,
  options: ReferenceEngineOptions,
): Promise<Engine> {
  await loadInTurns(PACKAGES);
  const { createReferenceEngine } = await import('./reference-engine.ts');
  return createReferenceEngine(ruleSet, options);
}
