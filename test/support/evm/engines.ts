// Both engines with the contracts of Rootstock, as a chain creates them.

import type { Engine } from '../../../src/evm/engine.ts';
import {
  createWasmEngine as createWasm,
  type WasmEngineOptions,
} from '../../../src/evm/interpreter/interpreter-engine.ts';
import type { CreateRootstockPrecompiles } from '../../../src/evm/precompiles/precompiled-contract.ts';
import type { FederationFormat } from '../../../src/protocol/hardforks/rootstock.ts';
import type { RuleSet } from '../../../src/protocol/hardforks/rule-set.ts';
import {
  createReferenceEngine as createReference,
  type ReferenceEngineOptions,
} from '../../../src/reference/reference-engine.ts';
import { precompileFunctions } from '../../../src/rootstock/precompile-functions.ts';

/** The script format of the Bridge's federation; the default if absent. */
interface FederationOption {
  readonly federation?: FederationFormat;
}

/** The options of both engines, without the precompiled contracts of Rootstock. */
export type EngineOptions = Omit<ReferenceEngineOptions, 'createRootstockPrecompiles'> & FederationOption;

function precompilesWith({ federation }: FederationOption): CreateRootstockPrecompiles {
  return (rules, chainId) => precompileFunctions(rules, chainId, federation);
}

/** Returns our interpreter under a hardfork. */
export function createWasmEngine(
  ruleSet: RuleSet,
  options: Omit<WasmEngineOptions, 'createRootstockPrecompiles'> & FederationOption,
): Engine {
  return createWasm(ruleSet, { ...options, createRootstockPrecompiles: precompilesWith(options) });
}

/** Returns the engine of @ethereumjs under a hardfork. */
export function createReferenceEngine(ruleSet: RuleSet, options: EngineOptions): Promise<Engine> {
  return createReference(ruleSet, { ...options, createRootstockPrecompiles: precompilesWith(options) });
}
