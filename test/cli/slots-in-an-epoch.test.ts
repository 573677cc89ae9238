import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNode } from '../../src/index.ts';
import { answerAt } from '../support/json-rpc.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type ProcessOptions, start } from './support/started-node.ts';

/** Returns the numbers of the blocks `safe` and `finalized` if the head is block 100. */
async function finalBlocks(options: readonly string[], process: ProcessOptions = {}): Promise<number[]> {
  const { call } = await start(options, process);
  await call('anvil_mine', '0x64');
  const numberOf = async (tag: string): Promise<number> =>
    Number(((await call('eth_getBlockByNumber', tag, false)) as { readonly number: string }).number);
  return [await numberOf('safe'), await numberOf('finalized')];
}

describe('--slots-in-an-epoch', () => {
  it.each([
    [[], [100, 100]],
    [
      ['--slots-in-an-epoch', '0'],
      [100, 100],
    ],
    [
      ['--slots-in-an-epoch', '10'],
      [90, 80],
    ],
    [
      ['--compat', 'hardhat'],
      [100, 100],
    ],
    [
      ['--compat', 'service'],
      [100, 100],
    ],
    [
      ['--compat', 'anvil'],
      [68, 36],
    ],
    [
      ['--compat', 'anvil', '--slots-in-an-epoch', '1'],
      [99, 98],
    ],
    [
      ['--compat', 'anvil', '--slots-in-an-epoch', '0'],
      [100, 100],
    ],
  ])('safe and finalized are below the head: %j', async (options, expected) => {
    expect(await finalBlocks(options)).toEqual(expected);
  });

  it('is a variable and a key of the configuration file', async () => {
    const environment = { NODE_CLI_SLOTS_IN_AN_EPOCH: '3' };
    expect(await finalBlocks([], { environment })).toEqual([97, 94]);
    const folder = await temporaryDirectory();
    const file = join(folder, 'node-cli.config.json');
    writeFileSync(file, '{ "slotsInAnEpoch": 4 }');
    expect(await finalBlocks(['--config', file])).toEqual([96, 92]);
  });

  it('is 32 if the project chooses compat mode anvil', async () => {
    const workingDirectory = await temporaryDirectory();
    mkdirSync(join(workingDirectory, '.git'));
    writeFileSync(join(workingDirectory, 'foundry.toml'), '');
    expect(await finalBlocks([], { workingDirectory })).toEqual([68, 36]);
  });

  it.each(['Hardhat 3.17.0', 'anvil'])('does not depend on the client: %s', async (agent) => {
    for (const [compat, expected] of [
      ['anvil', 68],
      ['auto', 100],
    ] as const) {
      const { url, call } = await start(['--compat', compat]);
      await call('anvil_mine', '0x64');
      const body = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['safe', false] };
      const headers = { 'content-type': 'application/json', 'user-agent': agent };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(await response.json()).toMatchObject({ result: { number: `0x${expected.toString(16)}` } });
    }
  });

  it('applies to lanes, also with their own rules', async () => {
    const { url, call } = await start(['--lanes', '--slots-in-an-epoch', '1']);
    await call('anvil_mine', '0x5');
    await call('lane_create', { key: 'own', hardfork: 'prague' });
    for (const [lane, expected] of [
      ['other', '0x4'],
      ['own', '0x0'],
    ] as const) {
      const block = await answerAt(`${url}/${lane}`, 'eth_getBlockByNumber', ['safe', false]);
      expect(block.result).toMatchObject({ number: expected });
    }
  });

  it('applies to a chain in a data directory at each start', async () => {
    const options = ['--data-dir', join(await temporaryDirectory(), 'data')];
    const node = await start([...options, '--slots-in-an-epoch', '1']);
    await node.call('anvil_mine', '0x5');
    expect(await node.call('eth_getBlockByNumber', 'safe', false)).toMatchObject({ number: '0x4' });
    await node.end();
    const { call } = await start([...options, '--slots-in-an-epoch', '2']);
    expect(await call('eth_getBlockByNumber', 'safe', false)).toMatchObject({ number: '0x3' });
  });

  it('slotsInAnEpoch is an option of createNode', async () => {
    for (const [options, expected] of [
      [{}, '0x64'],
      [{ compat: 'auto' }, '0x64'],
      [{ slotsInAnEpoch: 2 }, '0x62'],
      [{ compat: 'anvil' }, '0x44'],
      [{ compat: 'anvil', slotsInAnEpoch: 0 }, '0x64'],
    ] as const) {
      const node = await createNode(options);
      await node.request({ method: 'anvil_mine', params: ['0x64'] });
      expect(await node.request({ method: 'eth_getBlockByNumber', params: ['safe', false] })).toMatchObject({
        number: expected,
      });
      await node.close();
    }
  });
});
