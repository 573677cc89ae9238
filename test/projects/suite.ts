import type { TestResult } from './compare.ts';
import type { Usage } from './process-usage.ts';
import type { Workspace } from './workspace.ts';

/** Settings of a run of this tool. */
export interface Setup {
  readonly workspace: Workspace;
  /** The folder of installed compilers. */
  readonly compilers: string;
  /** The Node that runs both nodes and the suites. */
  readonly runtime: string;
  /** Arguments of the suite: test files, or options of `forge test`. */
  readonly suiteArgs: readonly string[];
  /** Additional environment variables of the project's programs. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds of one run of a suite. */
  readonly limit: number;
}

/** One run of a suite on a node. */
export interface SuiteRun {
  readonly results: readonly TestResult[];
  readonly usage: Usage;
  /** Seconds of the suite. */
  readonly seconds: number;
  /** The suite was ended by the time limit. */
  readonly isLate: boolean;
  /** The last lines of a suite that ended without a result. */
  readonly output: string;
}

export type NodeName = 'node-cli' | 'Hardhat';

/** Runs the suite of one project on a node. */
export type RunSuite = (node: NodeName) => Promise<SuiteRun>;
