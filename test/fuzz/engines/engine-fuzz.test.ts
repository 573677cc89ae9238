import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { NO_BLOBS } from '../../../src/protocol/transaction.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { createWasmEngine } from '../../support/evm/engines.ts';
import { EngineComparison } from './compare.ts';
import { Dice } from './dice.ts';
import { precompileCall } from './precompile-calls.ts';
import { FUZZED_RULE_SETS, randomScene } from './random-scene.ts';
import { recordedScenes } from './recorded-scenes.ts';

const FIRST_SEED = 33_000_000;
const CASES = 400;

describe('the engines', () => {
  it('agree on all observable results of random scenes', async () => {
    const comparison = new EngineComparison();
    const differences: string[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
      const difference = await comparison.compareSeed(seed);
      if (difference !== null) differences.push(`seed ${seed}: ${difference}`);
    }
    expect(differences).toEqual([]);
  });

  it.each(recordedScenes())(
    'agree on a scene that once revealed a difference: scene %i',
    async (_, scene) => {
      const comparison = new EngineComparison();
      expect(await comparison.compareScene(scene)).toBeNull();
      expect(await comparison.compareTranscripts(scene)).toBeNull();
    },
  );
});

describe('random scenes', () => {
  it('are equal for the same seed and differ for other seeds', () => {
    const codesOf = (seed: number) => randomScene(new Dice(seed)).accounts.map(({ code }) => toHex(code));
    expect(codesOf(1)).toEqual(codesOf(1));
    expect(codesOf(1)).not.toEqual(codesOf(2));
  });

  it('call precompiles with valid and invalid input', async () => {
    const ruleSet = ruleSetNamed('osaka');
    const engine = await createWasmEngine(ruleSet, { chainId: 33, codeSizeLimit: 24_576 });
    const scene = randomScene(new Dice(1));
    // The scene can move precompiles to other addresses.
    const { movedPrecompiles: _, ...block } = scene.environment;
    const [message] = scene.messages;
    if (message === undefined) throw new Error('the scene has no message');
    const dice = new Dice(7_951);
    const outcomes = new Map<string, Set<boolean>>();
    for (let round = 0; round < 400; round++) {
      const called = { ...precompileCall(ruleSet, dice), ...NO_BLOBS };
      const environment = { ...block, excessBlobGas: 0n, blobBaseFee: 1n };
      const { returnData } = await engine.call(environment, new Overlay(WorldState.empty()), {
        ...message.message,
        ...called,
        accessList: [],
        authorizationList: [],
        value: 0n,
        gasLimit: 20_000_000n,
        maxFeePerGas: 7n,
        maxPriorityFeePerGas: 0n,
      });
      const address = toHex(called.to);
      outcomes.set(address, (outcomes.get(address) ?? new Set()).add(returnData.length > 0));
    }
    expect(outcomes.size).toBe(9);
    for (const [address, seen] of outcomes)
      expect([address, [...seen].sort()]).toEqual([address, [false, true]]);
  });

  it('cover all rule sets', () => {
    const played = new Set(Array.from({ length: 200 }, (_, seed) => randomScene(new Dice(seed)).ruleSet));
    expect([...played].sort()).toEqual([...FUZZED_RULE_SETS].sort());
  });
});
