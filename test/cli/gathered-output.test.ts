import { describe, expect, it } from 'vitest';
import { GatheredOutput } from '../../src/log/log-writer.ts';

function gathering(): {
  readonly output: GatheredOutput;
  readonly written: readonly string[];
  readonly endTurn: () => void;
} {
  const written: string[] = [];
  const due: (() => void)[] = [];
  const output = new GatheredOutput(
    (text) => void written.push(text),
    (action) => void due.push(action),
  );
  return {
    output,
    written,
    endTurn: () => {
      for (const action of due.splice(0)) action();
    },
  };
}

describe('GatheredOutput', () => {
  it('writes all text of a turn together', () => {
    const { output, written, endTurn } = gathering();
    output.write('one\n');
    output.write('two\n');
    expect(written).toEqual([]);
    endTurn();
    output.write('three\n');
    endTurn();
    expect(written).toEqual(['one\ntwo\n', 'three\n']);
  });

  it('writes long text over several turns', () => {
    const { output, written, endTurn } = gathering();
    const lines = Array.from({ length: 10_000 }, (_, at) => `${at} ${'x'.repeat(50)}\n`);
    for (const line of lines) output.write(line);
    output.write('y'.repeat(600_000));
    let turns = 0;
    for (let length = -1; length < written.length; turns++) {
      length = written.length;
      endTurn();
    }
    expect(written.join('')).toBe(`${lines.join('')}${'y'.repeat(600_000)}`);
    expect(Math.max(...written.map(({ length }) => length))).toBeLessThanOrEqual(300_000);
    expect(turns).toBeGreaterThan(4);
  });

  it('flush writes immediately and only once', () => {
    const { output, written, endTurn } = gathering();
    output.write('one\n');
    output.flush();
    expect(written).toEqual(['one\n']);
    output.write('two\n');
    endTurn();
    output.flush();
    expect(written).toEqual(['one\n', 'two\n']);
  });
});
