import { describe, expect, it } from 'vitest';
import { playSeed } from './read-artifact.ts';

const FIRST_SEED = 33_000_000;
const CASES = 300;

describe('hostile artifacts', () => {
  it('are rejected or read within the bounds of nodes, reads and characters', async () => {
    const findings: string[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
      const finding = await playSeed(seed);
      if (finding !== null) findings.push(`seed ${seed}: ${finding}`);
    }
    expect(findings).toEqual([]);
  });
});
