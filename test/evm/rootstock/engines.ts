import type { Engine } from '../../../src/evm/engine.ts';
import type { RuleSet } from '../../../src/protocol/hardforks/rule-set.ts';
import { createReferenceEngine, createWasmEngine, type EngineOptions } from '../../support/evm/engines.ts';

/** An engine that has to play the network's rules. */
export interface EngineUnderTest {
  readonly engine: string;
  createEngine(ruleSet: RuleSet, options: EngineOptions): Engine | Promise<Engine>;
}

/** Every engine that plays the network's rules: each test of this folder runs on all of them. */
export const ENGINES: readonly EngineUnderTest[] = [
  { engine: 'reference', createEngine: createReferenceEngine },
  { engine: 'wasm', createEngine: createWasmEngine },
];
