import { describe, expect, it } from 'vitest';
import {
  connectAdapter,
  type LaunchSettings,
  launch,
  move,
  scopeOf,
  THREAD,
  topOf,
} from './support/adapter.ts';
import { debuggedScene, FILE, lineOf } from './support/scene.ts';

const PATH = `/project/${FILE}`;

async function launched(name: string, args: readonly unknown[], settings: LaunchSettings) {
  const { call, main } = await debuggedScene();
  const adapter = await connectAdapter(call);
  const halt = await launch(adapter.client, { transaction: await main(name, ...args) }, settings);
  const { client } = adapter;
  return { ...adapter, halt, resume: () => move(client, () => client.continueRequest(THREAD)) };
}

const at = (text: string, more: object = {}) => ({ [PATH]: [{ line: lineOf(text), ...more }] });

describe('breakpoints on lines', () => {
  it('stop once per execution of the line', async () => {
    const { client, halt, resume } = await launched('run', [3n], { breakpoints: at('double(amount);') });

    expect(halt).toMatchObject({ reason: 'breakpoint', hitBreakpointIds: [1] });
    expect(await topOf(client)).toBe(`Main.run:${lineOf('double(amount);')}`);
    expect(await resume()).toBe('terminated');
  });

  it('stop in another contract and in each iteration of a loop', async () => {
    const other = await launched('run', [3n], { breakpoints: at('held -= amount') });
    expect(await topOf(other.client)).toBe(`Other.take:${lineOf('held -= amount')}`);

    const { client, resume } = await launched('loop', [3n], { breakpoints: at('items.push') });
    const indexes = [(await scopeOf(client, 'Locals')).index];
    while ((await resume()) !== 'terminated') indexes.push((await scopeOf(client, 'Locals')).index);
    expect(indexes).toEqual(['0', '1', '2']);
  });

  it('move to the next line with code, or return the reason', async () => {
    const { client } = await launched('run', [3n], { breakpoints: at('total = doubled;') });

    const { body } = await client.setBreakpointsRequest({
      source: { path: PATH },
      breakpoints: [{ line: lineOf('function run') + 1 }, { line: 9_999 }, { line: lineOf('struct Part') }],
    });
    const unknown = await client.setBreakpointsRequest({
      source: { path: '/project/None.sol' },
      breakpoints: [{ line: 1 }],
    });

    expect(body.breakpoints).toMatchObject([
      { verified: true, line: lineOf('double(amount);') },
      { verified: false, message: expect.stringMatching(/^the file has \d+ lines/) },
      { verified: true },
    ]);
    expect(unknown.body.breakpoints).toMatchObject([
      { verified: false, message: expect.stringContaining('has no code of the file') },
    ]);
  });

  it('stop at the condition only', async () => {
    const { client, halt, resume } = await launched('loop', [4n], {
      breakpoints: at('items.push', { condition: 'index == 2' }),
    });

    expect(halt).toMatchObject({ reason: 'breakpoint' });
    expect(await scopeOf(client, 'Locals')).toMatchObject({ index: '2' });
    expect(await resume()).toBe('terminated');
  });

  it('stop at a condition that cannot be evaluated, and print the reason', async () => {
    const { halt, events } = await launched('loop', [4n], {
      breakpoints: at('items.push', { condition: 'nothing == 2' }),
    });

    expect(halt).toMatchObject({ reason: 'breakpoint' });
    expect(events.find(({ event }) => event === 'output')?.body.output).toContain('unknown name nothing');
  });

  it.each([
    ['2', ['1', '2', '3']],
    ['== 2', ['1']],
    ['% 2', ['1', '3']],
    ['> 3', ['3']],
  ])('stop at the hits of the hit condition %s', async (hitCondition, expected) => {
    const { client, halt, resume } = await launched('loop', [4n], {
      breakpoints: at('items.push', { hitCondition }),
    });

    const indexes: (string | undefined)[] = [];
    for (let each = halt; each !== 'terminated'; each = await resume())
      indexes.push((await scopeOf(client, 'Locals')).index);
    expect(indexes).toEqual(expected);
  });

  it('reject an invalid hit condition', async () => {
    const { client } = await launched('loop', [1n], {});

    const { body } = await client.setBreakpointsRequest({
      source: { path: PATH },
      breakpoints: [{ line: lineOf('items.push'), hitCondition: 'often' }],
    });

    expect(body.breakpoints).toMatchObject([
      {
        verified: false,
        message: 'hitCondition: expected a number, optionally after ==, >, >=, <, <= or %, got "often"',
      },
    ]);
  });

  it('print the message of a log point without a stop', async () => {
    const { halt, events } = await launched('loop', [2n], {
      breakpoints: at('items.push', { logMessage: 'index {index} of {count}, {nothing}' }),
    });

    expect(halt).toBe('terminated');
    const outputs = events.filter(({ event }) => event === 'output').map(({ body }) => body.output);
    expect(outputs).toEqual([
      expect.stringMatching(/^index 0 of 2, <.*unknown name nothing.*>\n$/),
      expect.stringMatching(/^index 1 of 2, </),
      expect.stringContaining('ended without a stop'),
    ]);
  });
});

