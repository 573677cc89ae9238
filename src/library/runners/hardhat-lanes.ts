/** The lanes of the connections that a project of Hardhat 3 makes in a process: each connection has a chain of its own. */

import { FileLane, fileNameOf, freshLane, laneKeyOf } from './file-lane.ts';
import type { RunFacts } from './run-facts.ts';
import { laneAt } from './test-lane.ts';

/**
 * Lanes whose failures are asked for when a test failed: those that were opened last. Suites that connect for each test
 * have thousands.
 */
const MOST_WATCHED = 32;

/** The part of the process that the hooks of tests use, which a runner loads as a file of their own. */
export interface HardhatGlobals {
  nodeCliLanes?: ConnectionLanes;
  /** The path of the first test file. */
  nodeCliFirstTests?: string;
}

/** The lanes of the connections of a process. */
export class ConnectionLanes {
  /** The lanes that are watched, in the order in which they were opened. */
  readonly #watched: FileLane[] = [];
  /** The number of lanes that have a name. */
  readonly #named = new Map<string, number>();
  #test: string | null = null;
  /** The lanes that the test that runs, or its hooks, have opened. */
  #ofTest: FileLane[] = [];
  /** The URL of the base chain. */
  #base = '';
  #hasLanesLink = false;

  /** True if a report contained the link to all lanes, which names no failed lane. */
  get hasLanesLink(): boolean {
    return this.#hasLanesLink;
  }

  /**
   * Resolves to the URL of a lane for a connection, which begins as the base chain is. It is named after the file that connects,
   * and after the test that runs, if one does.
   */
  async open(facts: RunFacts, path: string | null): Promise<string> {
    const file = path === null ? `hardhat-${process.pid}` : fileNameOf(path, facts.root);
    const name = this.#test === null ? file : `${file} > ${this.#test}`;
    const count = (this.#named.get(name) ?? 0) + 1;
    this.#named.set(name, count);
    const key = laneKeyOf(count === 1 ? name : `${name}~${count}`);
    const lane = await freshLane(laneAt(facts.url, null), facts.url, key);
    const watched = await FileLane.on(facts, name, lane, lane.url);
    this.#watched.push(watched);
    this.#base = facts.url;
    if (this.#test !== null) this.#ofTest.push(watched);
    if (this.#watched.length > MOST_WATCHED) await this.#watched.shift()?.close();
    return lane.url;
  }

  /** Called before the hooks of each test. */
  async beforeTest(test: string): Promise<void> {
    this.#test = test;
    this.#ofTest = [];
    await Promise.all(this.#watched.map((lane) => lane.beforeTest()));
  }

  /** Called after the hooks of each test; resolves to what to report of it, one text for each lane that has something to report. */
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
    // Where nothing failed on a chain, it is known where the test ran if it has opened lanes itself, or if there is a single one.
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

  /** Called when the tests are done, before the node ends. */
  async close(): Promise<void> {
    const lanes = this.#watched.splice(0);
    await Promise.all(lanes.map((lane) => lane.close()));
    this.#named.clear();
  }
}
