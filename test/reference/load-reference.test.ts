import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { loadOneByOne, loadReferenceEngine } from '../../src/reference/load-reference.ts';
import { precompileFunctions } from '../../src/rootstock/precompile-functions.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { WorldState } from '../../src/state/world-state.ts';
import { environmentOf, messageOf } from './scene.ts';

describe('loadReferenceEngine', () => {
  it('yields between two packages', async () => {
    const order: string[] = [];
    const loading = (name: string) => async () => {
      order.push(name);
      setImmediate(() => order.push('others'));
    };
    await loadOneByOne([loading('one'), loading('two')]);
    expect(order).toEqual(['one', 'others', 'two', 'others']);
  });

  it('loads an engine that executes messages', async () => {
    const engine = await loadReferenceEngine(ruleSetNamed('prague'), {
      chainId: 33,
      codeSizeLimit: null,
      createRootstockPrecompiles: precompileFunctions,
    });
    const message = messageOf({ gasLimit: 50_000n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
    const result = await engine.call(environmentOf('prague'), new Overlay(WorldState.empty()), message);
    expect(result).toMatchObject({ outcome: 'success', gasUsed: 21_000n });
  });

  it('runs each bundled package on first use', () => {
    const file: object = createRequire(import.meta.url)('../../dist/cli/ethereumjs.cjs');
    const members = Object.values(Object.getOwnPropertyDescriptors(file));
    expect(members.length).toBeGreaterThan(6);
    expect(members.every(({ get }) => get !== undefined)).toBe(true);
  });
});
