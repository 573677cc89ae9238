import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLongJson, jsonParts } from '../../src/json/json-writer.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';

async function written(value: unknown, onTurn: () => void = () => {}): Promise<string> {
  const texts = await runTask(
    jsonParts(value, () => {}),
    new TimeSlice(onTurn),
  );
  return texts.join('');
}

/** Nests a value in a value that is long enough for several pieces. */
const amidMuch = (value: unknown) => [value, 'x'.repeat(70_000), { value, much: ['é\n"'.repeat(30_000)] }];

describe('jsonParts', () => {
  it('returns the same text as JSON.stringify', async () => {
    const values = fc.asyncProperty(
      fc.anything({ withDate: true, withObjectString: true }),
      async (value) => {
        const long = amidMuch(value);
        expect(isLongJson(long)).toBe(true);
        expect(await written(long)).toBe(JSON.stringify(long));
      },
    );
    await fc.assert(values, { seed: 3, numRuns: 300 });
  });

  it('keeps surrogate pairs whole if a long text is cut', async () => {
    for (const shift of ['', 'x']) {
      const text = shift + '😀'.repeat(100_000);
      expect(await written(text)).toBe(JSON.stringify(text));
    }
    expect(await written('\ud83d'.repeat(100_000))).toBe(JSON.stringify('\ud83d'.repeat(100_000)));
  });

  it('yields for each piece of arrays, objects, strings and nested values', async () => {
    const nested = (levels: number): unknown =>
      Array.from({ length: levels }).reduce((inner) => ({ text: 'x'.repeat(1_000), inner }), null);
    for (const value of [
      Array.from({ length: 50_000 }, (_, index) => ({ index, text: 'abcdefgh'.repeat(4) })),
      Object.fromEntries(
        Array.from({ length: 100_000 }, (_, index) => [`a key of some length ${index}`, index]),
      ),
      'x'.repeat(4_000_000),
      nested(1_500),
    ]) {
      const json = JSON.stringify(value);
      let turns = 0;
      expect(await written(value, () => void turns++)).toBe(json);
      expect(turns).toBeGreaterThanOrEqual(Math.floor(json.length / 400_000));
    }
  });

  it('stops after the length limit', async () => {
    let most = 0;
    const tooMuch = new RangeError('too much');
    const steps = jsonParts('x'.repeat(10_000_000), (length) => {
      most = length;
      if (length > 1_000_000) throw tooMuch;
    });
    await expect(async () => runTask(steps, new TimeSlice())).rejects.toBe(tooMuch);
    expect(most).toBeLessThan(1_200_000);
  });

  it('runs the cancel check after the last piece', async () => {
    const gone = new RangeError('gone');
    const check = () => {
      throw gone;
    };
    const steps = jsonParts('x', () => {});
    await expect(async () => runTask(steps, new TimeSlice(check, 1))).rejects.toBe(gone);
  });
});
