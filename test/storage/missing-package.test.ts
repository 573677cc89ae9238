import { expect, it, vi } from 'vitest';
import { DurableStore } from '../../src/storage/durable-store.ts';
import { MissingPackageError } from '../../src/storage/errors.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

vi.mock('classic-level', () => {
  throw new Error("Cannot find package 'classic-level'");
});

it('DurableStore.open names the required package if it is not installed', async () => {
  const opened = DurableStore.open(await temporaryDirectory(), true);
  await expect(opened).rejects.toThrow(MissingPackageError);
  await expect(opened).rejects.toThrow('npm install classic-level');
});
