import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../../support/repository.ts';
import { copyProject, install, type ToolProject, testCounts } from '../tool-project.ts';

/** In milliseconds. */
const MAX_INSTALL_TIME = 600_000;
const MAX_RUN_TIME = 900_000;

const REPORTS = { gasReport: 'gas.json', coverage: 'lcov.info' };

/** The result of a run of the tests on the network of the plugin. */
interface PluginRun {
  readonly code: number | null;
  readonly passing: number;
  readonly failing: number;
  readonly reports: readonly string[];
  readonly output: string;
}

async function runWith(
  project: ToolProject,
  plugin: string,
  args: readonly string[],
  options: object,
): Promise<PluginRun> {
  const variables = {
    PLUGIN: join(REPOSITORY, 'dist', 'runners', plugin),
    PLUGIN_OPTIONS: JSON.stringify(options),
  };
  const { code, output } = await project.startAlone(
    'hardhat',
    ['test', ...args, '--network', 'nodeCli'],
    variables,
  ).ended;
  const { passing, failing } = testCounts(output);
  const reports = Object.values(REPORTS).map((name) => {
    const path = join(project.directory, name);
    const text = readFileSync(path, 'utf8');
    rmSync(path);
    return text;
  });
  return { code, passing, failing, reports, output };
}

const PROJECTS = [
  {
    name: 'hardhat-2',
    runtime: undefined,
    plugin: 'hardhat2.cjs',
    args: ['matchers', 'network-helpers', 'upgrades'].map((file) => `test/${file}.js`),
    passing: 25,
  },
  {
    name: 'hardhat-3',
    runtime: 'hardhat/node-22',
    plugin: 'hardhat.js',
    args: ['nodejs', 'test/vault.js'],
    passing: 9,
  },
] as const;

describe.each(PROJECTS)('the plugin in a $name project', ({ name, runtime, plugin, args, passing }) => {
  let project: ToolProject;

  beforeAll(async () => {
    if (runtime !== undefined) await install(runtime);
    await install(`hardhat/${name}`, runtime);
    project = copyProject(`hardhat/${name}`, runtime);
    return () => project.remove();
  }, MAX_INSTALL_TIME);

  it(
    'passes in the process of the tests and on a node in its own process, with equal reports',
    async () => {
      const node = { ...REPORTS, hardfork: 'cancun' };
      const local = await runWith(project, plugin, args, { node });
      expect(local, local.output).toMatchObject({ code: 0, passing, failing: 0 });
      const served = await runWith(project, plugin, args, { node, explorer: true });
      expect(served, served.output).toMatchObject({ code: 0, passing, failing: 0 });
      expect(local.reports).toEqual(served.reports);
    },
    MAX_RUN_TIME,
  );
});
