import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { judge, type Sample, sampleLine } from './curve.ts';
import { soak } from './soak.ts';

const probe = fileURLToPath(new URL('./memory-probe.mjs', import.meta.url));
const executable = process.env.NODE_CLI ?? fileURLToPath(new URL('../../bin/node-cli.js', import.meta.url));

function curve(data: (index: number) => number, length = 30, code = (_index: number) => 0): Sample[] {
  return Array.from({ length }, (_, index) => ({
    ...{ at: index, lanes: index, resident: 0 },
    ...{ live: data(index) + code(index), code: code(index) },
  }));
}

const MEBIBYTE = 2 ** 20;

describe('judge', () => {
  it.each([
    ['is flat', () => 20 * MEBIBYTE],
    ['goes up and down', (index: number) => (20 + 3 * (index % 2)) * MEBIBYTE],
    ['grows at first', (index: number) => (20 + Math.min(index, 9)) * MEBIBYTE],
    ['has one peak', (index: number) => (index === 25 ? 200 : 20) * MEBIBYTE],
  ])('accepts a curve that levels off: %s', (_, live) => {
    expect(judge(curve(live)).levelsOff).toBe(true);
  });

  it.each([
    ['grows all the time', (index: number) => (20 + index / 5) * MEBIBYTE],
    ['grows in steps', (index: number) => (20 + 2 * Math.floor(index / 10)) * MEBIBYTE],
  ])('rejects a curve that does not level off: %s', (_, live) => {
    expect(judge(curve(live)).levelsOff).toBe(false);
  });

  it('ignores compiled code', () => {
    const rising = (index: number): number => index * MEBIBYTE;
    const flat = (): number => 60 * MEBIBYTE;
    const falling = (index: number): number => flat() - rising(index);
    expect(judge(curve(flat, 30, rising))).toMatchObject({ levelsOff: true, growth: 0 });
    expect(judge(curve(rising, 30, falling))).toMatchObject({ levelsOff: false, growth: 10 * MEBIBYTE });
  });

  it('returns null for too few samples', () => {
    expect(judge(curve(() => MEBIBYTE, 5)).levelsOff).toBeNull();
  });
});

it('a sample is printed in one line with its time, lanes and memory', () => {
  const sample = { at: 61_000, lanes: 120, live: 30 * MEBIBYTE, code: 9 * MEBIBYTE, resident: 90 * MEBIBYTE };
  expect(sampleLine(sample, 60 * MEBIBYTE)).toBe(
    `   61 s      120 lanes    30.00 MiB live    9.00 MiB code     90 MiB resident  ${'#'.repeat(20)}`,
  );
});

it('a short soak measures a node with lanes that come and go', async () => {
  const samples = await soak({ scripts: { executable, probe }, duration: 0, samples: 2, seed: 5 });
  expect(samples.map(({ lanes }) => lanes)).toEqual([8, 12]);
  for (const { live, code, resident } of samples) {
    expect(code).toBeGreaterThan(MEBIBYTE);
    expect(live).toBeGreaterThan(code + MEBIBYTE);
    expect(resident).toBeGreaterThan(live);
  }
});
