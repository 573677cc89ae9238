import type { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { connectAdapter, launch, move, scopeOf, THREAD, topOf, variablesOf } from './support/adapter.ts';
import { debuggedScene, FILE, lineOf } from './support/scene.ts';

async function stopped(name: string, args: readonly unknown[], line: string) {
  const scene = await debuggedScene();
  const { client } = await connectAdapter(scene.call);
  const breakpoints = { [`/project/${FILE}`]: [{ line: lineOf(line) }] };
  await launch(client, { transaction: await scene.main(name, ...args) }, { breakpoints });
  const { body } = await client.stackTraceRequest(THREAD);
  const [frame] = body.stackFrames;
  return { ...scene, client, frameId: frame?.id ?? -1, frames: body.stackFrames };
}

describe('evaluate', () => {
  it.each(['watch', 'hover', 'repl'])(
    'returns values and expandable values in the context %s',
    async (context) => {
      const { client, frameId } = await stopped('loop', [3n], 'total = copy.length');
      const evaluate = async (expression: string) =>
        (await client.evaluateRequest({ expression, frameId, context })).body;

      expect(await evaluate('count + 1')).toMatchObject({
        result: '4',
        type: 'uint256',
        variablesReference: 0,
      });
      expect(await evaluate('part.name')).toMatchObject({ result: '"part"' });
      const { variablesReference } = await evaluate('items');
      const { body } = await client.variablesRequest({ variablesReference });
      expect(body.variables.map(({ name, value, evaluateName }) => [name, value, evaluateName])).toEqual([
        ['[0]', '0', 'items[0]'],
        ['[1]', '3', 'items[1]'],
        ['[2]', '6', 'items[2]'],
      ]);
    },
  );

  it('uses the frame of the request', async () => {
    const { client, frames } = await stopped('run', [3n], 'uint256 result');

    const inner = await client.evaluateRequest({ expression: 'value', frameId: frames[0]?.id ?? -1 });
    const outer = await client.evaluateRequest({ expression: 'amount', frameId: frames[1]?.id ?? -1 });
    expect([inner.body.result, outer.body.result]).toEqual(['3', '3']);
    await expect(
      client.evaluateRequest({ expression: 'amount', frameId: frames[0]?.id ?? -1 }),
    ).rejects.toThrow('unknown name amount');
  });
});

describe('variables', () => {
  it('have members, items and pages', async () => {
    const { client } = await stopped('loop', [120n], 'total = copy.length');

    const locals = await variablesOf(client, 'Locals');
    const copy = locals.find(({ name }) => name === 'copy');
    expect(copy).toMatchObject({ type: 'uint256[]', indexedVariables: 120 });
    const page = await client.variablesRequest({
      variablesReference: copy?.variablesReference ?? 0,
      filter: 'indexed',
      start: 100,
      count: 3,
    });
    expect(page.body.variables.map(({ name, value }) => [name, value])).toEqual([
      ['[100]', '300'],
      ['[101]', '303'],
      ['[102]', '306'],
    ]);
    const items = (await variablesOf(client, 'State')).find(({ name }) => name === 'items');
    const all = await client.variablesRequest({ variablesReference: items?.variablesReference ?? 0 });
    expect(all.body.variables).toHaveLength(120);
    expect(all.body.variables.at(-1)).toMatchObject({ name: '[119]', value: '357' });
  });

  it('of the other scopes are values of the step', async () => {
    const { client, from, address } = await stopped('loop', [2n], 'total = copy.length');

    const globals = await scopeOf(client, 'Globals');
    expect(globals['msg.sender']?.toLowerCase()).toBe(from.toLowerCase());
    expect(globals.this?.toLowerCase()).toBe(address.toLowerCase());
    expect(globals['msg.value']).toBe('0');
    expect(await scopeOf(client, 'Transient storage')).toMatchObject({ depth: '2' });
    expect((await scopeOf(client, 'Memory'))['0x40']).toMatch(/^0x0{60}\w+$/);
    expect(Object.keys(await scopeOf(client, 'Stack')).length).toBeGreaterThan(2);
  });
});

describe('optimized code', () => {
  it.each([{ optimizer: { enabled: true } }, { optimizer: { enabled: true }, viaIR: true }])(
    'has no wrong values with %j',
    async (settings) => {
      const { call, main } = await debuggedScene(settings);
      const { client } = await connectAdapter(call);
      await launch(client, { transaction: await main('run', 11n) });

      const { body } = await client.stackTraceRequest(THREAD);
      expect(body.stackFrames[0]).toMatchObject({ line: lineOf('revert TooMuch') });
      expect(await scopeOf(client, 'State')).toEqual({ held: '10' });
      expect(['11', '<not available: optimized>']).toContain((await scopeOf(client, 'Locals')).amount);
      const outer = await scopeOf(client, 'Locals', 1);
      expect(outer.doubled).toBe('<not available: optimized>');
      const [, frame] = body.stackFrames;
      await expect(
        client.evaluateRequest({ expression: 'doubled', frameId: frame?.id ?? -1 }),
      ).rejects.toThrow('<not available: optimized>');
    },
  );
});

describe('stackTrace', () => {
  it('returns a page of the frames', async () => {
    const { client } = await stopped('run', [3n], 'uint256 result');

    const { body } = await client.stackTraceRequest({ ...THREAD, startFrame: 1, levels: 5 });

    expect(body.stackFrames.map(({ name }) => name)).toEqual(['Main.run']);
    expect(body.totalFrames).toBe(2);
  });
});

describe('disassemble', () => {
  it('returns the executed instructions with their gas', async () => {
    const { client, frames } = await stopped('run', [3n], 'uint256 result');
    const memoryReference = frames[0]?.instructionPointerReference ?? '';

    const { body } = (await client.customRequest('disassemble', {
      memoryReference,
      instructionOffset: -2,
      instructionCount: 4,
    })) as { body: { instructions: { address: string; instruction: string; symbol: string }[] } };

    expect(body.instructions).toHaveLength(4);
    expect(body.instructions[2]?.address).toBe(memoryReference);
    expect(body.instructions[2]).toMatchObject({
      instruction: expect.stringMatching(/^[A-Z0-9]+(?: 0x\w+)? {2}; gas \d+, cost \d+$/),
      symbol: expect.stringMatching(/^Main pc \d+$/),
    });
    const outside = (await client.customRequest('disassemble', {
      memoryReference: '0x0',
      instructionOffset: -1,
      instructionCount: 2,
    })) as { body: { instructions: object[] } };
    expect(outside.body.instructions[0]).toMatchObject({ presentationHint: 'invalid' });
  });
});

describe('readMemory', () => {
  it('returns bytes of the memory', async () => {
    const { client } = await stopped('run', [3n], 'uint256 result');
    const memory = await variablesOf(client, 'Memory');
    const { memoryReference, value } = memory.find(({ name }) => name === '0x40') ?? {};

    const { body } = (await client.customRequest('readMemory', {
      memoryReference,
      offset: 0,
      count: 32,
    })) as {
      body: { data: string };
    };

    expect(`0x${Buffer.from(body.data, 'base64').toString('hex')}`).toBe(value);
  });
});

describe('source', () => {
  it('returns the text of a file that is not on the disk', async () => {
    const { client, frames } = await stopped('run', [3n], 'uint256 result');
    const { source } = frames[0] ?? {};
    expect(source).toMatchObject({ name: 'Debugged.sol', sourceReference: 1 });

    const { body } = await client.sourceRequest({ source: source ?? {}, sourceReference: 1 });

    expect(body.content).toContain('contract Main {');
    const sources = (await client.customRequest('loadedSources')) as { body: { sources: object[] } };
    expect(sources.body.sources).toHaveLength(1);
  });

  it('is a path if the file is on the disk', async () => {
    const { call, main } = await debuggedScene();
    const { client } = await connectAdapter(call, { exists: async (path) => path === `/app/${FILE}` });
    await launch(client, {
      transaction: await main('run', 11n),
      projectRoot: 'C:\\code',
      pathMap: { '/app': 'C:\\code' },
    });

    const { body } = await client.stackTraceRequest(THREAD);

    expect(body.stackFrames[0]?.source).toEqual({
      name: 'Debugged.sol',
      path: 'C:\\code\\contracts\\Debugged.sol',
    });
  });
});

describe('restart', () => {
  it('runs the execution again with the same breakpoints', async () => {
    const { client } = await stopped('run', [3n], 'total = doubled;');
    expect(await move(client, () => client.continueRequest(THREAD))).toBe('terminated');

    expect(await move(client, () => client.restartRequest({}))).toMatchObject({ reason: 'breakpoint' });

    expect(await topOf(client)).toBe(`Main.run:${lineOf('total = doubled;')}`);
  });
});

describe('pause and terminate', () => {
  it('have no effect on a stopped execution, and end it', async () => {
    const { client } = await stopped('run', [3n], 'total = doubled;');

    await client.pauseRequest(THREAD);
    expect(await move(client, () => client.terminateRequest())).toBe('terminated');
  });
});

describe('invalid requests', () => {
  it.each([
    ['launch', {}, 'launch: expected exactly one of transaction, failure, call and test, got nothing'],
    ['launch', { transaction: '0x1', failure: 1 }, 'got ["transaction","failure"]'],
    [
      'launch',
      { transaction: '0x1' },
      'transaction: expected a transaction hash (0x and 64 hexadecimal digits), got "0x1"',
    ],
    ['launch', { failure: 0 }, 'failure: expected the number of a failure, from 1, or "last", got 0'],
    ['launch', { failure: 'last' }, 'failure: no call or transaction has failed'],
    ['launch', { failure: 1, stopOnEntry: 'yes' }, 'stopOnEntry: expected true or false, got "yes"'],
    ['launch', { failure: 1, projectRoot: 'here' }, 'projectRoot: expected an absolute path, got "here"'],
    ['launch', { failure: 1, pathMap: [] }, 'pathMap: expected an object of path prefixes'],
    ['launch', { call: {} }, 'call.to: expected an address (0x and 40 hexadecimal digits), got nothing'],
    [
      'launch',
      { call: { to: `0x${'11'.repeat(20)}`, gass: 1 } },
      'call: expected only to, data, function, args',
    ],
    ['launch', { transaction: `0x${'ab'.repeat(32)}` }, 'not found'],
    ['launch', null, 'launch: expected'],
    ['launch', { failure: 1, lane: 'a', key: 'b' }, 'lane: expected no lane with key'],
    ['attach', { failure: 'last' }, 'attach: expected no failure; use launch for one execution, got "last"'],
    ['attach', { projectRoot: 'x' }, 'projectRoot: expected an absolute path'],
    ['stackTrace', {}, 'threadId: expected one of no threads, got nothing'],
    ['variables', { variablesReference: 'x' }, 'variablesReference: expected an integer, got "x"'],
    [
      'variables',
      { variablesReference: 99 },
      'variablesReference: expected a reference of the latest stop, got 99',
    ],
    ['scopes', undefined, 'frameId: expected an integer, got nothing'],
    ['setBreakpoints', { source: 7 }, 'source: expected an object with path or sourceReference, got 7'],
    [
      'setBreakpoints',
      { source: { path: '/a' }, breakpoints: [{}] },
      'line: expected an integer, got nothing',
    ],
    [
      'setBreakpoints',
      { source: { path: '/a' }, breakpoints: 3 },
      'breakpoints: expected an array of objects, got 3',
    ],
    ['evaluate', { expression: 5 }, 'expression: expected a text, got 5'],
    ['exceptionInfo', THREAD, 'threadId'],
    ['disassemble', { memoryReference: 'x' }, 'memoryReference: expected the address of an instruction'],
    [
      'disassemble',
      { memoryReference: '0x0', instructionCount: 1 },
      'memoryReference: expected a reference to an open execution',
    ],
    ['flyToTheMoon', {}, 'unsupported request flyToTheMoon'],
    ['constructor', {}, 'unsupported request constructor'],
  ])('%s with %j fails with the reason', async (command, args, message) => {
    const { call } = await debuggedScene();
    const { client } = await connectAdapter(call);
    await client.initializeRequest();

    await expect(client.send(command, args)).rejects.toThrow(message);

    await expect(client.threadsRequest()).resolves.toMatchObject({ success: true, body: { threads: [] } });
  });

  it('reports a message that is not JSON, and answers the next one', async () => {
    const { call } = await debuggedScene();
    const { client, reports } = await connectAdapter(call);
    const { _socket } = client as unknown as { _socket: ReturnType<typeof connect> };

    _socket.write('Content-Length: 3\r\n\r\n{a}');

    await expect(client.threadsRequest()).resolves.toMatchObject({ success: true });
    expect(reports).toEqual([expect.stringContaining('invalid message of the editor')]);
  });
});
