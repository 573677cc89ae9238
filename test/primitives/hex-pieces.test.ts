import { expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import { finish, hexInSteps } from '../../src/primitives/steps.ts';
import { neverCancelled } from '../../src/scheduling/cancel-check.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { countTurns } from '../support/turns.ts';

it.each([0, 1, 65_536, 65_537, 300_000])('writes %i bytes in steps like toHex', (length) => {
  const bytes = Uint8Array.from({ length }, (_, index) => index % 251);
  expect(finish(hexInSteps(bytes))).toBe(toHex(bytes));
});

it('yields while it writes long data', async () => {
  const bytes = new Uint8Array(2 ** 20);
  const { turns } = await countTurns(async () =>
    runTask(hexInSteps(bytes), new TimeSlice(neverCancelled, 2 ** 16)),
  );
  expect(turns).toBeGreaterThan(10);
});
