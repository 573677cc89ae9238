import type { Engine } from '../../../src/evm/engine.ts';
import { createWasmEngine } from '../../../src/evm/interpreter/interpreter-engine.ts';
import type { RuleSet } from '../../../src/protocol/hardforks/rule-set.ts';
import {
  createReferenceEngine,
  type ReferenceEngineOptions,
} from '../../../src/reference/reference-engine.ts';

/** An engine that has to play the network's rules. */
export interface EngineUnderTest {
  readonly engine: string;
  createEngine(ruleSet: RuleSet, options: ReferenceEngineOptions): Engine | Promise<Engine>;
}

/** Every engine that plays the network's rules: each test of this folder runs on all of them. */
export const ENGINES: readonly EngineUnderTest[] = [
  { engine: 'reference', createEngine: createReferenceEngine },
  { engine: 'wasm', createEngine: createWasmEngine },
];
