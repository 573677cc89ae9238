import type { DebugProtocol } from '@vscode/debugprotocol';
import { describe, expect, it } from 'vitest';
import { connectAdapter, type Halt, launch, move, scopeOf, THREAD, topOf } from './support/adapter.ts';
import { debuggedScene, lineOf } from './support/scene.ts';

type Client = Awaited<ReturnType<typeof connectAdapter>>['client'];

const next = (client: Client) => move(client, () => client.nextRequest(THREAD));
const stepIn = (client: Client) => move(client, () => client.stepInRequest(THREAD));
const stepOut = (client: Client) => move(client, () => client.stepOutRequest(THREAD));
const stepBack = (client: Client) => move(client, () => client.stepBackRequest(THREAD));

async function entered(name: string, ...args: readonly unknown[]): Promise<Client> {
  const { call, main } = await debuggedScene();
  const { client } = await connectAdapter(call);
  await launch(client, { transaction: await main(name, ...args), stopOnEntry: true });
  return client;
}

/** The places of all stops from the current one on. */
async function placesOf(client: Client, step: (client: Client) => Promise<Halt>): Promise<string[]> {
  const places = [await topOf(client)];
  for (let halt = await step(client); halt !== 'terminated'; halt = await step(client))
    places.push(await topOf(client));
  return places;
}

describe('next', () => {
  it('steps over internal functions and external calls', async () => {
    const client = await entered('run', 3n);

    expect(await placesOf(client, next)).toEqual(
      [
        'double(amount);',
        'total = doubled;',
        'balances[msg.sender]',
        'other.take(amount);',
        'total += left',
        'log("done")',
        'return total;',
      ].map((text) => `Main.run:${lineOf(text)}`),
    );
  });

  it('steps over a delegate call', async () => {
    const client = await entered('delegate', 3n);

    expect(await placesOf(client, next)).toEqual([
      `Main.delegate:${lineOf('delegatecall(abi')}`,
      `Main.delegate:${lineOf('store failed')}`,
      `Main.delegate:${lineOf('total = total + 1')}`,
    ]);
  });

  it('steps over a failed call into the catch block', async () => {
    const client = await entered('caught', 11n);
    await client.setExceptionBreakpointsRequest({ filters: [] });

    expect(await placesOf(client, next)).toEqual(
      ['try other.take', 'total = 2;', 'divide(total, 0);'].map((text) => `Main.caught:${lineOf(text)}`),
    );
  });

  it('stops at each iteration of a loop', async () => {
    const client = await entered('loop', 2n);
    const loop = `Main.loop:${lineOf('index++')}`;
    const push = `Main.loop:${lineOf('items.push')}`;

    expect((await placesOf(client, next)).slice(0, 6)).toEqual([
      loop,
      push,
      loop,
      push,
      loop,
      `Main.loop:${lineOf('part = Part')}`,
    ]);
  });

  it('stops at the failure of a function that it steps over', async () => {
    const client = await entered('run', 11n);
    for (let count = 0; count < 3; count++) await next(client);

    expect(await topOf(client)).toBe(`Main.run:${lineOf('other.take(amount);')}`);
    expect(await next(client)).toMatchObject({ reason: 'exception' });
    expect(await topOf(client)).toBe(`Other.take:${lineOf('revert TooMuch')}`);
  });
});

describe('stepIn and stepOut', () => {
  it('enter an internal function, and return to the line of its call', async () => {
    const client = await entered('run', 3n);

    expect(await stepIn(client)).toMatchObject({ reason: 'step' });
    expect(await topOf(client)).toBe(`Main.double:${lineOf('value * 2')}`);
    await stepOut(client);

    expect(await topOf(client)).toBe(`Main.run:${lineOf('double(amount);')}`);
    await next(client);
    expect(await topOf(client)).toBe(`Main.run:${lineOf('total = doubled;')}`);
  });

  it('enter another contract, and return from it', async () => {
    const client = await entered('run', 3n);
    for (let count = 0; count < 3; count++) await next(client);

    await stepIn(client);
    expect(await topOf(client)).toBe(`Other.take:${lineOf('if (amount > held)')}`);
    await stepOut(client);

    expect(await topOf(client)).toBe(`Main.run:${lineOf('other.take(amount);')}`);
  });

  it('enter the code of a delegate call, with the storage of the caller', async () => {
    const client = await entered('delegate', 3n);

    await stepIn(client);

    expect(await topOf(client)).toBe(`Code.store (delegatecall):${lineOf('total = value')}`);
    await stepOut(client);
    expect(await scopeOf(client, 'State')).toMatchObject({ total: '3' });
  });

  it('end the execution at the end of its outermost function', async () => {
    const client = await entered('delegate', 3n);

    expect(await stepOut(client)).toBe('terminated');
  });
});

describe('stepBack', () => {
  it('visits the places of stepIn in reverse', async () => {
    const client = await entered('run', 3n);
    const forward: string[] = [await topOf(client)];
    for (let count = 0; count < 8; count++) {
      await stepIn(client);
      forward.push(await topOf(client));
    }

    const backward: string[] = [await topOf(client)];
    for (let count = 0; count < 8; count++) {
      await stepBack(client);
      backward.push(await topOf(client));
    }

    expect(backward).toEqual(forward.toReversed());
    expect(await stepBack(client)).toMatchObject({ reason: 'entry' });
  });

  it('shows the values before a statement', async () => {
    const client = await entered('run', 3n);
    await next(client);
    await next(client);
    expect(await scopeOf(client, 'State')).toMatchObject({ total: '6' });

    await stepBack(client);

    expect(await scopeOf(client, 'State')).toMatchObject({ total: '0' });
    expect(await scopeOf(client, 'Locals')).toMatchObject({ doubled: '6' });
  });

  it('continues from a failure to the statements before it', async () => {
    const { call, main } = await debuggedScene();
    const { client } = await connectAdapter(call);
    await launch(client, { transaction: await main('run', 11n) });

    await stepBack(client);
    expect(await topOf(client)).toBe(`Other.take:${lineOf('revert TooMuch')}`);
    await stepBack(client);
    expect(await topOf(client)).toBe(`Other.take:${lineOf('if (amount > held)')}`);
  });
});

describe('steps by instruction', () => {
  it('move by one opcode, in both directions', async () => {
    const client = await entered('run', 3n);
    const at = async (): Promise<number> => {
      const { body } = await client.stackTraceRequest(THREAD);
      return Number(body.stackFrames[0]?.instructionPointerReference);
    };
    const start = await at();
    const granularity: DebugProtocol.SteppingGranularity = 'instruction';

    await move(client, () => client.stepInRequest({ ...THREAD, granularity }));
    expect(await at()).toBe(start + 1);
    await move(client, () => client.nextRequest({ ...THREAD, granularity }));
    expect(await at()).toBe(start + 2);
    await move(client, () => client.stepBackRequest({ ...THREAD, granularity }));
    expect(await at()).toBe(start + 1);
  });
});
