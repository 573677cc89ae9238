import { describe, expect, it } from 'vitest';
import { fixtureRun } from '../../inspect/support/fixture-failures.ts';
import {
  connectAdapter,
  launch,
  move,
  nextHalt,
  scopeOf,
  THREAD,
  topOf,
  variablesOf,
} from './support/adapter.ts';
import { debuggedScene, FILE, lineOf } from './support/scene.ts';

describe('launch of a transaction', () => {
  it('runs to the failure, and stops there with the reason exception', async () => {
    const { call, main } = await debuggedScene();
    const hash = await main('run', 11n);
    const { client } = await connectAdapter(call);

    const halt = await launch(client, { transaction: hash });

    expect(halt).toMatchObject({
      reason: 'exception',
      threadId: 1,
      text: "reverted with custom error 'TooMuch(asked: 11, held: 10)'",
    });
    const { body } = await client.stackTraceRequest(THREAD);
    expect(body.stackFrames.map(({ name, line }) => [name, line])).toEqual([
      ['Other.take', lineOf('revert TooMuch')],
      ['Main.run', lineOf('other.take(amount);')],
    ]);
    expect(body.totalFrames).toBe(2);
  });

  it('shows the locals and the state of each frame', async () => {
    const { call, main, from } = await debuggedScene();
    const { client } = await connectAdapter(call);
    await launch(client, { transaction: await main('run', 11n) });

    expect(await scopeOf(client, 'Locals')).toMatchObject({ amount: '11' });
    expect(await scopeOf(client, 'State')).toEqual({ held: '10' });
    expect(await scopeOf(client, 'Locals', 1)).toMatchObject({ amount: '11', doubled: '22' });
    expect(await scopeOf(client, 'State', 1)).toMatchObject({
      total: '22',
      items: '[]',
      part: '(size: 0, name: "")',
    });
    const [, , balances] = await variablesOf(client, 'State', 1);
    const { variablesReference = 0 } = balances ?? {};
    const { body } = await client.variablesRequest({ variablesReference });
    expect(body.variables.map(({ name, value }) => [name.toLowerCase(), value])).toEqual([
      [`[${from.toLowerCase()}]`, '22'],
      ['', '… entries with unknown keys; evaluate them by key'],
    ]);
  });

  it('ends if nothing fails and no breakpoint stops it', async () => {
    const { call, main } = await debuggedScene();
    const { client, events } = await connectAdapter(call);

    expect(await launch(client, { transaction: await main('run', 3n) })).toBe('terminated');

    const outputs = events
      .filter(({ event }) => event === 'output')
      .map(({ body }) => [body.category, body.output]);
    expect(outputs).toEqual([
      ['console', expect.stringMatching(/^Other: Taken\(by: 0x\w+, amount: 3\)\n$/)],
      ['stdout', 'done\n'],
      ['console', 'the execution ended without a stop; set a breakpoint, or set stopOnEntry\n'],
    ]);
  });

  it('stops at the first statement with stopOnEntry', async () => {
    const { call, main } = await debuggedScene();
    const { client } = await connectAdapter(call);

    expect(await launch(client, { transaction: await main('run', 3n), stopOnEntry: true })).toMatchObject({
      reason: 'entry',
    });

    expect(await topOf(client)).toBe(`Main.run:${lineOf('double(amount);')}`);
    expect(await move(client, () => client.continueRequest(THREAD))).toBe('terminated');
  });

  it('prints the failure of an execution without steps, and ends', async () => {
    const { call, from } = await debuggedScene();
    const { client, events } = await connectAdapter(call);
    const precompile = { to: `0x${'08'.padStart(40, '0')}`, data: '0x01', from };

    expect(await launch(client, { call: precompile, stopOnEntry: true })).toBe('terminated');

    expect(events.filter(({ event }) => event === 'output').map(({ body }) => body.output)).toEqual([
      expect.stringContaining('precompile 8 failed'),
    ]);
  });

  it('reads a long execution in pages', async () => {
    const { call, address } = await debuggedScene();
    const pages: { count: number }[] = [];
    let requests = 0;
    const { client } = await connectAdapter((method, params) => {
      requests++;
      if (method === 'inspect_steps') pages.push((params as [unknown, { count: number }])[1]);
      return call(method, params);
    });

    await launch(client, { call: { to: address, function: 'spin', args: [1_500] } });
    await topOf(client);
    await scopeOf(client, 'Stack');

    const { body } = await client.stackTraceRequest({ ...THREAD, levels: 1 });
    expect(Number(body.stackFrames[0]?.instructionPointerReference)).toBeGreaterThan(100_000);
    expect(Math.max(...pages.map(({ count }) => count))).toBeLessThanOrEqual(256);
    expect(requests).toBeLessThan(10);
  });
});

describe('the order of requests', () => {
  it('verifies breakpoints that are set before the launch, when the launch is complete', async () => {
    const { call, main } = await debuggedScene();
    const { client, events } = await connectAdapter(call);
    await client.initializeRequest({ adapterID: 'node-cli', linesStartAt1: false, pathFormat: 'path' });
    const line = lineOf('total = doubled;') - 1;

    const { body } = await client.setBreakpointsRequest({
      source: { path: `/project/${FILE}` },
      breakpoints: [{ line }],
    });
    expect(body.breakpoints).toMatchObject([
      { verified: false, message: 'the execution is not launched yet' },
    ]);

    const halted = nextHalt(client);
    await client.configurationDoneRequest();
    await client.launchRequest({ transaction: await main('run', 3n) } as object);

    expect(await halted).toMatchObject({ reason: 'breakpoint' });
    expect(events.find(({ event }) => event === 'breakpoint')?.body).toMatchObject({
      reason: 'changed',
      breakpoint: { id: 1, verified: true, line },
    });
    const { body: stack } = await client.stackTraceRequest(THREAD);
    expect(stack.stackFrames[0]?.line).toBe(line);
  });
});

describe('launch of a Vyper transaction', () => {
  it.each(['vyper/0.3.10', 'vyper/0.4.3'])('stops at lines and functions of %s', async (folder) => {
    const { failures, fail } = fixtureRun(folder);
    const failure = failures.find(({ name }) => name.startsWith('Failing.chain'));
    if (failure === undefined) throw new Error('the fixtures have no such failure');
    const { call, hash } = await fail(failure);
    const { client } = await connectAdapter(call);

    const halt = await launch(client, { transaction: hash }, { functions: [{ name: 'Failing.chain' }] });

    expect(halt).toMatchObject({ reason: 'function breakpoint' });
    expect(await topOf(client)).toMatch(/^Failing\.chain:\d+$/);
    expect(await move(client, () => client.continueRequest(THREAD))).toMatchObject({ reason: 'exception' });
    const { body } = await client.stackTraceRequest(THREAD);
    const [inner] = body.stackFrames;
    await client.setBreakpointsRequest({
      source: inner?.source ?? {},
      breakpoints: [{ line: inner?.line ?? 0 }],
    });
    const first = await move(client, () => client.restartRequest({}));
    const second = await move(client, () => client.continueRequest(THREAD));
    // Vyper 0.3 inlines the function, so that both breakpoints can stop at its line.
    expect([first, second]).toContainEqual(expect.objectContaining({ reason: 'breakpoint' }));
  });
});
