/** The inspector of a chain, whose code is loaded when something is first inspected. */

import type { LazyArtifacts } from '../artifacts/lazy-artifacts.ts';
import type { Chain } from '../chain/chain.ts';
import type { Inspector } from './inspector.ts';

export class LazyInspector {
  /** Shared with the lanes of the chain. */
  readonly artifacts: LazyArtifacts;
  readonly #chain: Chain;
  #loaded: Promise<Inspector> | null = null;

  constructor(chain: Chain, artifacts: LazyArtifacts) {
    this.#chain = chain;
    this.artifacts = artifacts;
  }

  /** Resolves to the inspector. */
  load(): Promise<Inspector> {
    this.#loaded ??= Promise.all([
      import('./inspector.ts'),
      import('./known-contracts.ts'),
      this.artifacts.load(),
    ]).then(([{ Inspector }, { KnownContracts }, artifacts]) => {
      const chain = this.#chain;
      return new Inspector(chain, new KnownContracts(artifacts, () => chain.settings.chainId));
    });
    return this.#loaded;
  }
}
