import { describe, expect, it } from 'vitest';
import { CHECKS } from './check-files.ts';

const CASES = 60;
const SEED = 36;

describe('hostile files', () => {
  it.each(CHECKS.map((check) => [check.name, check] as const))(
    'that resemble %s return a clear error or a result',
    async (_, check) => {
      await expect(check.run({ cases: CASES, seed: SEED })).resolves.toBeUndefined();
    },
  );
});
