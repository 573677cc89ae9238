/** The lanes of a test file and of its tests, in the process that runs the file. */

import { createHash } from 'node:crypto';
import { isAbsolute, relative, sep } from 'node:path';
import { urlVariables } from '../../config/url-variables.ts';
import { isRecord, LaneAnswerError, textIn } from './answers.ts';
import { keepState } from './kept-state.ts';
import type { RunFacts } from './run-facts.ts';
import { answersOf, type LaneCall, laneAt, type TestLane } from './test-lane.ts';

/** Maximum characters of the name in a key. Keys have at most 128; suffixes need the rest. */
const LONGEST = 100;
const HASH_CHARACTERS = 6;

/** Returns a readable lane key. Different names have different keys. */
export function laneKeyOf(name: string): string {
  const exact = name.replaceAll('/', '~');
  const readable = exact
    .replace(/[^A-Za-z0-9._~-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, LONGEST);
  if (readable === exact && readable !== '') return readable;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARACTERS);
  return readable === '' ? hash : `${readable}-${hash}`;
}

/** Returns the path of a test file relative to the project, with slashes. */
export function fileNameOf(path: string, root: string): string {
  const shortened = relative(root, path);
  const name = shortened.startsWith('..') || isAbsolute(shortened) ? path : shortened;
  return name.split(sep).join('/');
}

/** Maximum failures in the report of a test. Usually, the last one is the cause. */
const MAX_TOLD = 3;

/** Maximum requested failures. Clients often retry a failed call, and equal failures are reported once. */
const MAX_ASKED = 16;

interface FailureText {
  readonly text: string;
  /** The line with the URL of the failure; absent if the node returned neither a hash nor a number. */
  readonly link: string | null;
}

/**
 * Returns the report of a failure of `inspect_failures`, with a link to its transaction or call. `page` is the
 * URL of the explorer; `null` without explorer.
 */
function failureText(failure: Readonly<Record<string, unknown>>, page: string | null): FailureText {
  const reason = isRecord(failure.failure) ? textIn(failure.failure, 'message') : null;
  const stack = textIn(failure, 'stack');
  const hash = textIn(failure, 'transactionHash');
  const number = textIn(failure, 'number');
  const view = hash === null ? number && `failure/${Number(number)}` : `tx/${hash}`;
  const lines = [
    `  Error: ${reason ?? 'unknown reason: the call cannot be executed again'}`,
    ...(stack === null ? [] : stack.split('\n').map((line) => `  ${line}`)),
  ];
  return { text: lines.join('\n'), link: page && view && `      ${page}/${view}` };
}

/** Returns the reports of failures, the newest first. Of equal failed calls, only the newest is reported. */
function distinctFailures(
  failures: readonly Readonly<Record<string, unknown>>[],
  page: string | null,
): string[] {
  const reports = new Map<string, string>();
  for (const failure of failures) {
    const { text, link } = failureText(failure, page);
    const key = `${text}\n${textIn(failure, 'transactionHash')}`;
    if (!reports.has(key)) reports.set(key, link === null ? text : `${text}\n${link}`);
  }
  return Array.from(reports.values()).slice(0, MAX_TOLD);
}

/** Resolves to true if the node of a lane serves the explorer. */
async function servesExplorer(laneUrl: string): Promise<boolean> {
  const response = await fetch(new URL('/_/', laneUrl), { headers: { accept: 'text/html' } });
  await response.body?.cancel();
  return response.ok;
}

/**
 * Resolves to the report of a failed test: the failures of its lane after the first `after` ones. `laneUrl`
 * is the URL of the lane after the run, because a lane can change its URL.
 */
