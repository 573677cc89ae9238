// Both engines with the contracts of Rootstock, as a chain creates them.

import type { Engine } from '../../../src/evm/engine.ts';
import {
  createWasmEngine as createWasm,
  type WasmEngineOptions,
} from '../../../src/evm/interpreter/interpreter-engine.ts';
import type { RuleSet } from '../../../src/protocol/hardforks/rule-set.ts';
import {
  createReferenceEngine as createReference,
  type ReferenceEngineOptions,
} from '../../../src/reference/reference-engine.ts';
import { precompileFunctions } from '../../../src/rootstock/precompile-functions.ts';

/** The options of both engines, without the precompiled contracts of Rootstock. */
export type EngineOptions = Omit<ReferenceEngineOptions, 'createRootstockPrecompiles'>;

/** Returns our interpreter under a hardfork. */
export function createWasmEngine(
  ruleSet: RuleSet,
  options: Omit<WasmEngineOptions, 'createRootstockPrecompiles'>,
): Engine {
  return createWasm(ruleSet, { ...options, createRootstockPrecompiles: precompileFunctions });
}

/** Returns the engine of @ethereumjs under a hardfork. */
export function createReferenceEngine(ruleSet: RuleSet, options: EngineOptions): Promise<Engine> {
  return createReference(ruleSet, { ...options, createRootstockPrecompiles: precompileFunctions });
}
