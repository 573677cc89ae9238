import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { debugNodesAt } from '../../../src/cli/debug/debug-nodes.ts';
import { attach, scopeOf, topOf } from './support/adapter.ts';
import { at, attachedScene, PATH } from './support/attached.ts';
import { lineOf } from './support/scene.ts';

describe('attach', () => {
  it('stops in requests of clients one after another, and the chain continues', async () => {
    const { client, send, read, total, nextHalt, resume, threads, changes } = await attachedScene();
    await attach(client, {}, { breakpoints: at('total = doubled;') });
    const halted = nextHalt();

    await send('run', 1n);
    await read('run', 2n);
    const counted = await total();

    expect(await halted).toMatchObject({ reason: 'breakpoint', threadId: 1, hitBreakpointIds: [1] });
    expect(counted).toBeGreaterThan(0n);
    expect(await threads()).toEqual([{ id: 1, name: 'eth_sendTransaction #1' }]);
    expect(await topOf(client)).toBe(`Main.run:${lineOf('total = doubled;')}`);
    expect(await scopeOf(client, 'State')).toMatchObject({ total: '0' });
    expect(await resume()).toMatchObject({ reason: 'breakpoint', threadId: 2 });
    expect(await threads()).toEqual([{ id: 2, name: 'eth_call #2' }]);
    const { body } = await client.evaluateRequest({ expression: 'total' });
    expect(body.result).toBe(String(counted));
    expect(changes()).toEqual(['1 started', '1 exited', '2 started']);
  });

  it('stays attached after the last execution, until the editor disconnects', async () => {
    const { client, send, nextHalt, threads, events, requestOn, call, disconnect } = await attachedScene();
    await attach(client, {}, { breakpoints: at('total = doubled;') });
    let halted = nextHalt();
    await send('run', 1n);
    await halted;
    const exited = client.waitForEvent('thread');
    await client.continueRequest({ threadId: 1 });
    await exited;
    expect(await threads()).toEqual([]);
    expect(events.filter(({ event }) => event === 'terminated')).toEqual([]);

    halted = nextHalt();
    await requestOn('/').send('run', 2n);
    expect(await halted).toMatchObject({ threadId: 2 });
    await disconnect();

    expect(await call('/', 'eth_blockNumber')).toBe('0x3');
    await expect
      .poll(() => call('/', 'inspect_steps', [{ recording: 2 }]).catch(String), { timeout: 30_000 })
      .toContain('not found');
  });

  it('opens the next execution after the editor ends a thread', async () => {
    const { client, send, nextHalt } = await attachedScene();
    await attach(client, {}, { breakpoints: at('total = doubled;') });
    let halted = nextHalt();
    await send('run', 1n);
    await send('run', 2n);
    await halted;

    halted = nextHalt();
    await client.customRequest('terminateThreads', { threadIds: [1] });

    expect(await halted).toMatchObject({ threadId: 2 });
  });

  it('releases executions whose condition is false', async () => {
    const { client, send, nextHalt, changes, call } = await attachedScene();
    await attach(client, {}, { breakpoints: at('total = doubled;', { condition: 'amount == 3' }) });
    const halted = nextHalt();

    for (const amount of [1n, 2n, 3n]) await send('run', amount);

    expect(await halted).toMatchObject({ reason: 'breakpoint', threadId: 1 });
    expect(await scopeOf(client, 'Locals')).toMatchObject({ amount: '3' });
    expect(changes()).toEqual(['1 started']);
    await expect(call('/', 'inspect_steps', [{ recording: 2 }])).rejects.toThrow('recording 2 not found');
  });

  it('counts the hits of all executions for hit conditions', async () => {
    const { client, send, nextHalt } = await attachedScene();
    await attach(client, {}, { breakpoints: at('items.push', { hitCondition: '== 5' }) });
    const halted = nextHalt();

    for (const count of [2n, 4n]) await send('loop', count);

    expect(await halted).toMatchObject({ reason: 'breakpoint' });
    expect(await scopeOf(client, 'Locals')).toMatchObject({ count: '4', index: '2' });
  });

  it('prints log points without a stop', async () => {
    const { client, send, outputs, changes } = await attachedScene();
    await attach(client, {}, { breakpoints: at('total = doubled;', { logMessage: 'runs {amount}' }) });

    await send('run', 1n);
    await send('run', 2n);

    await expect.poll(outputs, { timeout: 30_000 }).toContain('runs 2');
    expect(outputs()).toContain('runs 1');
    expect(changes()).toEqual([]);
  });

  it('stops at function breakpoints', async () => {
    const { client, send, nextHalt } = await attachedScene();
    await attach(client, {});
    const { body } = await client.setFunctionBreakpointsRequest({
      breakpoints: [{ name: 'Main.double' }, { name: 'Main.none' }, { name: 'None.double' }],
    });
    expect(body.breakpoints).toMatchObject([
      { verified: true },
      { verified: false, message: 'the build output of the node has no function Main.none' },
      { verified: false },
    ]);
    const halted = nextHalt();

    await send('loop', 1n);
    await send('run', 1n);

    expect(await halted).toMatchObject({ reason: 'function breakpoint', threadId: 1 });
    expect(await topOf(client)).toBe(`Main.double:${lineOf('function double')}`);
  });

  it('stops at failures with the filters of failures only', async () => {
    const { client, send, read, nextHalt, resume } = await attachedScene();
    await attach(client, {}, { filters: ['panic'] });
    let halted = nextHalt();
    await read('run', 99n).catch(() => null);
    await send('caught', 1n).catch(() => null);
    expect(await halted).toMatchObject({ reason: 'exception', text: expect.stringContaining('0x12') });

    await client.setExceptionBreakpointsRequest({ filters: [] });
    await client.setBreakpointsRequest({
      source: { path: PATH },
      breakpoints: [{ line: lineOf('items.push') }],
    });
    await read('run', 99n).catch(() => null);
    halted = resume();
    await send('loop', 1n);
    expect(await halted).toMatchObject({ reason: 'breakpoint' });
  });

  it('stops at the cause of each failed request by default', async () => {
    const { client, read, nextHalt, threads } = await attachedScene();
    await attach(client, {});
    const halted = nextHalt();

    await expect(read('run', 99n)).rejects.toThrow();

    expect(await halted).toMatchObject({ reason: 'exception', text: expect.stringContaining('TooMuch') });
    expect(await topOf(client)).toBe(`Other.take:${lineOf('revert TooMuch')}`);
    expect(await threads()).toEqual([{ id: 1, name: 'eth_call #1' }]);
  });

  it('takes over changed breakpoints', async () => {
    const { client, send, nextHalt, resume } = await attachedScene();
    await attach(client, {});
    const set = (text: string) =>
      client.setBreakpointsRequest({ source: { path: PATH }, breakpoints: [{ line: lineOf(text) }] });
    expect((await set('items.push')).body.breakpoints).toMatchObject([{ verified: true }]);
    let halted = nextHalt();
    await send('loop', 1n);
    await halted;
    await set('held -= amount');
    await send('loop', 1n);
    await send('run', 1n);

    halted = resume();

    expect(await halted).toMatchObject({ reason: 'breakpoint', threadId: 2 });
    expect(await topOf(client, 2)).toBe(`Other.take:${lineOf('held -= amount')}`);
  });

  it('attaches again after a restart', async () => {
    const { client, send, nextHalt } = await attachedScene();
    await attach(client, {}, { breakpoints: at('total = doubled;') });
    await client.customRequest('restart', {});
    const halted = nextHalt();

    await send('run', 1n);

    expect(await halted).toMatchObject({ reason: 'breakpoint', threadId: 1 });
  });

  it('rejects references to an ended execution', async () => {
    const { client, send, nextHalt, resume } = await attachedScene();
    await attach(client, {}, { breakpoints: at('total = doubled;') });
    const halted = nextHalt();
    await send('run', 1n);
    await send('run', 2n);
    await halted;
    const addressIn = async (threadId: number) =>
      (await client.stackTraceRequest({ threadId })).body.stackFrames[0]?.instructionPointerReference;
    const disassemble = (memoryReference: string | undefined) =>
      client.customRequest('disassemble', { memoryReference, instructionCount: 1 });
    const ended = await addressIn(1);
    await resume();
    const open = await addressIn(2);

    await expect(disassemble(ended)).rejects.toThrow('expected a reference to an open execution');

    expect((await disassemble(open)).body.instructions).toMatchObject([{ address: open }]);
  });

  it('returns the reason for an unmapped breakpoint', async () => {
    const { client } = await attachedScene();
    await attach(client, {});

    const { body } = await client.setBreakpointsRequest({
      source: { path: '/project/contracts/None.sol' },
      breakpoints: [{ line: 1 }],
    });

    expect(body.breakpoints).toMatchObject([
      { verified: false, message: expect.stringContaining('no build output contains the file') },
    ]);
  });

  it('rejects the attach request with the reason if too many debuggers are attached', async () => {
    const { client, url } = await attachedScene();
    const { base } = debugNodesAt(url);
    const debuggers = Array.from({ length: 32 }, () => base.connect({ notified: () => {}, ended: () => {} }));
    onTestFinished(() => {
      for (const each of debuggers) each.close();
    });
    for (const each of debuggers) await each.ask('inspect_attach', [[]]);
    await client.initializeRequest();

    await expect(client.send('attach', {})).rejects.toThrow(
      'too many attached debuggers: the maximum is 32; end one of them',
    );
  });

  it('reports the executions that were not checked', async () => {
    const { client, call, read, nextHalt, resume, outputs } = await attachedScene();
    await attach(client, {}, { breakpoints: at('total = doubled;') });
    const halted = nextHalt();
    for (let count = 0; count < 51; count++) await read('run', 1n);
    await halted;
    await expect
      .poll(() => call('/', 'inspect_steps', [{ recording: 51 }]).catch(String), { timeout: 30_000 })
      .toMatchObject({ failedAt: null });
    for (let count = 0; count < 60; count++) await read('run', 1n);

    for (let count = 0; count < 50; count++) expect(await resume()).toMatchObject({ threadId: count + 2 });
    await client.continueRequest({ threadId: 51 });
    const last = nextHalt();
    await read('run', 1n);
    await last;

    expect(outputs().filter((text) => text.includes('not checked'))).toHaveLength(1);
  });
});

