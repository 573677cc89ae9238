import { execFileSync, execSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createNode } from '../../../src/index.ts';
import { LaneAnswerError } from '../../../src/library/runners/answers.ts';
import { laneOfEnvironment } from '../../../src/library/runners/environment-lane.ts';
import { FileLane } from '../../../src/library/runners/file-lane.ts';
import { ConnectionLanes } from '../../../src/library/runners/hardhat-lanes.ts';
import { keepState } from '../../../src/library/runners/kept-state.ts';
import { localNodes } from '../../../src/library/runners/local-nodes.ts';
import { WorkLane } from '../../../src/library/runners/mocha-hooks.ts';
import { type RunHost, startRun } from '../../../src/library/runners/run.ts';
import { laneAt } from '../../../src/library/runners/test-lane.ts';
import { REPOSITORY } from '../../support/repository.ts';

const STOPPED =
  'The node has stopped. To get links that work after the tests, run npx node-cli start --lanes, set NODE_CLI_URL to its URL, and run the tests again.';

/** A folder, and the host of a run in it, with its output. */
function host(environment: NodeJS.ProcessEnv = {}) {
  const root = mkdtempSync(join(tmpdir(), 'node-cli-run-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const written = { output: '', errors: '' };
  const made: RunHost = {
    root,
    environment,
    write: (text) => {
      written.output += text;
    },
    writeError: (text) => {
      written.errors += text;
    },
  };
  return { ...made, written };
}

/** The line about the state of a failed test, with the path of its file. */
const STATE = /\n {2}state (\S+) \(npx node-cli debug --load-state \S+\)$/;

const GENESIS_TIME = 1_700_000_000;

async function listeningNode(lanes: boolean): Promise<string> {
  const node = await createNode();
  const server = await node.listen({ lanes });
  onTestFinished(async () => {
    await server.close();
    await node.close();
  });
  return server.url;
}

describe('test run', () => {
  it('starts a node with the options, runs the setup, and writes reports at its end', async () => {
    const found = host();
    writeFileSync(
      join(found.root, 'deploy.mjs'),
      'export default (base) => base.request({ method: "evm_mine" });',
    );
    const node = { chainId: 44, gasReport: true };
    const run = await startRun({ node, setup: 'deploy.mjs', isolate: 'test' }, found);
    expect(run.facts).toEqual({
      url: expect.stringMatching(/^http/),
      isolate: 'test',
      keepsStates: true,
      root: found.root,
    });
    const lane = laneOfEnvironment(found.environment);
    expect(lane.key).toBeNull();
    expect(await lane.request({ method: 'eth_chainId' })).toBe('0x2c');
    expect(await lane.request({ method: 'eth_blockNumber' })).toBe('0x1');
    await run.close();
    await expect(lane.request({ method: 'eth_chainId' })).rejects.toThrow(/does not respond at http/);
    // A watching runner starts another node for its next run.
    expect(found.environment).toEqual({});
    expect(found.written).toMatchObject({ output: expect.stringMatching(/gas/i), errors: '' });
  });

  it('answers in the process of the tests as over HTTP, and writes equal reports', async () => {
    const node = { timestamp: GENESIS_TIME, chainId: 44, hardfork: 'cancun', compat: 'hardhat' } as const;
    const reported = async (isOfTests: boolean) => {
      const found = { ...host(), isOfTests };
      const path = join(found.root, 'gas.json');
      const run = await startRun({ node: { ...node, gasReport: path } }, found);
      const file = await FileLane.open(run.facts, join(found.root, 'vault.test.ts'));
      await file.beforeTest();
      const { lane } = file;
      const [from] = (await lane.request({ method: 'eth_accounts' })) as string[];
      // PUSH1 1 PUSH0 SSTORE PUSH0 PUSH0 REVERT, and a creation without code.
      const failing = { from, data: '0x60015f555f5ffd', gas: '0x20000' };
      const calls = [
        { method: 'eth_sendTransaction', params: [{ from, data: '0x00', gas: '0x20000' }] },
        { method: 'eth_sendTransaction', params: [failing] },
        { method: 'eth_call', params: [failing, 'latest'] },
        { method: 'eth_getBlockByNumber', params: ['0x1', true] },
        { method: 'eth_getLogs', params: [{ fromBlock: '0x0' }] },
        { method: 'eth_subscribe', params: ['newHeads'] },
        { method: 'eth_getBalance', params: ['0x1'] },
        { method: 'eth_no' },
      ];
      const answers: unknown[] = [];
      for (const [index, call] of calls.entries()) {
        await lane.request({
          method: 'evm_setNextBlockTimestamp',
          params: [GENESIS_TIME + (index + 1) * 60],
        });
        answers.push(await lane.request(call).catch(({ code, message, data }) => ({ code, message, data })));
      }
      const failures = await file.failed('pays out');
      await file.close();
      await run.close();
      return {
        answers,
        failures: failures.replace(STATE, '').replaceAll(new URL(run.facts.url).port, 'PORT'),
        report: readFileSync(path, 'utf8'),
      };
    };
    expect(await reported(true)).toEqual(await reported(false));
  });

  it('neither the local node nor its idle connections keep the process alive', async () => {
    const loader = JSON.stringify(join(REPOSITORY, 'dist', 'start.cjs'));
    const script = `require(${loader}).startInProcess(['start', '--quiet', '--port=0'], {}).then(async ({ url }) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
      const headers = { 'content-type': 'application/json' };
      await (await fetch(url, { method: 'POST', headers, body })).text();
      await new Promise((resolve) => setTimeout(resolve));
      console.log(process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length);
      process.exit();
    })`;
    expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })).toBe('0\n');
  });

  it('a call of the local node keeps the process alive', () => {
    const loader = JSON.stringify(join(REPOSITORY, 'dist', 'start.cjs'));
    const script = `require(${loader}).startInProcess(['start', '--quiet', '--port=0', '--compat=hardhat'], {}).then(async ({ call }) => {
      const [from] = await call(null, 'eth_accounts', []);
      await call(null, 'evm_setAutomine', [false]);
      await call(null, 'evm_setIntervalMining', [20]);
      const receipt = await call(null, 'eth_sendTransactionSync', [{ from, to: from }]);
      console.log(receipt.status);
    });`;
    expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })).toMatch(/^0x[1-9a-f]/);
  });

  it.each([
    ['execSync', (url: string) => execSync(`curl ${url}/vault`)],
    ['execSync', (url: string) => execSync(`true ${url.replace('127.0.0.1', 'localhost')}`)],
    ['execSync', (url: string) => execSync(`true ${new URL(url).host}`)],
    ['execFileSync', (url: string) => execFileSync('curl', [`${url}/vault`])],
    ['spawnSync', (url: string) => spawnSync('curl', ['-s', url], { timeout: 1 })],
  ])('rejects %s of a client of the local node, which cannot respond', async (name, wait) => {
    const run = await startRun({}, { ...host(), isOfTests: true });
    const { url } = run.facts;
    expect(() => wait(url)).toThrow(
      `the node at ${url} runs in this process and cannot respond during ${name}; use the asynchronous function, or set explorer: true in the options of nodeCli()`,
    );
    expect(execFileSync(process.execPath, ['-p', '1'], { encoding: 'utf8' })).toBe('1\n');
    await run.close();
    // The URL is free.
    expect(spawnSync(process.execPath, ['-p', '2', url], { encoding: 'utf8' }).stdout).toBe('2\n');
  });

  it.each([
    ['execSync', () => execSync('node -p process.env.ETH_RPC_URL', { encoding: 'utf8' })],
    ['execFileSync', () => execFileSync('node', ['-p', 'process.env.ETH_RPC_URL'], { encoding: 'utf8' })],
    ['spawnSync', () => spawnSync('node', ['-p', 'process.env.ETH_RPC_URL'], { encoding: 'utf8' }).stdout],
  ])('%s passes no URL of the local node in the environment, so that no client waits', async (_, wait) => {
    const run = await startRun({}, { ...host(), isOfTests: true });
    vi.stubEnv('ETH_RPC_URL', `${run.facts.url}/vault`);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(wait()).toBe('http://node-is-blocked.set-explorer-true.invalid/vault\n');
    await run.close();
    expect(wait()).toBe(`${run.facts.url}/vault\n`);
  });

  it('passes the other variables of an environment on, inherited ones too, and none for undefined', async () => {
    const run = await startRun({}, { ...host(), isOfTests: true });
    const env = Object.assign(Object.create({ ...process.env, KIND: 'inherited' }), {
      FACTS: JSON.stringify({ url: run.facts.url }),
      NONE: undefined,
    });
    const script = 'JSON.stringify([process.env.FACTS, process.env.KIND, process.env.NONE])';
    const given = execFileSync(process.execPath, ['-p', script], { encoding: 'utf8', env });
    expect(JSON.parse(given)).toEqual([
      '{"url":"http://node-is-blocked.set-explorer-true.invalid"}',
      'inherited',
      null,
    ]);
    await run.close();
  });

  it('returns the errors of a local node that has other globals than the test, as in Jest', async () => {
    const url = 'http://127.0.0.1:1';
    const script = `Object.assign(new Error('reverted'), { code: 3, data: '0x' })`;
    localNodes().set(url, () => Promise.reject(runInNewContext(script)));
    onTestFinished(() => void localNodes().delete(url));
    const call = laneAt(url, 'vault').request({ method: 'eth_call' });
    await expect(call).rejects.toEqual(new LaneAnswerError(3, 'reverted', '0x'));
    await expect(call).rejects.toMatchObject({ code: 3, data: '0x' });
  });

  it('the local node ignores the fake timers of tests', async () => {
    const run = await startRun({}, { ...host(), isOfTests: true });
    const lane = laneAt(run.facts.url, 'vault');
    vi.useFakeTimers({ toFake: ['Date', 'setImmediate', 'performance'], now: 0 });
    try {
      await lane.request({ method: 'evm_mine' });
      const block = await lane.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
      expect(Number((block as { timestamp: string }).timestamp)).toBeGreaterThan(GENESIS_TIME);
      // JUMPDEST PUSH0 JUMP: takes longer than a time slice.
      const endless = { data: '0x5b5f56', gas: '0x10000000' };
      const call = lane.request({ method: 'eth_call', params: [endless, 'latest'] });
      await expect(call).rejects.toMatchObject({ name: 'LaneAnswerError' });
    } finally {
      vi.useRealTimers();
      await run.close();
    }
  });

  it('the first failed test of a lane leaves its state in a file, which a node loads', async () => {
    const found = { ...host(), isOfTests: true };
    const run = await startRun({}, found);
    const file = await FileLane.open(run.facts, join(found.root, 'vault.test.ts'));
    const { lane } = file;
    await file.beforeTest();
    await lane.request({ method: 'evm_mine' });
    const path = STATE.exec(await file.failed('pays out'))?.[1] ?? '';
    expect(path).toBe(join('node_modules', '.cache', 'node-cli', 'vault.test.ts.json.gz'));
    await lane.request({ method: 'evm_mine' });
    expect(await file.failed('pays in')).not.toMatch(STATE);
    await run.close();
    const next = host();
    const loaded = await startRun({ node: { loadState: join(found.root, path) } }, next);
    expect(await laneAt(loaded.facts.url, null).request({ method: 'eth_blockNumber' })).toBe('0x1');
    await loaded.close();
  });

  it('a Mocha file that runs in two parts keeps the state of each part', async () => {
    const found = { ...host(), isOfTests: true };
    const run = await startRun({}, found);
    const work = new WorkLane(run.facts, 'mocha');
    const paths: (string | undefined)[] = [];
    for (const name of ['vault.test.js', 'token.test.js', 'vault.test.js']) {
      const file = await work.begin(join(found.root, name));
      paths.push(STATE.exec(await file.failed('pays out'))?.[1]);
    }
    await work.end();
    await run.close();
    expect(new Set(paths).size).toBe(3);
  });

  it('a file that cannot be written does not change the outcome of a failed test', async () => {
    const found = { ...host(), isOfTests: true };
    writeFileSync(join(found.root, 'node_modules'), '');
    const run = await startRun({}, found);
    const file = await FileLane.open(run.facts, join(found.root, 'vault.test.ts'));
    expect(await file.failed('pays out')).toMatch(/\n {2}state not saved: E\w+/);
    await run.close();
  });

  it('a state that the node cannot dump does not hide the report of a failed test', async () => {
    const found = host();
    const failing = {
      ...laneAt('http://127.0.0.1:1', 'vault'),
      request: () => Promise.reject(new Error('pruned')),
    };
    expect(await keepState(failing, found.root, 'vault')).toBe('  state not saved: pruned');
  });

  it.each([
    ['a failed test', (file: FileLane) => file.failed('pays out')],
    [
      'a test that removed its snapshot',
      async (file: FileLane) => {
        const { lane } = file;
        const earlier = await lane.request({ method: 'evm_snapshot' });
        await file.beforeTest();
        await lane.request({ method: 'evm_revert', params: [earlier] });
        return file.afterTest('goes back');
      },
    ],
  ])('explains once how to open links after the node has stopped: %s', async (_, report) => {
    const found = host();
    const run = await startRun({ isolate: 'test' }, found);
    const file = await FileLane.open(run.facts, join(found.root, 'vault.test.ts'));
    expect(await report(file)).toContain(`${run.facts.url}/`);
    await file.close();
    expect(found.written.errors).toBe('');
    await run.close();
    expect(found.written).toEqual({ output: '', errors: `${STOPPED}\n` });
  });

  it('explains how to open links without a failed lane', async () => {
    const found = host();
    const run = await startRun({}, found);
    const lanes = new ConnectionLanes();
    for (const name of ['one', 'two']) await lanes.open(run.facts, join(found.root, name));
    await lanes.beforeTest('counts');
    expect(await lanes.afterTest('counts', true)).toEqual([expect.stringContaining(run.facts.url)]);
    await lanes.close();
    await run.close(lanes.hasLanesLink);
    expect(found.written.errors).toBe(`${STOPPED}\n`);
  });

  it('prints nothing about links if no test failed, or if the node keeps running', async () => {
    const ended = host();
    const run = await startRun({}, ended);
    await (await FileLane.open(run.facts, join(ended.root, 'vault.test.ts'))).close();
    await run.close();
    expect(ended.written.errors).toBe('');
    const kept = host();
    const other = await startRun({ url: await listeningNode(true) }, kept);
    await (await FileLane.open(other.facts, join(kept.root, 'vault.test.ts'))).failed('pays out');
    await other.close();
    expect(kept.written.errors).toBe('');
  });

  it('uses a running node from the URL or the environment and leaves it running', async () => {
    const url = await listeningNode(true);
    for (const [options, found] of [
      [{ url: `${url}/` }, host()],
      [{}, host({ NODE_CLI_URL: url })],
    ] as const) {
      const run = await startRun(options, found);
      expect(run.facts).toMatchObject({ url, isolate: 'file' });
      const lane = laneOfEnvironment(found.environment);
      await run.close();
      expect(await lane.request({ method: 'eth_chainId' })).toBe('0x21');
    }
  });

  it('rejects a node without lanes, a missing node and invalid options', async () => {
    await expect(startRun({ url: await listeningNode(false) }, host())).rejects.toThrow(
      /serves no lanes .*; start the node with npx node-cli start --lanes/,
    );
    await expect(startRun({ url: 'http://127.0.0.1:2' }, host())).rejects.toThrow(
      'the test node does not respond at http://127.0.0.1:2: ',
    );
    await expect(startRun({ url: 'http://127.0.0.1:6666' }, host())).rejects.toThrow(
      'the test node does not respond at http://127.0.0.1:6666: cannot connect to port 6666: fetch() blocks it',
    );
    await expect(startRun({ node: { chainId: 'many' } }, host())).rejects.toMatchObject({
      name: 'TestRunError',
      message: expect.stringMatching(/^node-cli: --chain-id: expected .*, got "?many/),
    });
  });

  it('rejects invalid options of a node in the process of the tests with one message', async () => {
    const run = startRun({ node: { chainId: 'many' } }, { ...host(), isOfTests: true });
    const error: unknown = await run.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringMatching(/^node-cli: --chain-id: expected /) });
    expect(error).not.toHaveProperty('cause');
  });

  it('rejects an invalid setup, and stops the node', async () => {
    const found = host();
    writeFileSync(join(found.root, 'none.mjs'), 'export const other = 1;');
    const seen = join(found.root, 'url.txt');
    writeFileSync(
      join(found.root, 'bad.mjs'),
      `import { writeFileSync } from 'node:fs';
      export function setup({ url }) { writeFileSync(${JSON.stringify(seen)}, url); throw new Error('no ether'); }`,
    );
    for (const [setup, words] of [
      ['missing.mjs', /^cannot import setup from .*missing\.mjs: .*Cannot find module/],
      [
        'none.mjs',
        /^setup: expected a module that exports a function with the name default or setup, got .*none/,
      ],
      ['bad.mjs', /^no ether$/],
    ] as const) {
      await expect(startRun({ setup }, found)).rejects.toThrow(words);
      expect(found.environment).toEqual({});
    }
    const lane = laneAt(readFileSync(seen, 'utf8'), null);
    await expect(lane.request({ method: 'eth_chainId' })).rejects.toThrow(/does not respond/);
  });

  it('laneOfEnvironment throws if NODE_CLI_URL is not set', () => {
    expect(() => laneOfEnvironment({})).toThrow(/^no lane for the tests: NODE_CLI_URL is not set; /);
  });
});
