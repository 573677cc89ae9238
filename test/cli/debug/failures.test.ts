// Every failure of the fixtures with every compiler version, in the test client of the protocol.

import { describe, expect, it } from 'vitest';
import { FOLDERS, fixtureRun } from '../../inspect/support/fixture-failures.ts';
import { connectAdapter, launch, THREAD } from './support/adapter.ts';

interface Line {
  readonly line: number | null;
}

describe.each(FOLDERS)('failures of %s', (folder) => {
  const { failures, fail } = fixtureRun(folder);

  it('stop at the failing step with the call stack of the failure', async () => {
    const differences: unknown[] = [];
    for (const failure of failures) {
      const { call, hash } = await fail(failure);
      const { failure: reason } = (await call('inspect_transaction', [hash])) as {
        failure: { message: string } | null;
      };
      const { failedAt } = (await call('inspect_steps', [hash, { count: 0 }])) as { failedAt: number | null };
      const { client, reports } = await connectAdapter(call);

      const halt = await launch(client, { transaction: hash });

      expect(reports).toEqual([]);
      if (failedAt === null || halt === 'terminated') {
        expect([failure.name, halt, failedAt]).toEqual([failure.name, 'terminated', null]);
        continue;
      }
      expect(halt).toMatchObject({ reason: 'exception', threadId: 1 });
      const info = (await client.customRequest('exceptionInfo', THREAD)) as { body: { breakMode: string } };
      expect(info.body.breakMode).toBe('unhandled');
      const { body } = await client.stackTraceRequest(THREAD);
      const { body: scopes } = await client.scopesRequest({ frameId: body.stackFrames[0]?.id ?? -1 });
      for (const { variablesReference } of scopes.scopes)
        await client.variablesRequest({ variablesReference });
      const found = [halt.text, ...body.stackFrames.map(({ line }) => line)];
      const { frames } = (await call('inspect_frames', [hash, failedAt])) as { frames: Line[] };
      const expected = [reason?.message, ...frames.map(({ line }) => line ?? 0)];
      if (JSON.stringify(found) !== JSON.stringify(expected))
        differences.push([failure.name, found, expected]);
    }
    expect(differences).toEqual([]);
  }, 600_000);
});