describe('attach to a part of a node', () => {
  it('stops only in requests to the lane', async () => {
    const { client, requestOn, call, nextHalt, threads } = await attachedScene();
    await call('/a', 'eth_chainId');
    await call('/a', 'lane_label', [{ name: 'test/a.ts > adds', outcome: 'running' }]);
    await call('/b', 'eth_chainId');
    await expect(
      client.initializeRequest().then(() => client.send('attach', { lane: 'none' })),
    ).rejects.toThrow('lane: unknown lane none');
    const halted = nextHalt();
    const initialized = client.waitForEvent('initialized').catch(() => null);
    await attach(client, { lane: 'a' }, { breakpoints: at('total = doubled;') });
    await initialized;

    await requestOn('/b').send('run', 1n);
    await requestOn('/').send('run', 1n);
    await requestOn('/a').send('run', 2n);

    await halted;
    expect(await threads()).toEqual([{ id: 1, name: 'test/a.ts > adds #1' }]);
    expect(await scopeOf(client, 'Locals')).toMatchObject({ amount: '2' });
  });

  it('stops in requests to all lanes without a lane', async () => {
    const { client, requestOn, call, nextHalt, resume, threads } = await attachedScene();
    await call('/a', 'eth_chainId');
    await call('/a', 'lane_label', [{ name: 'adds', outcome: 'running' }]);
    await attach(client, {}, { breakpoints: at('total = doubled;') });
    const halted = nextHalt();

    await requestOn('/a').send('run', 1n);
    await requestOn('/').send('run', 2n);

    await halted;
    expect(await threads()).toEqual([{ id: 1, name: 'adds #1' }]);
    await resume();
    expect(await threads()).toEqual([{ id: 2, name: 'eth_sendTransaction #2' }]);
  });

  it('stops only in requests with the API key', async () => {
    const { client, requestOn, nextHalt } = await attachedScene({ apiKeys: ['mine', 'other'] });
    await client.initializeRequest();
    await expect(client.send('attach', {})).rejects.toThrow(/HTTP status 401|unauthorized/);
    const halted = nextHalt();
    await attach(client, { key: 'mine' }, { breakpoints: at('total = doubled;') });

    await requestOn('/other')
      .send('run', 1n)
      .catch(() => null);
    await requestOn('/mine').send('run', 2n);

    expect(await halted).toMatchObject({ threadId: 1 });
    expect(await scopeOf(client, 'Locals')).toMatchObject({ amount: '2' });
  });
});

describe('the end of an attached node', () => {
  it('ends the session with the reason', async () => {
    const { client, server, outputs, url } = await attachedScene();
    await attach(client, {});
    const terminated = once(client, 'terminated');

    void server.close();

    await terminated;
    expect(outputs().at(-1)).toContain(`detached from ${url}`);
  });

  it('ends the session if the lane is dropped', async () => {
    const { client, call, outputs } = await attachedScene();
    await call('/a', 'eth_chainId');
    await attach(client, { lane: 'a' });
    const terminated = once(client, 'terminated');

    await call('/', 'lane_drop', ['a']);

    await terminated;
    expect(outputs().at(-1)).toContain('detached from');
  });

  it('fails to attach if no node answers', async () => {
    const { client, server } = await attachedScene();
    await server.close();
    await client.initializeRequest();

    await expect(client.send('attach', {})).rejects.toThrow(/no node at|no connection to/);
  });
});
