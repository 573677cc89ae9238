import { createRequire } from 'node:module';
import { beforeEach, describe, expect, it, vi } from 'vitest';

const require = createRequire(import.meta.url);

const BINDING = require.resolve('secp256k1/bindings');

function isBindingLoaded(): boolean {
  return Object.hasOwn(require.cache, BINDING);
}

// Another test in the same thread may have loaded the binding.
beforeEach(() => {
  vi.resetModules();
  delete require.cache[BINDING];
});

describe('the curve', () => {
  it('loads the native binding only in prepare()', async () => {
    const { curve } = await import('../../../src/primitives/secp256k1/curve.ts');
    expect(isBindingLoaded()).toBe(false);
    curve.sign(new Uint8Array(32).fill(1), new Uint8Array(32).fill(2));
    expect(isBindingLoaded()).toBe(false);
    expect(await curve.prepare()).toBe('native');
    expect(isBindingLoaded()).toBe(true);
  });
});
