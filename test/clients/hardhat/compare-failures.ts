import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { startNodeIn } from '../../support/node-process.ts';
import { type ToolProject, testCounts } from '../tool-project.ts';

/** First words of the test names: how each contract fails. */
const WAYS = ['sends', 'calls', 'estimates'];

/** Failures with the same frames in process and over HTTP. */
const SAME = ['panic', 'customError', 'reason', 'fromLibrary', 'fromConstructor', 'constructor'];

/** A failure that Hardhat shows otherwise in process than the node does, in frames of the terminal, the innermost first. */
interface Difference {
  readonly reason: string;
  readonly inProcess: readonly string[];
  readonly overHttp: readonly string[];
}

const DIFFERENCES: Readonly<Record<string, Difference>> = {
  fromHeir: {
    reason:
      'Hardhat gives the line of the base constructor the name of the heir; the node shows both constructors.',
    inProcess: [
      'Heir._checked contracts/Failing.sol:82',
      'Heir.constructor contracts/Failing.sol:78',
      'Failing.fromHeir contracts/Failing.sol:51',
    ],
    overHttp: [
      'Heir._checked contracts/Failing.sol:82',
      'Picky.constructor contracts/Failing.sol:78',
      'Heir.constructor contracts/Failing.sol:88',
      'Failing.fromHeir contracts/Failing.sol:51',
    ],
  },
  endless: {
    reason: 'Hardhat has no trace of a transaction that runs out of gas; the node shows where it did.',
    inProcess: [],
    overHttp: ['Failing.endless contracts/Failing.sol:55'],
  },
  narrow: {
    reason: 'Hardhat names the contract where an argument is out of range; the node names the function.',
    inProcess: ['Failing.<unknown> contracts/Failing.sol:13'],
    overHttp: ['Failing.narrow contracts/Failing.sol:59'],
  },
};

/** The frames of Solidity code that the terminal shows of each test, as `<function> <file>:<line>`. */
type Failures = Readonly<Record<string, readonly string[]>>;

const FAILURE = /^ +\d+\) failures\n +(.*):\n/gm;
// Hardhat 2 prints `at` before each frame, Hardhat 3 before few. The node adds the column.
const FRAME = /^ +(at )?(\S+) \((\S+\.sol:\d+)(?::\d+)?\)$/gm;

function failuresIn(output: string): Failures {
  const [, ...parts] = output.split(FAILURE);
  const failures: Record<string, readonly string[]> = {};
  for (let index = 0; index < parts.length; index += 2) {
    const frames = Array.from(
      (parts[index + 1] ?? '').matchAll(FRAME),
      ([, , name, place]) => `${name} ${place}`,
    );
    // Errors of viem repeat the message of their cause.
    failures[parts[index] ?? ''] = [...new Set(frames)];
  }
  return failures;
}

/** Returns the texts before the names of frames, each once: `at `, or nothing. */
function prefixesIn(output: string): string[] {
  return [...new Set(Array.from(output.matchAll(FRAME), ([, prefix = '']) => prefix))];
}

function inAllWays(failures: Failures): Failures {
  const entries = Object.entries(failures);
  return Object.fromEntries(
    entries.flatMap(([name, frames]) => WAYS.map((way) => [`${way} ${name}`, frames])),
  );
}

/** Copies the failing contracts into a Hardhat project. */
export function addFailing(project: ToolProject): void {
  const source = fileURLToPath(new URL('failing.sol', import.meta.url));
  copyFileSync(source, join(project.directory, 'contracts', 'Failing.sol'));
}

/**
 * Runs the failing tests of a Hardhat project (`addFailing`) in process, then over HTTP against a node in the folder of the project.
 * Compares the frames of Solidity code in the output. `task` contains the words of Hardhat that run tests.
 */
export async function compareFailures(project: ToolProject, task: readonly string[]): Promise<void> {
  interface Shown {
    readonly failures: Failures;
    readonly prefixes: readonly string[];
  }

  async function run(nodeUrl: string, ...options: readonly string[]): Promise<Shown> {
    const { output } = await project.start('hardhat', [...task, 'test/failing.js', ...options], nodeUrl)
      .ended;
    const failing = WAYS.length * (SAME.length + Object.keys(DIFFERENCES).length);
    expect(testCounts(output), output).toEqual({ passing: 0, failing, pending: 0 });
    return { failures: failuresIn(output), prefixes: prefixesIn(output) };
  }

  const { failures: inProcess, prefixes } = await run('http://127.0.0.1:1');
  const node = await startNodeIn(project.directory);
  try {
    const shown = await run(node.url, '--network', 'localhost');
    const overHttp = shown.failures;
    // Hardhat 3 in process prints some frames in both forms.
    expect(prefixes).toEqual(expect.arrayContaining([...shown.prefixes]));
    const same = Object.fromEntries(SAME.map((name) => [name, inProcess[`sends ${name}`] ?? []]));
    for (const name of SAME) expect(same[name]?.length, name).toBeGreaterThan(1);
    const different = (side: 'inProcess' | 'overHttp') =>
      Object.fromEntries(Object.entries(DIFFERENCES).map(([name, difference]) => [name, difference[side]]));
    expect(inProcess).toEqual(inAllWays({ ...same, ...different('inProcess') }));
    expect(overHttp).toEqual(inAllWays({ ...same, ...different('overHttp') }));
  } finally {
    await node.stop();
  }
}
