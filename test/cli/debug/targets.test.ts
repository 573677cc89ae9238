import { describe, expect, it } from 'vitest';
import type { DebugNode } from '../../../src/cli/debug/execution.ts';
import { connectAdapter, launch, nodeOf, scopeOf, THREAD, topOf } from './support/adapter.ts';
import { debuggedScene, lineOf } from './support/scene.ts';

describe('launch of a failure', () => {
  it.each(['last' as const, 1])('%s runs to the failure of the call', async (failure) => {
    const { call, address } = await debuggedScene();
    await expect(call('eth_call', [{ to: address, data: '0x12345678' }, 'latest'])).rejects.toThrow();
    const { client } = await connectAdapter(call);

    const halt = await launch(client, { failure });

    expect(halt).toMatchObject({ reason: 'exception' });
    expect((await client.threadsRequest()).body.threads).toEqual([{ id: 1, name: 'failure #1' }]);
  });

  it('names the kept failures if the failure does not exist', async () => {
    const { call } = await debuggedScene();
    const { client } = await connectAdapter(call);
    await client.initializeRequest();

    await expect(client.send('launch', { failure: 7 })).rejects.toThrow('failure 7');
  });
});

describe('launch of a call', () => {
  it.each([
    ['a function of the ABI', { function: 'run', args: [11] }],
    ['a signature', { function: 'run(uint256)', args: ['11'] }],
    ['data', { data: `0xa444f5e9${'b'.padStart(64, '0')}` }],
  ])('with %s runs the call', async (_, given) => {
    const { call, address, from } = await debuggedScene();
    const { client } = await connectAdapter(call);

    const halt = await launch(client, { call: { to: address, from, ...given } });

    expect(halt).toMatchObject({ reason: 'exception', text: expect.stringContaining('TooMuch(asked: 11') });
    expect((await scopeOf(client, 'Globals')).this).not.toBe(address);
  });

  it('runs on the state of its block, also after later blocks', async () => {
    const { call, address, main } = await debuggedScene();
    const { client } = await connectAdapter(call);
    await launch(client, { call: { to: address, function: 'run', args: [3] }, stopOnEntry: true });

    await main('run', 4n);

    expect(await topOf(client)).toBe(`Main.run:${lineOf('double(amount);')}`);
    expect(await scopeOf(client, 'State')).toMatchObject({ total: '0' });
  });

  it.each([
    [{ function: 'none', args: [] }, 'unknown function none'],
    [{ function: 'run', args: ['x'] }, 'expected a number for uint256, got "x"'],
    [{ data: '0x', function: 'run' }, 'call: expected data or function, not both'],
    [{ args: [1] }, 'call.args: expected no arguments without function'],
  ])('with %j fails with the reason', async (given, message) => {
    const { call, address } = await debuggedScene();
    const { client } = await connectAdapter(call);
    await client.initializeRequest();

    await expect(client.send('launch', { call: { to: address, ...given } })).rejects.toThrow(message);
  });
});

describe('launch of a test', () => {
  const LANES = [
    { key: 'test~a.ts', label: { name: 'test/a.ts', outcome: 'failed' } },
    { key: 'test~a.ts-pays-123456', label: { name: 'test/a.ts > pays', outcome: 'passed' } },
  ];

  /** The lanes of one chain: the adapter requests each of them by its key. */
  async function connected() {
    const scene = await debuggedScene();
    const asked: string[] = [];
    const node = (key: string): DebugNode => ({
      ...nodeOf(scene),
      name: `http://test/${key}`,
      ask: (method, params) => {
        asked.push(key);
        return method === 'lane_list' ? Promise.resolve(LANES) : scene.call(method, params);
      },
    });
    const nodes = Promise.resolve({ base: node(''), lane: node, key: node });
    return { ...scene, asked, ...(await connectAdapter(scene.call, { nodes })) };
  }

  it('runs the newest failure of the lane of the test', async () => {
    const { client, main, asked } = await connected();
    await main('run', 11n);
    await main('run', 1n);

    expect(await launch(client, { test: 'test/a.ts > pays' })).toMatchObject({ reason: 'exception' });

    expect(asked.at(-1)).toBe('test~a.ts-pays-123456');
    expect((await client.threadsRequest()).body.threads).toEqual([{ id: 1, name: 'test/a.ts > pays' }]);
  });

  it('runs the last transaction of the lane of the file without a failure', async () => {
    const { client, main, asked } = await connected();
    await main('run', 1n);

    await launch(client, { test: 'test/a.ts > waits', stopOnEntry: true });

    expect(asked.at(-1)).toBe('test~a.ts');
    expect(await topOf(client)).toBe(`Main.run:${lineOf('double(amount);')}`);
    expect((await client.stackTraceRequest(THREAD)).body.totalFrames).toBe(1);
  });

  it('lists the tests if no lane belongs to the test', async () => {
    const { client } = await connected();
    await client.initializeRequest();

    await expect(client.send('launch', { test: 'test/b.ts > pays' })).rejects.toThrow(
      'test: no lane belongs to test/b.ts > pays; expected one of test/a.ts, test/a.ts > pays',
    );
    await expect(client.send('launch', { failure: 'last', lane: 'none' })).rejects.toThrow(
      'lane: unknown lane none',
    );
  });

  it('returns the reason if the node has no lanes', async () => {
    const { call } = await debuggedScene();
    const { client } = await connectAdapter(call);
    await client.initializeRequest();

    await expect(client.send('launch', { test: 'test/a.ts > pays' })).rejects.toThrow(
      /^cannot list the lanes of http:\/\/test: .*--lanes/,
    );
  });
});
