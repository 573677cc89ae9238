import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fuzzProgram } from './fuzz-program.ts';

describe('npm run test:fuzz', () => {
  it('compares the engines by default', () => {
    expect(fuzzProgram([])).toEqual({ file: 'test/fuzz/engines/main.ts', options: [] });
    expect(fuzzProgram(['--cases', '7'])).toEqual({
      file: 'test/fuzz/engines/main.ts',
      options: ['--cases', '7'],
    });
  });

  it.each(['engines', 'artifacts', 'files', 'forks'])('runs the program of %s', (subject) => {
    const { file, options } = fuzzProgram([subject, '--seed', '3']);

    expect(file).toBe(`test/fuzz/${subject}/main.ts`);
    expect(existsSync(file)).toBe(true);
    expect(options).toEqual(['--seed', '3']);
  });

  it('rejects an unknown subject', () => {
    expect(() => fuzzProgram(['paint'])).toThrow(
      'unknown subject "paint"; expected one of engines, artifacts, files, forks',
    );
  });
});
