import { describe, expect, it } from 'vitest';
import { connectAdapter, launch, move, scopeOf, THREAD, topOf, variablesOf } from './support/adapter.ts';
import { debuggedScene, lineOf } from './support/scene.ts';

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
});