describe('function breakpoints', () => {
  it.each([
    ['double', `Main.double:${lineOf('function double')}`],
    ['Other.take', `Other.take:${lineOf('function take')}`],
    ['Code.store', null],
  ])('stop at the entry of %s', async (name, place) => {
    const { client, halt } = await launched('run', [3n], { functions: [{ name }] });

    expect(halt === 'terminated' ? null : halt.reason).toBe(place === null ? null : 'function breakpoint');
    if (place !== null) expect(await topOf(client)).toBe(place);
  });

  it('return the reason for an unknown function', async () => {
    const { client } = await launched('run', [3n], {});

    const { body } = await client.setFunctionBreakpointsRequest({
      breakpoints: [{ name: 'Main.none' }, { name: '1' }],
    });

    expect(body.breakpoints).toMatchObject([
      { verified: false, message: 'the execution has no function Main.none' },
      { verified: false, message: 'expected "Contract.function" or "function", got "1"' },
    ]);
  });
});

describe('reverseContinue', () => {
  it('runs back to the previous breakpoint, else to the first statement', async () => {
    const { client } = await launched('run', [11n], { breakpoints: at('total = doubled;') });
    await move(client, () => client.continueRequest(THREAD));
    expect(await topOf(client)).toBe(`Other.take:${lineOf('revert TooMuch')}`);

    const back = () => move(client, () => client.reverseContinueRequest(THREAD));

    expect(await back()).toMatchObject({ reason: 'breakpoint' });
    expect(await topOf(client)).toBe(`Main.run:${lineOf('total = doubled;')}`);
    expect(await back()).toMatchObject({ reason: 'entry' });
    expect(await topOf(client)).toBe(`Main.run:${lineOf('double(amount);')}`);
  });
});

describe('exception filters', () => {
  it.each([
    [[], []],
    [['uncaught'], ['division or modulo by zero']],
    [['revert'], ['TooMuch(asked: 11, held: 10)', 'division or modulo by zero']],
    [['panic'], ['division or modulo by zero']],
    [['uncaught', 'panic'], ['division or modulo by zero']],
  ])('%j stop at %j', async (filters, expected) => {
    const { halt, resume } = await launched('caught', [11n], { filters });

    const texts: (string | undefined)[] = [];
    for (let each = halt; each !== 'terminated'; each = await resume()) texts.push(each.text);
    expect(texts).toEqual(expected.map((text) => expect.stringContaining(text)));
  });

  it('log stops at console output and at events', async () => {
    const { halt, resume } = await launched('run', [3n], { filters: ['log'] });

    expect(halt).toMatchObject({ reason: 'exception', text: expect.stringContaining('Taken(') });
    expect(await resume()).toMatchObject({ reason: 'exception', text: 'done' });
    expect(await resume()).toBe('terminated');
  });

  it('exceptionInfo returns the error', async () => {
    const { client } = await launched('run', [11n], {});

    const { body } = (await client.customRequest('exceptionInfo', THREAD)) as { body: object };

    expect(body).toMatchObject({
      exceptionId: 'TooMuch',
      description: "reverted with custom error 'TooMuch(asked: 11, held: 10)'",
      breakMode: 'unhandled',
    });
  });
});
