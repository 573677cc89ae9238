/** A rarely used command of the project: `npm run tool -- <name> [argument...]`. */
export interface Tool {
  /** The effect, for the list of tools. */
  readonly summary: string;
  /** A TypeScript file (run by `src/build/run-typescript.mjs`) or a script of Node. */
  readonly file: string;
  readonly nodeFlags?: readonly string[];
  /** The tool reads `dist`: build first if the inputs changed. */
  readonly needsBuild?: true;
  /** Arguments before the arguments of the user. */
  readonly options?: readonly string[];
}

/** Runs test files in a mode of `test/config/vitest.config.ts`. */
function vitest(summary: string, mode: string, ...files: string[]): Tool {
  const options = ['run', '--config', 'test/config/vitest.config.ts', '--mode', mode, ...files];
  return { summary, file: 'node_modules/vitest/vitest.mjs', options };
}

export const TOOLS: Readonly<Record<string, Tool>> = {
  'bench:histories': {
    summary: 'measure memory and reads of the two histories of states',
    file: 'test/bench/histories.ts',
  },
  'bench:lanes': {
    summary: 'measure time and memory of lanes',
    file: 'test/bench/lanes.mjs',
    nodeFlags: ['--expose-gc'],
  },
  'bench:page': {
    summary: 'measure the first paint and the heap of the explorer (needs Chromium)',
    file: 'test/bench/page.mjs',
  },
  'bench:tunings': {
    summary: 'measure the gain of each tuning of the start (Linux)',
    file: 'test/bench/tunings.mjs',
  },
  'bench:watched': {
    summary: 'measure the load that an open explorer causes on the node (Linux)',
    file: 'test/bench/watched.mjs',
  },
  'check:commits': {
    summary: 'check the messages of new commits',
    file: 'test/tools/commits/main.ts',
  },
  'check:imports': {
    summary: 'check the direction of imports between modules',
    file: 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
    options: ['--config', 'test/config/dependency-cruiser.cjs', 'src'],
  },
  'check:package': {
    summary: 'check the package.json, the types and the size of the built package',
    file: 'test/tools/check-package.ts',
  },
  'check:unused': {
    summary: 'list unused files, exports and packages',
    file: 'test/tools/check-unused.ts',
  },
  'demo:lanes': {
    summary: 'run one test suite on lanes, on one chain and on one node per worker',
    file: 'test/bench/lane-suite/run.mjs',
  },
  'execution-apis:exchanges': {
    summary: 'run the recorded exchanges of a checkout of ethereum/execution-apis',
    file: 'test/conformance/execution-apis/main.ts',
  },
  'execution-apis:schemas': {
    summary: 'write the schemas of a checkout of ethereum/execution-apis for the tests',
    file: 'test/conformance/execution-apis/schemas/main.ts',
  },
  fixtures: { summary: 'compile the contracts of the tests', file: 'fixtures/compile.mjs' },
  'fixtures:projects': {
    summary: 'rebuild the example projects with their original tools',
    file: 'fixtures/projects/build.mjs',
  },
  'generate:data-directory': {
    summary: 'write the data directory of the current version as a fixture',
    file: 'test/tools/generate-data-directory.ts',
  },
  'generate:predeploys': {
    summary: 'write the accounts of the predeployed contracts',
    file: 'test/tools/generate-predeploys.ts',
  },
  'lint:prose': {
    summary: 'check the sentences of pages, messages and comments',
    file: 'test/tools/prose/main.ts',
  },
  pictures: {
    summary: 'take the screenshots of README (needs Chromium)',
    file: 'test/tools/take-pictures.mjs',
  },
  'record:anvil-traces': {
    summary: "record Anvil's traces for the tests",
    file: 'test/tools/record-anvil-traces.ts',
  },
  release: {
    summary: 'move the changesets into the changelog and set the version',
    file: 'test/tools/release.ts',
  },
  sbom: {
    summary: 'print the bill of materials of the built package, or write it to a file',
    file: 'src/build/sbom.ts',
  },
  'test:arithmetic': vitest(
    'compare the arithmetic of the interpreter with BigInt, a million cases per opcode',
    'million-rounds',
    'test/evm/interpreter/arithmetic.test.ts',
  ),
  'test:mutation': {
    summary: 'change the source at random places and list the changes that no test detects',
    file: 'test/mutation/main.ts',
    needsBuild: true,
  },
  'trace:files': {
    summary: 'count the files, modules and functions that a request executes',
    file: 'test/tools/trace-files/main.ts',
  },
};

/** Returns the arguments of Node that run a tool. */
export function commandOf({ file, nodeFlags = [], options = [] }: Tool, given: readonly string[]): string[] {
  const loader = file.endsWith('.ts') ? ['src/build/run-typescript.mjs'] : [];
  return [...nodeFlags, ...loader, file, ...options, ...given];
}

/** Returns the list of all tools, one per line. */
export function listOfTools(): string {
  const width = Math.max(...Object.keys(TOOLS).map((name) => name.length));
  const lines = Object.entries(TOOLS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}\n`);
  return `Usage: npm run tool -- <name> [argument...]\n\n${lines.join('')}`;
}
