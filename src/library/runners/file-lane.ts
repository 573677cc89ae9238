/** The lanes of one test file and of its tests, as the process that runs the file has them. */

import { urlVariables } from '../../config/url-variables.ts';
import type { RunFacts } from './announced.ts';
import { isRecord } from './answers.ts';
import { LaneAnswerError } from './errors.ts';
import { failedTestText, reasonIn } from './failed-test.ts';
import { fileNameOf, laneKeyOf } from './lane-names.ts';
import { answersOf, laneAt, type TestLane } from './test-lane.ts';

/** The failures that a lane had so far, as `inspect_failures` counts them. */
async function failuresOf(lane: TestLane): Promise<string> {
  const [answer] = await answersOf(lane.url, [{ method: 'inspect_failures', params: [0] }]);
  return isRecord(answer) ? String(answer.count) : '0x0';
}

/** Says of a lane what runs on it, and how that went. */
async function label(lane: TestLane, said: object): Promise<void> {
  await lane.request({ method: 'lane_label', params: [said] });
}

/** Makes a lane anew: one that an earlier run left under the key is dropped. */
export async function freshLane(origin: TestLane, base: string, key: string): Promise<TestLane> {
  try {
    return await origin.fork(key);
  } catch (error) {
    if (!(error instanceof LaneAnswerError) || !(await laneAt(base, key).drop())) throw error;
    return origin.fork(key);
  }
}

/** The lane of a file, and what is known of the test that runs on it. */
export class FileLane {
  readonly lane: TestLane;
  /** The name of the file, with which the names of its tests begin. */
  readonly name: string;
  readonly #facts: RunFacts;
  readonly #failed: string[] = [];
  #failuresBefore = '0x0';
  #snapshot: unknown = null;

  readonly #pageUrl: string;

  private constructor(facts: RunFacts, name: string, lane: TestLane, pageUrl: string) {
    this.#facts = facts;
    this.name = name;
    this.lane = lane;
    this.#pageUrl = pageUrl;
  }

  /** Resolves to the lane of a file, which begins as the base chain is. */
  static async open(facts: RunFacts, path: string): Promise<FileLane> {
    const name = fileNameOf(path, facts.root);
    const lane = await freshLane(laneAt(facts.url, null), facts.url, laneKeyOf(name));
    return FileLane.on(facts, name, lane, lane.url);
  }

  /** Resolves to the same for a lane that there is, and that will have another URL once the file is done. */
  static async on(facts: RunFacts, name: string, lane: TestLane, pageUrl: string): Promise<FileLane> {
    const file = new FileLane(facts, name, lane, pageUrl);
    await label(lane, { name, outcome: 'running' });
    return file;
  }

  /** The variables of the environment by which the tests of the file find it. */
  get variables(): Readonly<Record<string, string>> {
    return urlVariables(this.lane.url);
  }

  /** Called before the hooks of each test. */
  async beforeTest(): Promise<void> {
    const calls = [{ method: 'inspect_failures', params: [0] }];
    if (this.#facts.isolate === 'test') calls.push({ method: 'evm_snapshot', params: [] });
    const [before, snapshot = null] = await answersOf(this.lane.url, calls);
    this.#failuresBefore = isRecord(before) ? String(before.count) : '0x0';
    this.#snapshot = snapshot;
  }

  /** Called after the hooks of each test. */
  async afterTest(): Promise<void> {
    if (this.#snapshot === null) return;
    await this.lane.request({ method: 'evm_revert', params: [this.#snapshot] });
    this.#snapshot = null;
  }

  /** Resolves to true where something failed on the chain in the test that runs. */
  async hasFailures(): Promise<boolean> {
    return BigInt(await failuresOf(this.lane)) > BigInt(this.#failuresBefore);
  }

  /** Called when a test on the lane of the file failed; resolves to what is to be told of it. */
  async failed(test: string): Promise<string> {
    const title = this.name.endsWith(` > ${test}`) ? this.name : `${this.name} > ${test}`;
    const text = await failedTestText(this.lane, this.#pageUrl, title, this.#failuresBefore);
    this.#failed.push(`${test}: ${reasonIn(text)}`);
    await label(this.lane, {
      name: this.name,
      outcome: 'failed',
      note: this.#failed.join('\n').slice(0, 4_000),
    });
    this.#failuresBefore = await failuresOf(this.lane);
    return text;
  }

  /** Called when all tests of the file are done. */
  async close(): Promise<void> {
    if (this.#failed.length === 0) await label(this.lane, { name: this.name, outcome: 'passed' });
  }
}

/** A lane of one test's own. */
export interface OwnLane {
  readonly lane: TestLane;
  /** Called when the test has ended; resolves to what is to be told of it, `null` where it did not fail. */
  end(isFailed: boolean): Promise<string | null>;
}

/** Resolves to a lane for one test of a file, which begins as that of the file is now, or as the base chain is. */
export async function openTestLane(
  facts: RunFacts,
  path: string,
  test: string,
  origin: 'file' | 'base' = 'file',
): Promise<OwnLane> {
  const fileName = fileNameOf(path, facts.root);
  const name = `${fileName} > ${test}`;
  const from = laneAt(facts.url, origin === 'file' ? laneKeyOf(fileName) : null);
  const lane = await freshLane(from, facts.url, laneKeyOf(name));
  await label(lane, { name, outcome: 'running' });
  return {
    lane,
    async end(isFailed) {
      const text = isFailed ? await failedTestText(lane, lane.url, name, '0x0') : null;
      const outcome = isFailed ? 'failed' : 'passed';
      await label(lane, { name, outcome, ...(text !== null && { note: reasonIn(text) }) });
      return text;
    },
  };
}
