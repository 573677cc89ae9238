// Steps forward and back visit the same states, with every compiler version of the fixtures.

import { describe, expect, it } from 'vitest';
import { FOLDERS, fixtureRun } from '../../inspect/support/fixture-failures.ts';
import { connectAdapter, launch, move, scopeOf, THREAD } from './support/adapter.ts';

type Client = Awaited<ReturnType<typeof connectAdapter>>['client'];

const MAX_STEPS = 20;
/** Every n-th failure of a compiler version. */
const EVERY = 20;

/** The place, the variables and the stack of the current stop. */
async function stateOf(client: Client): Promise<object> {
  const { body } = await client.stackTraceRequest(THREAD);
  return {
    frames: body.stackFrames.map(({ id: _, source, ...frame }) => ({ ...frame, source: source?.name })),
    locals: await scopeOf(client, 'Locals'),
    state: await scopeOf(client, 'State'),
    stack: await scopeOf(client, 'Stack'),
  };
}

describe.each(FOLDERS)('steps in %s', (folder) => {
  const { failures, fail } = fixtureRun(folder);
  const chosen = failures.filter((_, index) => index % EVERY === 0);

  it.each(['statement', 'instruction'] as const)(
    'by %s visit the same states forward and back',
    async (granularity) => {
      for (const failure of chosen) {
        const { call, hash } = await fail(failure);
        const { client } = await connectAdapter(call);
        const halt = await launch(client, { transaction: hash, stopOnEntry: true }, { filters: [] });
        if (halt === 'terminated') continue;
        const { count } = (await call('inspect_steps', [hash, { count: 0 }])) as { count: number };
        if (count === 0) continue;
        const forward: object[] = [];
        for (let steps = 0; steps < MAX_STEPS; steps++) {
          forward.push(await stateOf(client));
          const moved = await move(client, () => client.stepInRequest({ ...THREAD, granularity }));
          if (moved === 'terminated') break;
        }

        const backward: object[] = [];
        while (backward.length < forward.length) {
          await move(client, () => client.stepBackRequest({ ...THREAD, granularity }));
          backward.push(await stateOf(client));
        }

        expect([failure.name, backward.reverse()]).toEqual([failure.name, forward]);
      }
    },
    600_000,
  );
});
