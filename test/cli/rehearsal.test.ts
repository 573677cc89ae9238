import { expect, it, vi } from 'vitest';
import { rehearse } from '../../src/cli/rehearsal.ts';

it('what is rehearsed at a first start can be done', async () => {
  await expect(rehearse()).resolves.toBeUndefined();
});

it('the bundle can do it too', async () => {
  const { loadScript } = await import(new URL('../../bin/load-script.js', import.meta.url).href);
  // Nothing is to be kept of what a test compiles.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const bundle = await loadScript(new URL('../../dist/cli/main.js', import.meta.url));
  vi.useRealTimers();
  await expect(bundle.rehearse()).resolves.toBeUndefined();
});
