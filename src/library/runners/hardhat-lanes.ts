/** The lanes of Hardhat 3 connections. Each connection of a process has its own chain. */

import { FileLane, fileNameOf, freshLane, laneKeyOf } from './file-lane.ts';
import type { RunFacts } from './run-facts.ts';
import { laneAt } from './test-lane.ts';

/**
 * Maximum watched lanes. After a failed test, the newest lanes are checked for failures. Suites with one
 * connection per test have thousands.
 */
const MAX_WATCHED = 32;

/** Globals that the test hooks use. A runner loads the hooks as a separate file. */
export interface HardhatGlobals {
  nodeCliLanes?: ConnectionLanes;
  /** The path of the first test file. */
  nodeCliFirstTests?: string;
}

/** The lanes of the connections of a process. */
export class ConnectionLanes {
  /** Watched lanes, oldest first. */
  readonly #watched: FileLane[] = [];
  /** Number of lanes by name. */
  readonly #named = new Map<string, number>();
  #test: string | null = null;
  /** Lanes that the current test or its hooks have opened. */
  #ofTest: FileLane[] = [];
  /** The URL of the base chain. */
  #base = '';
  #hasLanesLink = false;

  /** True if a report contained a link to all lanes instead of a failed lane. */
  get hasLanesLink(): boolean {
    return this.#hasLanesLink;
  }

  /**
   * Creates a lane for a connection as a copy of the base chain, and resolves to its URL. The name of the
   * lane contains the connecting file and the current test.
   */
  async open(facts: RunFacts, path: string | null): Promise<string> {
    const file = path === null ? `hardhat-${process.pid}` : fileNameOf(path, facts.root);
    const name = this.#test === null ? file : `${file} > ${this.#test}`;
    const count = (this.#named.get(name) ?? 0) + 1;
    this.#named.set(name, count);
    const key = laneKeyOf(count === 1 ? name : `${name}~${count}`);
    const lane = await freshLane(laneAt(facts.url, null), facts.url, key);
    const watched = await FileLane.on(facts, name, lane, key);
    this.#watched.push(watched);
    this.#base = facts.url;
    if (this.#test !== null) this.#ofTest.push(watched);
    if (this.#watched.length > MAX_WATCHED) await this.#watched.shift()?.close();
    return lane.url;
  }

  /** Runs before the hooks of each test. */
  async beforeTest(test: string): Promise<void> {
    this.#test = test;
    this.#ofTest = [];
    await Promise.all(this.#watched.map((lane) => lane.beforeTest()));
  }

  /** Runs after the hooks of each test. Resolves to the reports of its lanes. */
  async afterTest(test: string, isFailed: boolean): Promise<string[]> {
    const texts = isFailed ? await this.#tellOf(test) : [];
    const others = await Promise.all(this.#watched.map((lane) => lane.afterTest(test)));
    this.#test = null;
    return [...texts, ...others.filter((text) => text !== null)];
  }

  async #tellOf(test: string): Promise<string[]> {
    const lanes = Array.from(this.#watched);
    const failing = await Promise.all(lanes.map((lane) => lane.hasFailures()));
    const told = lanes.filter((_, index) => failing[index]);
    // Without a failure on a chain, the test's lanes are its own ones, or the only lane.
    const own = this.#ofTest.filter((lane) => lanes.includes(lane));
    const ran = own.length > 0 || lanes.length > 1 ? own : lanes;
    const known = told.length === 0 ? ran : told;
    if (known.length === 0 && lanes.length > 0) {
      this.#hasLanesLink = true;
      return [
        `node-cli: ${test}\n  Nothing failed on the chains of the ${lanes.length} connections.\n  lanes ${this.#base}/_/lanes`,
      ];
    }
    return Promise.all(known.map((lane) => lane.failed(test)));
  }

  /** Runs after all tests, before the node closes. */
  async close(): Promise<void> {
    const lanes = this.#watched.splice(0);
    await Promise.all(lanes.map((lane) => lane.close()));
    this.#named.clear();
  }
}
