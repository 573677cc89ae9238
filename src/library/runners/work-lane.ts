/**
 * The lane of a process that runs one test file after the other in the same modules, as Mocha does: its URL stays the same, since
 * modules that all files share have read it, and what is there becomes a lane under the name of the file when that is done.
 */

import { urlVariables } from '../../config/url-variables.ts';
import type { RunFacts } from './announced.ts';
import { FileLane } from './file-lane.ts';
import { fileNameOf, laneKeyOf } from './lane-names.ts';
import { laneAt, type TestLane } from './test-lane.ts';

/** The lane of a process. */
export class WorkLane {
  readonly #facts: RunFacts;
  readonly #key: string;
  readonly #base: TestLane;
  readonly #lane: TestLane;
  /** How often a lane was named after a file. */
  readonly #named = new Map<string, number>();
  #current: { readonly path: string; readonly file: FileLane; readonly key: string } | null = null;

  /** `name` is one that no other process of the run has. */
  constructor(facts: RunFacts, name: string) {
    this.#facts = facts;
    this.#key = name;
    this.#base = laneAt(facts.url, null);
    this.#lane = laneAt(facts.url, name);
  }

  /** The variables of the environment by which the tests find the lane. */
  get variables(): Readonly<Record<string, string>> {
    return urlVariables(this.#lane.url);
  }

  /** The test file that runs; `null` before the first and after the last one. */
  get current(): { readonly path: string; readonly file: FileLane } | null {
    return this.#current;
  }

  get #start(): TestLane {
    return laneAt(this.#facts.url, `${this.#key}~start`);
  }

  /**
   * Called before the first hook of a file: the lane becomes what it was before the first file, with what was done for all of
   * them by then. Nothing changes while it is the same file.
   */
  async begin(path: string): Promise<FileLane> {
    if (this.#current?.path === path) return this.#current.file;
    if (this.#current === null) await this.#keepStart();
    else {
      await this.#finish();
      await this.#start.fork(this.#key);
    }
    const name = fileNameOf(path, this.#facts.root);
    const count = (this.#named.get(name) ?? 0) + 1;
    this.#named.set(name, count);
    const key = laneKeyOf(count === 1 ? name : `${name}~${count}`);
    const file = await FileLane.on(this.#facts, name, this.#lane, laneAt(this.#facts.url, key).url);
    this.#current = { path, file, key };
    return file;
  }

  async #keepStart(): Promise<void> {
    // The call makes the lane, where nothing has called it yet.
    await this.#lane.request({ method: 'eth_chainId' });
    await this.#start.drop();
    await this.#lane.fork(`${this.#key}~start`);
  }

  async #finish(): Promise<void> {
    if (this.#current === null) return;
    const { file, key } = this.#current;
    await file.close();
    await laneAt(this.#facts.url, key).drop();
    await this.#base.request({ method: 'lane_rename', params: [this.#key, key] });
    this.#current = null;
  }

  /** Called when all files are done. */
  async end(): Promise<void> {
    if (this.#current === null) return;
    await this.#finish();
    await this.#start.drop();
  }
}
