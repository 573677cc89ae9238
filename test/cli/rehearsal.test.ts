import { expect, it } from 'vitest';
import { rehearse } from '../../src/cli/rehearsal.ts';

it('what is rehearsed at a first start can be done', async () => {
  await expect(rehearse()).resolves.toBeUndefined();
});
