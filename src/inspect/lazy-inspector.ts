/** The inspector of a chain, whose code is loaded when something is first inspected. */

import type { LazyArtifacts } from '../artifacts/lazy-artifacts.ts';
import type { Chain } from '../chain/chain.ts';
import { type Awaitable, whenReady } from '../scheduling/task.ts';
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

  /** Returns the inspector; a promise of it while its code is loaded. */
  load(): Awaitable<Inspector> {
    this.#loaded ??= this.#open();
    return this.#loaded;
  }

  /** Returns the inspector when all artifacts that were added so far are read. */
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
