import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { EngineComparison } from './compare.ts';
import { Dice } from './dice.ts';
import { FUZZED_RULE_SETS, randomScene } from './random-scene.ts';
import { recordedScenes } from './recorded-scenes.ts';

const FIRST_SEED = 33_000_000;
const CASES = 400;

describe('the engines', () => {
  it('agree on random scenes in everything that can be seen', async () => {
    const comparison = new EngineComparison();
    const differences: string[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
      const difference = await comparison.compareSeed(seed);
      if (difference !== null) differences.push(`seed ${seed}: ${difference}`);
    }
    expect(differences).toEqual([]);
  }, 120_000);

  it.each(recordedScenes())('agree on what they once played differently: scene %i', async (_, scene) => {
    const comparison = new EngineComparison();
    expect(await comparison.compareScene(scene)).toBeNull();
    expect(await comparison.compareTranscripts(scene)).toBeNull();
  });
});

describe('random scenes', () => {
  it('are the same for the same seed, and others for others', () => {
    const codesOf = (seed: number) => randomScene(new Dice(seed)).accounts.map(({ code }) => toHex(code));
    expect(codesOf(1)).toEqual(codesOf(1));
    expect(codesOf(1)).not.toEqual(codesOf(2));
  });

  it('play under all rule sets', () => {
    const played = new Set(Array.from({ length: 200 }, (_, seed) => randomScene(new Dice(seed)).ruleSet));
    expect([...played].sort()).toEqual([...FUZZED_RULE_SETS].sort());
  });
});
