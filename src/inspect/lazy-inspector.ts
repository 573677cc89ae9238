/** Loads the inspector of a chain at its first use. */

import type { LazyArtifacts } from '../artifacts/lazy-artifacts.ts';
import type { Chain } from '../chain/chain.ts';
import { type Awaitable, whenReady } from '../primitives/awaitable.ts';
import type { Inspector } from './inspector.ts';

export class LazyInspector {
  /** Shared with the lanes of the chain. */
  readonly artifacts: LazyArtifacts;
  readonly #chain: Chain;
  #loaded: Awaitable<Inspector> | null = null;

  constructor(chain: Chain, artifacts: LazyArtifacts) {
    this.#chain = chain;
    this.artifacts = artifacts;
  }

  /** Returns the inspector, or a promise while its code loads. */
  load(): Awaitable<Inspector> {
    this.#loaded ??= this.#open();
    return this.#loaded;
  }

  /** Returns the inspector after all added artifacts are read. */
  ready(): Awaitable<Inspector> {
    return whenReady(this.load(), (inspector) =>
      whenReady(inspector.contracts.artifacts.ready(), () => inspector),
    );
  }

  async #open(): Promise<Inspector> {
    const [{ Inspector }, { KnownContracts }, { Creations }, artifacts] = await Promise.all([
      import('./inspector.ts'),
      import('./known-contracts.ts'),
      import('./creations.ts'),
      this.artifacts.load(),
    ]);
    const chain = this.#chain;
    const known = new KnownContracts(artifacts, () => chain.settings.chainId, new Creations(chain));
    const inspector = new Inspector(chain, known);
    this.#loaded = inspector;
    return inspector;
  }
}
