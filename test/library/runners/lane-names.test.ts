import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileNameOf, laneKeyOf } from '../../../src/library/runners/file-lane.ts';
import { LANE_KEY } from '../../../src/rpc/lanes/lane.ts';

describe('the key of a lane', () => {
  it('is the name of a file with its slashes replaced', () => {
    expect(laneKeyOf('test/vault.test.ts')).toBe('test~vault.test.ts');
  });

  it('reads as the name of a test, and tells apart what reads the same', () => {
    const key = laneKeyOf('vault.test.ts > pays "out"');
    expect(key).toMatch(/^vault\.test\.ts-pays-out-[0-9a-f]{6}$/);
    expect(laneKeyOf("vault.test.ts > pays 'out'")).not.toBe(key);
  });

  it('is one that the node takes, and another one for another name, whatever the names are', () => {
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
        // A slash is written as ~, so that two names of which one has a ~ can have one key.
        const distinct = new Set(all.map((name) => name.replaceAll('/', '~')));
        expect(new Set(keys).size).toBe(distinct.size);
      }),
      { seed: 19, numRuns: 500 },
    );
  });
});

describe('the name of a test file', () => {
  it('begins at the folder of the project, and is the whole path of a file elsewhere', () => {
    expect(fileNameOf('/home/dev/app/test/a.test.ts', '/home/dev/app')).toBe('test/a.test.ts');
    expect(fileNameOf('/elsewhere/a.test.ts', '/home/dev/app')).toBe('/elsewhere/a.test.ts');
  });
});
