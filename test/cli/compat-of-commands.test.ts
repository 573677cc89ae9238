import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../src/cli/main.ts';
import { Session } from '../../src/cli/mcp/session.ts';
import { splitCommandLine } from '../../src/cli/read-options.ts';
import { answerAt } from '../support/json-rpc.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { fakeHost } from './support/fake-host.ts';

/** The path of a file of the built package. */
const packaged = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** A message that reverts. */
const REVERT = { data: '0x60006000fd' };
const ANVIL_CODE = 3;
const SERVICE_CODE = -32015;

async function viemProject(): Promise<string> {
  const project = await temporaryDirectory();
  writeFileSync(join(project, 'package.json'), JSON.stringify({ devDependencies: { viem: '2' } }));
  return project;
}

async function revertCodeAt(url: string): Promise<unknown> {
  return (await answerAt(url, 'eth_call', [REVERT, 'latest'])).error?.code;
}

/**
 * Each command that starts a node. Resolves to the error code of a revert on a node started in the folder.
 */
const COMMANDS: readonly (readonly [name: string, run: (folder: string) => Promise<unknown>])[] = [
  [
    'exec',
    async (workingDirectory) => {
      const codes: unknown[] = [];
      const host = fakeHost({
        workingDirectory,
        commandLine: ['exec', '--', 'program'],
        runProgram: (_program, _parameters, { NODE_CLI_URL = '' }) => ({
          ended: revertCodeAt(NODE_CLI_URL).then((code) => codes.push(code) - 1),
          passOn: () => undefined,
        }),
      });
      await runCommand(host);
      expect(await host.exited()).toBe(0);
      return codes[0];
    },
  ],
  [
    'mcp',
    async (workingDirectory) => {
      const given = splitCommandLine(['mcp'], {});
      const session = new Session({ given, file: null }, fakeHost({ workingDirectory }));
      onTestFinished(async () => void (await session.close(true)));
      await session.start({});
      return revertCodeAt(session.url);
    },
  ],
  [
    'a run of tests',
    async (cwd) => {
      const runner = JSON.stringify(packaged('dist/runners/node-test.cjs'));
      writeFileSync(join(cwd, 'node-cli.cjs'), `require(${runner}).nodeCli();`);
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [REVERT, 'latest'] });
      writeFileSync(
        join(cwd, 'revert.test.cjs'),
        `require('node:test')('reverts', async () => {
          const headers = { 'content-type': 'application/json' };
          const answer = await fetch(process.env.NODE_CLI_URL, { method: 'POST', headers, body: ${JSON.stringify(body)} });
          require('node:fs').writeFileSync('code', String((await answer.json()).error.code));
        });`,
      );
      const { NODE_CLI_URL: _url, NODE_TEST_CONTEXT: _context, ...env } = process.env;
      const words = ['--require', './node-cli.cjs', '--test', 'revert.test.cjs'];
      const { status, stdout } = spawnSync(process.execPath, words, { cwd, env, encoding: 'utf8' });
      expect({ status, stdout }).toMatchObject({ status: 0 });
      return Number(readFileSync(join(cwd, 'code'), 'utf8'));
    },
  ],
];

describe('--compat auto of commands', () => {
  it.each(COMMANDS)('%s uses anvil in a viem project', async (_name, run) => {
    expect(await run(await viemProject())).toBe(ANVIL_CODE);
  });

  it.each(COMMANDS)('%s uses service in a project without viem', async (_name, run) => {
    expect(await run(await temporaryDirectory())).toBe(SERVICE_CODE);
  });
});

describe('compat mode of createNode', () => {
  it.each([
    ['service without the option', {}, SERVICE_CODE],
    ['the mode of the project with the option auto', { compat: 'auto' }, ANVIL_CODE],
  ])('createNode uses %s in a viem project', async (_name, options, code) => {
    const program = `
      const { createNode } = await import(${JSON.stringify(pathToFileURL(packaged('bin/index.mjs')).href)});
      const node = await createNode(${JSON.stringify(options)});
      const error = await node
        .request({ method: 'eth_call', params: [${JSON.stringify(REVERT)}, 'latest'] })
        .catch((error) => error);
      console.log(error.code);
      await node.close();`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: await viemProject(),
      encoding: 'utf8',
    });
    expect({ stdout, stderr }).toEqual({ stdout: `${code}\n`, stderr: '' });
  });
});
