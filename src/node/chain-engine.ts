import { chainIdEngine } from '../engine/chain-id-engine.ts';
import type { Engine } from '../engine/engine.ts';
import type { ImpersonatedSigner } from '../engine/impersonated-signer.ts';
import { lazyEngine } from '../engine/lazy-engine.ts';
import { type EngineDifferenceError, shadowEngine } from '../engine/shadow-engine.ts';
import { createWasmEngine } from '../engine/wasm/wasm-engine.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { ChainOptions } from './chain-options.ts';

/** What the engine of a chain takes from the chain and from around it. */
export interface ChainEngineParts {
  readonly ruleSet: RuleSet;
  readonly options: Pick<ChainOptions, 'engine' | 'shadow' | 'codeSizeLimit'>;
  readonly currentChainId: () => number;
  readonly impersonatedSigner: ImpersonatedSigner;
  /** Told when `shadow` finds that the engines differ. */
  readonly onEngineDifference: (error: EngineDifferenceError) => void;
}

/** The engine that the options ask for. The reference engine's library is loaded when it is first used, if ever. */
export function chainEngine(parts: ChainEngineParts): Engine {
  const { ruleSet, options, currentChainId, impersonatedSigner, onEngineDifference } = parts;
  const { codeSizeLimit } = options;
  const wasm = (chainId: number): Engine =>
    createWasmEngine(ruleSet, { chainId, codeSizeLimit, impersonatedSigner });
  const reference = (chainId: number): Engine =>
    lazyEngine('reference', async () => {
      const { createReferenceEngine } = await import('../engine/reference/reference-engine.ts');
      return createReferenceEngine(ruleSet, { chainId, codeSizeLimit, impersonatedSigner });
    });
  const [chosen, other] = options.engine === 'wasm' ? [wasm, reference] : [reference, wasm];
  const create = options.shadow
    ? (chainId: number): Engine => shadowEngine(chosen(chainId), other(chainId), onEngineDifference)
    : chosen;
  return chainIdEngine(options.engine, currentChainId, create);
}
