/** The artifacts of a node, whose code and content are loaded when something is first asked of them. */

import type { Artifacts, ArtifactsDependencies } from './artifacts.ts';

/** Shared by a chain and its lanes. Costs nothing until {@link load} is called. */
export class LazyArtifacts {
  readonly #dependencies: ArtifactsDependencies;
  readonly #folders: readonly string[];
  /** Their folders are read for these artifacts too; `null` for none. */
  readonly #base: LazyArtifacts | null;
  /** By API key. */
  readonly #ofOwners = new Map<string, LazyArtifacts>();
  #loaded: Promise<Artifacts> | null = null;

  /** `folders` are those that the user named, or in which the project was found. */
  constructor(
    dependencies: ArtifactsDependencies,
    folders: readonly string[] = [],
    base: LazyArtifacts | null = null,
  ) {
    this.#dependencies = dependencies;
    this.#folders = folders;
    this.#base = base;
  }

  /** Returns the artifacts of one API key: contracts of the folders, and everything that calls with this key gave. */
  of(owner: string): LazyArtifacts {
    const known = this.#ofOwners.get(owner);
    if (known !== undefined) return known;
    const owned = new LazyArtifacts(this.#dependencies, [], this);
    this.#ofOwners.set(owner, owned);
    return owned;
  }

  /** True where contracts may be known: a folder was named, or a call has given some. */
  get isInUse(): boolean {
    return this.#folders.length > 0 || this.#loaded !== null || this.#base?.isInUse === true;
  }

  /** Resolves to the artifacts. The folders are read in the background; see `Artifacts.ready`. */
  load(): Promise<Artifacts> {
    this.#loaded ??= this.#open();
    return this.#loaded;
  }

  async #open(): Promise<Artifacts> {
    const [{ Artifacts }, base] = await Promise.all([import('./artifacts.ts'), this.#base?.load() ?? null]);
    const artifacts = new Artifacts(this.#dependencies, base);
    for (const folder of this.#folders) artifacts.addFolder(folder);
    return artifacts;
  }

  /** Resolves when the folders are read, or after the milliseconds: for an answer that cannot wait for a large project. */
  async readyWithin(milliseconds: number): Promise<void> {
    const artifacts = await this.load();
    await new Promise<void>((resolve) => {
      const timer = this.#dependencies.timers.after(milliseconds, resolve);
      void Promise.resolve(artifacts.ready()).then(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  /** Ends watching the folders. */
  async close(): Promise<void> {
    (await this.#loaded)?.close();
  }
}