export async function failedTestText(
  lane: TestLane,
  laneUrl: string,
  name: string,
  after: string,
): Promise<string> {
  const page = (await servesExplorer(laneUrl)) ? `${laneUrl}/_` : null;
  const answer = await lane.request({ method: 'inspect_failures', params: [MAX_ASKED, after] });
  const failures = isRecord(answer) && Array.isArray(answer.failures) ? answer.failures.filter(isRecord) : [];
  const reports = distinctFailures(failures, page);
  const lines = reports.length > 0 ? reports : ['  Nothing failed on the chain.'];
  return [`node-cli: ${name}`, ...lines, `  lane ${page === null ? laneUrl : `${page}/feed`}`].join('\n');
}

/** Resolves to the report of a failed test, with the file of its state if the run saves states. */
async function withState(text: string, facts: RunFacts, lane: TestLane, key: string): Promise<string> {
  return facts.keepsStates ? `${text}\n${await keepState(lane, facts.root, key)}` : text;
}

/** Returns the first failure in a report, for the label of the lane. */
export function reasonIn(text: string): string {
  return text.split('\n')[1]?.trim() ?? '';
}

/** Number of failures on a lane so far, as a quantity of `inspect_failures`. */
async function failuresOf(lane: TestLane): Promise<string> {
  const [answer] = await answersOf(lane.url, [{ method: 'inspect_failures', params: [0] }]);
  return isRecord(answer) ? String(answer.count) : '0x0';
}

/** Labels a lane with the name and the outcome of its test. */
async function label(lane: TestLane, said: object): Promise<void> {
  await lane.request({ method: 'lane_label', params: [said] });
}

/** Creates a lane. First drops a lane with the same key from an earlier run. */
export async function freshLane(origin: TestLane, base: string, key: string): Promise<TestLane> {
  try {
    return await origin.fork(key);
  } catch (error) {
    if (!(error instanceof LaneAnswerError) || !(await laneAt(base, key).drop())) throw error;
    return origin.fork(key);
  }
}

/** The lane of a test file, and the state of its current test. */
export class FileLane {
  readonly lane: TestLane;
  /** The name of the file. The names of its tests start with it. */
  readonly name: string;
  readonly #facts: RunFacts;
  readonly #failed: string[] = [];
  #failuresBefore = '0x0';
  #snapshot: unknown = null;
  #isLossTold = false;

  readonly #lastKey: string;

  private constructor(facts: RunFacts, name: string, lane: TestLane, lastKey: string) {
    this.#facts = facts;
    this.name = name;
    this.lane = lane;
    this.#lastKey = lastKey;
  }

  /** Creates the lane of a file as a copy of the base chain. */
  static async open(facts: RunFacts, path: string): Promise<FileLane> {
    const name = fileNameOf(path, facts.root);
    const key = laneKeyOf(name);
    return FileLane.on(facts, name, await freshLane(laneAt(facts.url, null), facts.url, key), key);
  }

  /** Uses an existing lane. `lastKey` is its key after the end of the file. */
  static async on(facts: RunFacts, name: string, lane: TestLane, lastKey: string): Promise<FileLane> {
    const file = new FileLane(facts, name, lane, lastKey);
    await file.#label('running');
    return file;
  }

  /** The environment variables with the URL of the lane. */
  get variables(): Readonly<Record<string, string>> {
    return urlVariables(this.lane.url);
  }

  /** Runs before the hooks of each test. */
  async beforeTest(): Promise<void> {
    const calls: LaneCall[] = [{ method: 'inspect_failures', params: [0] }];
    if (this.#facts.isolate === 'test') {
      const copy = { key: this.#copyKey, from: { lane: this.lane.key } };
      calls.push(
        { method: 'evm_snapshot' },
        { method: 'lane_drop', params: [copy.key] },
        { method: 'lane_create', params: [copy] },
      );
    }
    const [before, snapshot = null] = await answersOf(this.lane.url, calls);
    this.#failuresBefore = isRecord(before) ? String(before.count) : '0x0';
    this.#snapshot = snapshot;
  }

  /** The key of a copy of the lane before the current test. Snapshots of the test cannot affect the copy. */
  get #copyKey(): string {
    return `${this.lane.key}~before`;
  }

