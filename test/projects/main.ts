import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareFoundry } from './foundry-suite.ts';
import { prepareHardhat } from './hardhat-suite.ts';
import { report } from './report.ts';
import type { Setup } from './suite.ts';
import { openWorkspace } from './workspace.ts';

const USAGE = `Usage: npm run test:projects -- [options] <folder>... [-- <argument of the suite>...]

Runs the suite of each Hardhat or Foundry project on node-cli and on Hardhat's node. Prints the tests with
different outcomes, and processor time and memory of both nodes. Each folder is a checkout; the tool copies it
and does not change it. Needs a build and Linux.

Options:
  --work <dir>        Folder of the copies and compilers (default: node-cli-projects in the temporary folder)
  --compilers <dir>   Folder with npm packages solc-<version> in node_modules (default: in --work)
  --node <program>    Node that runs the suites and both nodes (default: this one; Hardhat 3 needs 22.13)
  --env <name=value>  Environment variable of the project's programs (repeatable)
  --limit <minutes>   Maximum time of one run of a suite (default: 60)
  --names             Print the names of all tests with different outcomes`;

/** Splits `name=value`. */
function pairOf(text: string): readonly [string, string] {
  const end = text.indexOf('=');
  if (end === -1) throw new Error(`--env: expected name=value, got ${text}`);
  return [text.slice(0, end), text.slice(end + 1)];
}

async function main(): Promise<number> {
  const separator = process.argv.indexOf('--', 2);
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2, separator === -1 ? undefined : separator),
    allowPositionals: true,
    options: {
      work: { type: 'string', default: join(tmpdir(), 'node-cli-projects-run') },
      compilers: { type: 'string' },
      node: { type: 'string', default: process.execPath },
      env: { type: 'string', multiple: true, default: [] },
      limit: { type: 'string', default: '60' },
      names: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const limit = Number(values.limit) * 60_000;
  if (values.help || positionals.length === 0 || !(limit > 0)) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const root = resolve(values.work);
  let differences = 0;
  for (const folder of positionals) {
    const workspace = await openWorkspace(folder, root);
    const setup: Setup = {
      workspace,
      compilers: resolve(values.compilers ?? join(root, 'compilers')),
      runtime: resolve(values.node),
      suiteArgs: separator === -1 ? [] : process.argv.slice(separator + 1),
      env: Object.fromEntries(values.env.map(pairOf)),
      limit,
    };
    const run = await (workspace.kind === 'foundry' ? prepareFoundry(setup) : prepareHardhat(setup));
    const hardhat = await run('Hardhat');
    const own = await run('node-cli');
    const { text, count } = report(workspace.name, hardhat, own, values.names);
    process.stdout.write(text);
    differences += count;
  }
  return differences === 0 ? 0 : 1;
}

process.exitCode = await main();
