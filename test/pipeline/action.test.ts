import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../scale/ports.ts';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { answerAt, resultAt } from '../support/json-rpc.ts';
import { startNode } from '../support/node-process.ts';
import { packedPackage } from '../support/packed-package.ts';
import { REPOSITORY } from '../support/repository.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type ActionResult, type Job, runAction } from './action-run.ts';

const START = join(REPOSITORY, '.github/actions/node-cli/action.yml');
const STOP = join(REPOSITORY, '.github/actions/node-cli/stop/action.yml');
/** Code that reverts. */
const REVERTING = '0x60006000fd';

/** Nothing of npm, which runs these tests, nor of a node of somebody else. */
const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value = '']) =>
    /^(npm_|NODE_CLI|GITHUB_|NODE_ENV)/i.test(name) ? [] : [[name, value]],
  ),
);

describe('the action for pipelines of GitHub', () => {
  let packed = '';
  let tarball = '';
  /** The search path of the next job. */
  let path = environment.PATH ?? '';

  beforeAll(() => {
    packed = mkdtempSync(join(tmpdir(), 'node-cli-packed-'));
    // The build exists. The scripts would build again during other tests.
    const options = ['pack', '--ignore-scripts', '--json', '--pack-destination', packed];
    const { filename } = packedPackage(
      execFileSync('npm', options, { cwd: REPOSITORY, encoding: 'utf8', stdio: 'pipe' }),
    );
    tarball = filename;
  });

  afterAll(() => rmSync(packed, { recursive: true, force: true }));

  /** Creates a job with a free port. The test ends all processes of the job. */
  async function newJob(): Promise<{ job: Job; inputs: Record<string, string>; url: string }> {
    const job: Job = {
      folder: await temporaryDirectory(),
      cwd: packed,
      environment: { ...environment, PATH: path },
    };
    onTestFinished(async () => void (await runAction(STOP, {}, job)));
    const port = String(await freePort());
    return { job, inputs: { package: tarball, port }, url: `http://127.0.0.1:${port}` };
  }

  /** Runs the start action in a job. In the first job, npm installs the package. Next jobs get a copy of the installed packages. */
  async function start(inputs: Readonly<Record<string, string>>, job: Job): Promise<ActionResult> {
    const result = await runAction(START, inputs, job);
    if (path === environment.PATH) {
      const [installed, programs] = [join(packed, 'installed'), join(packed, 'bin')];
      cpSync(join(job.folder, 'node-cli', 'node_modules'), installed, {
        recursive: true,
        verbatimSymlinks: true,
      });
      mkdirSync(programs);
      // The arguments begin with `install --prefix <folder>`.
      const script = `#!/bin/sh\ncp -R '${installed}' "$3/node_modules"\n`;
      writeFileSync(join(programs, 'npm'), script, { mode: 0o755 });
      path = [programs, path].join(delimiter);
    }
    return result;
  }

  it('installs the package, starts a node with the options, and passes the URL to the next steps', async () => {
    const { job, inputs, url } = await newJob();
    const options = '--lanes --quiet\n--accounts "2"';
    const { succeeded, outputs, used, printed } = await start({ ...inputs, options }, job);
    expect(succeeded, printed).toBe(true);
    expect(outputs).toEqual({ url, folder: join(job.folder, 'node-cli') });
    expect(used).toEqual([]);
    expect(job.environment).toMatchObject({ NODE_CLI_URL: url, ETH_RPC_URL: url, FOUNDRY_ETH_RPC_URL: url });
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(await resultAt(`${url}/lane`, 'eth_accounts')).toHaveLength(2);
    const version = execFileSync('node-cli', ['--version'], { env: job.environment, encoding: 'utf8' });
    expect(version).toMatch(/\d+\.\d+\.\d+/);

    const stopped = await runAction(STOP, {}, job);
    expect(stopped).toMatchObject({ succeeded: true, outputs: { failures: '0' }, used: [] });
    await expect(fetch(url)).rejects.toThrow();
  });

  it('stores and shows the failures on the chain and its lanes at the end, with the log', async () => {
    const { job, inputs, url } = await newJob();
    await start({ ...inputs, options: '--lanes' }, job);
    const [{ address: from }] = DEV_ACCOUNTS;
    await answerAt(url, 'eth_call', [{ from, data: REVERTING }, 'latest']);
    await answerAt(`${url}/shard-1`, 'eth_sendTransaction', [{ from, data: REVERTING, gas: '0x186a0' }]);
    const { outputs, used } = await runAction(STOP, { artifact: 'failures-1' }, job);
    expect(outputs.failures).toBe('2');
    const folder = join(job.folder, 'node-cli', 'failures');
    expect(used).toEqual([
      {
        uses: 'actions/upload-artifact@v4',
        with: expect.objectContaining({ name: 'failures-1', path: folder }),
      },
    ]);
    expect(readdirSync(folder).sort()).toEqual(['base-1.json', 'lane-shard-1-1.json', 'node.log']);
    const failure = JSON.parse(readFileSync(join(folder, 'lane-shard-1-1.json'), 'utf8'));
    expect(failure).toMatchObject({
      transactionHash: expect.stringMatching(/^0x/),
      failure: { message: expect.any(String) },
    });
    const summary = readFileSync(join(job.folder, 'GITHUB_STEP_SUMMARY'), 'utf8');
    expect(summary).toContain('on lane `shard-1`');
    expect(summary).toContain(failure.failure.message);
  });

  it('forks a live chain, and stores its replies in the folder of the cache', async () => {
    const upstream = await startNode();
    onTestFinished(() => upstream.stop());
    await resultAt(upstream.url, 'hardhat_mine', ['0x64']);
    const { job, inputs, url } = await newJob();
    const forking = { ...inputs, 'fork-url': upstream.url, 'fork-block-number': '20' };
    const { succeeded, used, printed } = await start(forking, job);
    expect(succeeded, printed).toBe(true);
    expect(await resultAt(url, 'eth_blockNumber')).toBe('0x14');
    const [{ address }] = DEV_ACCOUNTS;
    await resultAt(url, 'eth_getBalance', [address, 'latest']);
    const cache = join(job.folder, 'node-cli', 'forks');
    expect(used).toEqual([
      {
        uses: 'actions/cache@v4',
        with: { path: cache, key: 'node-cli-forks-20-7-1', 'restore-keys': 'node-cli-forks-20-' },
      },
    ]);
    await runAction(STOP, {}, job);
    expect(readdirSync(cache, { recursive: true })).not.toEqual([]);
  });

  it('fails with the log of a node that does not start', async () => {
    const { job, inputs } = await newJob();
    const { succeeded, printed } = await start({ ...inputs, options: '--acounts 2', within: '1' }, job);
    expect(succeeded).toBe(false);
    expect(printed).toContain('::error title=node-cli::');
    expect(printed).toContain('unknown option --acounts');
  });
});