  /**
   * Runs after the hooks of each test, and after {@link failed}. Reverts the lane to its state before the
   * test. Resolves to a report if the snapshot is lost, else `null`.
   */
  async afterTest(test: string): Promise<string | null> {
    const snapshot = this.#snapshot;
    this.#snapshot = null;
    if (snapshot === null || (await this.lane.request({ method: 'evm_revert', params: [snapshot] })) === true)
      return null;
    const title = this.#titleOf(test);
    // The test can already have its own lane under its name.
    const spent = laneAt(this.#facts.url, laneKeyOf(`${title} > reverted`));
    await spent.drop();
    const { key } = this.lane;
    // The gas report of earlier tests stays with the file, so the copy takes over its key.
    await this.lane.request({ method: 'lane_rename', params: [key, spent.key, false] });
    await label(spent, { name: title, note: 'The test reverted the lane to an earlier snapshot.' });
    await laneAt(this.#facts.url, this.#copyKey).fork(String(key));
    await this.#label('running');
    if (this.#isLossTold) return null;
    this.#isLossTold = true;
    return [
      `node-cli: ${title}: the test reverted its lane to an earlier snapshot. This removed the snapshot of isolate: 'test'. The lane was restored from a copy, so earlier snapshots of the file are lost. If tests use snapshots of earlier tests, use isolate: 'file'.`,
      `  lane ${spent.url}/_/feed`,
    ].join('\n');
  }

  /** True if a call or transaction of the current test failed. */
  async hasFailures(): Promise<boolean> {
    return BigInt(await failuresOf(this.lane)) > BigInt(this.#failuresBefore);
  }

  #titleOf(test: string): string {
    return this.name.endsWith(` > ${test}`) ? this.name : `${this.name} > ${test}`;
  }

  /** Runs after a failed test. Resolves to its report. */
  async failed(test: string): Promise<string> {
    const { url } = laneAt(this.#facts.url, this.#lastKey);
    const told = await failedTestText(this.lane, url, this.#titleOf(test), this.#failuresBefore);
    // One state per lane, because dumps of long chains are large.
    const text =
      this.#failed.length > 0 ? told : await withState(told, this.#facts, this.lane, this.#lastKey);
    this.#failed.push(`${test}: ${reasonIn(text)}`);
    await this.#label('running');
    this.#failuresBefore = await failuresOf(this.lane);
    return text;
  }

  /** Labels the lane with the outcome so far. A failed file stays failed. */
  async #label(otherwise: 'running' | 'passed'): Promise<void> {
    const { name } = this;
    await label(
      this.lane,
      this.#failed.length === 0
        ? { name, outcome: otherwise }
        : { name, outcome: 'failed', note: this.#failed.join('\n').slice(0, 4_000) },
    );
  }

  /** Runs after all tests of the file. */
  async close(): Promise<void> {
    await this.#label('passed');
    if (this.#facts.isolate === 'test') await laneAt(this.#facts.url, this.#copyKey).drop();
  }
}

/** The separate lane of one test. */
export interface OwnLane {
  readonly lane: TestLane;
  /** Runs after the test. Resolves to the report of a failure, else `null`. */
  end(isFailed: boolean): Promise<string | null>;
}

/** Creates the lane of one test as a copy of the file's lane or of the base chain. */
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
      const text = isFailed
        ? await withState(await failedTestText(lane, lane.url, name, '0x0'), facts, lane, laneKeyOf(name))
        : null;
      const outcome = isFailed ? 'failed' : 'passed';
      await label(lane, { name, outcome, ...(text !== null && { note: reasonIn(text) }) });
      return text;
    },
  };
}

/** A test or suite. */
interface NamedTask {
  readonly name: string;
  readonly suite?: NamedTask | undefined;
}

/** Returns the names of the test and its suites in the format of the reporter. */
export function testNameOf({ name, suite }: NamedTask): string {
  return suite === undefined || suite.name === '' ? name : `${testNameOf(suite)} > ${name}`;
}
