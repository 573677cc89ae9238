import { describe, expect, it } from 'vitest';
import { forkOptionsOf } from '../../src/config/forking.ts';
import {
  chainOptionsOf,
  devAccountsOf,
  rpcOptionsOf,
  serverOptionsOf,
  withNewMnemonic,
} from '../../src/config/node-settings.ts';
import { settleOptions } from '../../src/config/option-values.ts';
import { type NodeOptions, OPTION_ENTRIES, type OptionKey } from '../../src/config/options.ts';
import { Reports } from '../../src/node/reports.ts';
import { countingRandom } from '../support/counting-random.ts';
import { createTestChain, nodeOf } from '../support/test-chain.ts';

/** Options that the command line reads itself, or that change another option, by topic. A node in the process of the user has other means for them. */
const OF_THE_COMMAND_LINE: Readonly<Record<string, readonly string[]>> = {
  'configuration file': ['config', 'noConfig', 'configOut'],
  log: ['quiet', 'json', 'verbose', 'color', 'noColor', 'noConsoleLog'],
  'state files': ['state', 'loadState', 'dumpState', 'stateInterval', 'init'],
  'build outputs': ['artifacts', 'noArtifacts'],
  lanes: ['lanes', 'laneLimit', 'laneTimeout', 'drainTimeout'],
  metrics: ['metrics'],
  ipc: ['ipc'],
  'port of the parent chain': ['parentPort'],
  process: ['endWithStdin', 'help', 'version'],
  banner: ['deterministic'],
  hardfork: ['rskip', 'withEip'],
  'limits of other options': ['disableBlockGasLimit', 'noRequestSizeLimit'],
};

const NO_FILES = {
  workingDirectory: '/',
  processId: 1,
  check: () => Promise.resolve(),
  readBaseline: () => Promise.resolve(null),
  write: () => Promise.resolve(),
};

const NO_OUTPUT = {
  notice: () => undefined,
  report: () => undefined,
  printsFiles: false,
  isJson: false,
  onIncompleteProfile: () => undefined,
};

/** Options that make the readers read others. */
const GIVEN = {
  forkUrl: 'http://127.0.0.1:1',
  blockTime: '1',
  networkLimits: 'true',
  coverage: 'lcov.info',
  gasReport: '-',
};

/** Returns the keys of the options that the function reads. */
async function readBy(read: (options: NodeOptions) => unknown): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const given = Object.entries(GIVEN).map(
    ([key, text]) => [key as OptionKey, { texts: [text], source: key }] as const,
  );
  const options = new Proxy(settleOptions(new Map(given)), {
    get: (target, key) => {
      if (typeof key === 'string') keys.add(key);
      return Reflect.get(target, key);
    },
  });
  await read(options);
  return keys;
}

describe('the options of a node', () => {
  it('are all read by openNode, by the server, or by the command line', async () => {
    const readers: readonly ((options: NodeOptions) => unknown)[] = [
      (options) => chainOptionsOf(options, []),
      (options) => devAccountsOf(options),
      (options) => withNewMnemonic(options, countingRandom()),
      (options) => rpcOptionsOf(options),
      (options) => serverOptionsOf(options),
      (options) => forkOptionsOf(options, {}),
      async (options) => {
        const reports = await Reports.open(options, NO_FILES, () => undefined);
        const { chain } = await createTestChain();
        const node = nodeOf(chain);
        await reports.coverageOf(node.inspector.artifacts);
        await reports.finish(node.inspector, NO_OUTPUT);
      },
      ({ compat }) => compat,
    ];
    const read = new Set(Object.values(OF_THE_COMMAND_LINE).flat());
    for (const reader of readers) for (const key of await readBy(reader)) read.add(key);
    const unread = OPTION_ENTRIES.filter(([key, { isOfCommand }]) => isOfCommand !== true && !read.has(key));
    expect(unread.map(([key]) => key)).toEqual([]);
  });
});
