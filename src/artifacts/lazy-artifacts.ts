/** Loads the artifacts of a node at their first use. */

import type { Artifacts, ArtifactsDependencies } from './artifacts.ts';

/** Shared by a chain and its lanes. Loads no code before {@link load} is called. */
export class LazyArtifacts {
  readonly #dependencies: ArtifactsDependencies;
  readonly #folders: readonly string[];
  /** The artifacts whose folders are included; `null` for none. */
  readonly #base: LazyArtifacts | null;
  /** By API key. */
  readonly #ofOwners = new Map<string, LazyArtifacts>();
  #loaded: Promise<Artifacts> | null = null;

  /** `folders` are named by the user or belong to the detected project. */
  constructor(
    dependencies: ArtifactsDependencies,
    folders: readonly string[] = [],
    base: LazyArtifacts | null = null,
  ) {
    this.#dependencies = dependencies;
    this.#folders = folders;
    this.#base = base;
  }

  /** Returns the artifacts of one API key: the contracts of the folders and the ones added with this key. */
  of(owner: string): LazyArtifacts {
    const known = this.#ofOwners.get(owner);
    if (known !== undefined) return known;
    const owned = new LazyArtifacts(this.#dependencies, [], this);
    this.#ofOwners.set(owner, owned);
    return owned;
  }

  /** True if contracts may be known: a folder was named, or a call added contracts. */
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

  /** Resolves when the folders are read, or after the given time if a response cannot wait for them. */
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

  async close(): Promise<void> {
    (await this.#loaded)?.close();
  }
}
