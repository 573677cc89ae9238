/** The result of one test of a suite. */
export interface TestResult {
  /** The file and the full title of the test. */
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** The error message of a failed test. */
  readonly message?: string;
}

/** Tests with the same pair of outcomes on both nodes. */
export interface Difference {
  /** The outcome on Hardhat's node, and the outcome on node-cli. */
  readonly kind: string;
  readonly names: readonly string[];
  /** The messages of the first test. */
  readonly example: string;
}

export interface Comparison {
  /** Number of tests with the same outcome on both nodes. */
  readonly same: number;
  /** Number of tests that fail with the same kind of message on both nodes. */
  readonly failedOnBoth: number;
  /** Number of tests that the time limit prevented on one node. */
  readonly notCompared: number;
  readonly differences: readonly Difference[];
}

const MAX_KIND_LENGTH = 160;

/** The first line of a message without values, so that equal faults of different tests have one kind. */
export function kindOfMessage(message: string): string {
  const [line = ''] = message.trim().split('\n');
  return line
    .replaceAll(/0x[0-9a-fA-F]+|\d[\d_,.]*/g, (value) => (value.startsWith('0x') ? '0x…' : 'N'))
    .slice(0, MAX_KIND_LENGTH);
}

function kindOf(result: TestResult | undefined): string {
  if (result === undefined) return 'not run';
  return result.state === 'failed' ? `failed: ${kindOfMessage(result.message ?? '')}` : result.state;
}

/** Results by name; equal names of one suite get a number. */
function byName(results: readonly TestResult[]): Map<string, TestResult> {
  const named = new Map<string, TestResult>();
  const counts = new Map<string, number>();
  for (const result of results) {
    const count = (counts.get(result.name) ?? 0) + 1;
    counts.set(result.name, count);
    named.set(count === 1 ? result.name : `${result.name} (${count})`, result);
  }
  return named;
}

/** The results of a suite on one node. */
export interface SuiteResults {
  readonly results: readonly TestResult[];
  /** True if the time limit ended the suite; its missing results are not compared. */
  readonly isLate: boolean;
}

/** Compares the results of one suite on two nodes. Failures count as equal if their messages have one kind. */
export function compareResults(expected: SuiteResults, actual: SuiteResults): Comparison {
  const [onHardhat, onNode] = [byName(expected.results), byName(actual.results)];
  let same = 0;
  let notCompared = 0;
  let failedOnBoth = 0;
  const groups = new Map<string, { names: string[]; example: string }>();
  for (const name of new Set([...onHardhat.keys(), ...onNode.keys()])) {
    const [before, after] = [onHardhat.get(name), onNode.get(name)];
    if ((before === undefined && expected.isLate) || (after === undefined && actual.isLate)) {
      notCompared += 1;
      continue;
    }
    const [expectedKind, actualKind] = [kindOf(before), kindOf(after)];
    if (expectedKind === actualKind) {
      same += 1;
      if (after?.state === 'failed') failedOnBoth += 1;
      continue;
    }
    const kind = `Hardhat's node: ${expectedKind} | node-cli: ${actualKind}`;
    const example = [before, after]
      .map((result) => result?.message ?? result?.state ?? 'not run')
      .join('\n  ');
    const group = groups.get(kind) ?? { names: [], example };
    group.names.push(name);
    groups.set(kind, group);
  }
  const differences = [...groups].map(([kind, { names, example }]) => ({ kind, names, example }));
  return {
    same,
    failedOnBoth,
    notCompared,
    differences: differences.sort((a, b) => b.names.length - a.names.length),
  };
}
