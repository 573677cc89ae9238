import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../../src/index.ts';
import { laneOfEnvironment } from '../../../src/library/runners/environment-lane.ts';
import { type RunHost, startRun } from '../../../src/library/runners/run.ts';
import { laneAt } from '../../../src/library/runners/test-lane.ts';

/** A folder, and a host of a run in it whose output is kept. */
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

async function listeningNode(lanes: boolean): Promise<string> {
  const node = await createNode();
  const server = await node.listen({ lanes });
  onTestFinished(async () => {
    await server.close();
    await node.close();
  });
  return server.url;
}

describe('a run of tests', () => {
  it('starts a node with the options, sets its base up, and ends it, which writes its reports', async () => {
    const found = host();
    writeFileSync(
      join(found.root, 'deploy.mjs'),
      'export default (base) => base.request({ method: "evm_mine" });',
    );
    const node = { chainId: 44, gasReport: true };
    const run = await startRun({ node, setup: 'deploy.mjs', isolate: 'test' }, found);
    expect(run.facts).toEqual({ url: expect.stringMatching(/^http/), isolate: 'test', root: found.root });
    const lane = laneOfEnvironment(found.environment);
    expect(lane.key).toBeNull();
    expect(await lane.request({ method: 'eth_chainId' })).toBe('0x2c');
    expect(await lane.request({ method: 'eth_blockNumber' })).toBe('0x1');
    await run.close();
    await expect(lane.request({ method: 'eth_chainId' })).rejects.toThrow(/does not respond at http/);
    // A runner that goes on watching files starts another node for its next run.
    expect(found.environment).toEqual({});
    expect(found.written).toMatchObject({ output: expect.stringMatching(/gas/i), errors: '' });
  });

  it('takes a node that runs, by its URL or the environment, and leaves it running', async () => {
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

  it('says what is wrong with a node without lanes, one that is not there, and wrong options', async () => {
    await expect(startRun({ url: await listeningNode(false) }, host())).rejects.toThrow(
      /serves no lanes .*; start the node with node-cli start --lanes/,
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

  it('says what is wrong with the setup, and leaves no node behind', async () => {
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

  it('throws if NODE_CLI_URL is not set', () => {
    expect(() => laneOfEnvironment({})).toThrow(/^no lane for the tests: NODE_CLI_URL is not set; /);
  });
});
