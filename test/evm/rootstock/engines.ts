import type { Engine } from '../../../src/evm/engine.ts';
import type { RuleSet } from '../../../src/protocol/hardforks/rule-set.ts';
import { createReferenceEngine, createWasmEngine, type EngineOptions } from '../../support/evm/engines.ts';

/** An engine that must implement Rootstock's rules. */
export interface EngineUnderTest {
  readonly engine: string;
  createEngine(ruleSet: RuleSet, options: EngineOptions): Engine | Promise<Engine>;
}

/** Every engine with Rootstock's rules. Each test of this folder runs on all engines. */
export const ENGINES: readonly EngineUnderTest[] = [
  { engine: 'reference', createEngine: createReferenceEngine },
  { engine: 'wasm', createEngine: createWasmEngine },
];
