/** The source files of executions, as the editor names them. */

import type { DebugProtocol } from '@vscode/debugprotocol';
import { DebugError } from './debug-error.ts';
import type { OutlineFile } from './outline.ts';
import { adapterPath, candidatePaths, editorPath, nameOfPath, type PathSettings } from './path-mapping.ts';

/** Resolves to true if a file exists. */
export type FileExists = (path: string) => Promise<boolean>;

export class Sources {
  readonly settings: PathSettings;
  readonly #exists: FileExists;
  readonly #files: OutlineFile[] = [];
  /** By name and content, because executions can run different builds of one file. */
  readonly #known = new Map<string, Promise<DebugProtocol.Source>>();
  readonly #found = new WeakMap<OutlineFile, DebugProtocol.Source>();
  /** Names of files that no execution has shown yet. */
  #names: readonly string[] = [];

  constructor(settings: PathSettings, exists: FileExists) {
    this.settings = settings;
    this.#exists = exists;
  }

  /**
   * Resolves to the source of a file: its path if it exists on the disk, otherwise a reference to the text of
   * the build output.
   */
  async of(file: OutlineFile): Promise<DebugProtocol.Source> {
    const key = `${file.name}\n${file.content}`;
    const known = this.#known.get(key) ?? this.#find(file);
    this.#known.set(key, known);
    const source = await known;
    this.#found.set(file, source);
    return source;
  }

  /** Returns the source of a file that {@link of} has found before. */
  known(file: OutlineFile): DebugProtocol.Source | undefined {
    return this.#found.get(file);
  }

  async #find(file: OutlineFile): Promise<DebugProtocol.Source> {
    const name = file.name.split(/[\\/]/).at(-1) ?? file.name;
    const reference = this.#files.push(file);
    for (const path of candidatePaths(file.name, this.settings)) {
      // A path of a container exists on the editor's side only.
      const mapped = editorPath(path, this.settings);
      const isSeen = (await this.#exists(path)) || (mapped !== path && (await this.#exists(mapped)));
      if (isSeen) return { name, path: mapped };
    }
    return { name, path: file.name, sourceReference: reference, origin: 'build output' };
  }

  /** Returns the text of a reference. Throws {@link DebugError} for an unknown one. */
  content(reference: number): string {
    const file = this.#files[reference - 1];
    if (file === undefined) throw new DebugError(`source: unknown sourceReference ${reference}`);
    return file.content;
  }

  /** Sets the names of the files that the node knows. */
  setNames(names: readonly string[]): void {
    this.#names = names;
  }

  /** Returns the name in the build output of a source of the editor; its path for an unknown one. */
  nameOf({ path, sourceReference }: DebugProtocol.Source): string | null {
    const referenced = sourceReference ? this.#files[sourceReference - 1] : undefined;
    if (referenced !== undefined) return referenced.name;
    if (path === undefined) return null;
    const names = [...new Set([...this.#files.map(({ name }) => name), ...this.#names])];
    return nameOfPath(path, names, this.settings) ?? adapterPath(path, this.settings);
  }
}
