import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { curve } from '../../../src/primitives/secp256k1/curve.ts';

const require = createRequire(import.meta.url);

function isBindingLoaded(): boolean {
  return Object.hasOwn(require.cache, require.resolve('secp256k1/bindings'));
}

describe('the curve', () => {
  it('loads what it computes with when it is told to, not before', async () => {
    expect(isBindingLoaded()).toBe(false);
    expect(await curve.prepare()).toBe('native');
    expect(isBindingLoaded()).toBe(true);
  });
});
