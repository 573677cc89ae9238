import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileNameOf, laneKeyOf } from '../../../src/library/runners/file-lane.ts';
import { LANE_KEY } from '../../../src/rpc/lanes/lane.ts';

describe('laneKeyOf', () => {
  it('returns the file name with slashes replaced', () => {
    expect(laneKeyOf('test/vault.test.ts')).toBe('test~vault.test.ts');
  });

  it('returns a readable key that distinguishes similar test names', () => {
    const key = laneKeyOf('vault.test.ts > pays "out"');
    expect(key).toMatch(/^vault\.test\.ts-pays-out-[0-9a-f]{6}$/);
    expect(laneKeyOf("vault.test.ts > pays 'out'")).not.toBe(key);
  });

  it('returns a valid and unique key for any names', () => {
    const names = fc.uniqueArray(
      fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('.', '..', '')),
      {
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(names, (all) => {
        const keys = all.map(laneKeyOf);
        for (const key of keys) expect(key).toMatch(LANE_KEY);
        // A slash is replaced by ~, so two names that differ only in this share a key.
        const distinct = new Set(all.map((name) => name.replaceAll('/', '~')));
        expect(new Set(keys).size).toBe(distinct.size);
      }),
      { seed: 19, numRuns: 500 },
    );
  });
});

describe('fileNameOf', () => {
  it('returns the path relative to the project, or the whole path of other files', () => {
    expect(fileNameOf('/home/dev/app/test/a.test.ts', '/home/dev/app')).toBe('test/a.test.ts');
    expect(fileNameOf('/elsewhere/a.test.ts', '/home/dev/app')).toBe('/elsewhere/a.test.ts');
  });
});
