import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { type LcovFile, parseLcov } from '../../src/reports/coverage/lcov.ts';
import { differencesFromTheirs, knownDifferences } from '../inspect/support/coverage-differences.ts';
import { COVERAGE_PROJECT, runCoverageSuite } from '../inspect/support/coverage-suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Answer {
  readonly files: LcovFile[];
  readonly text: string;
  readonly notes: readonly string[];
}

/** Runs the suite with the artifacts of these compiler settings. */
async function coverageOf(settings: string): Promise<Answer> {
  const artifacts = `${COVERAGE_PROJECT}artifacts-${settings}`;
  const node = await createNode({ coverage: `${await temporaryDirectory()}/lcov.info`, artifacts });
  onTestFinished(() => node.close());
  const { url, close } = await node.listen({ port: 0 });
  await runCoverageSuite(url, artifacts);
  await close();
  const text = (await node.request({ method: 'inspect_coverage', params: ['lcov'] })) as string;
  const { notes } = (await node.request({ method: 'inspect_coverage', params: [] })) as Answer;
  return { files: parseLcov(text), text, notes };
}

describe('coverage of optimized code', () => {
  it.each([
    ['optimized', 'the optimizer'],
    ['ir', 'the IR pipeline'],
    ['ir-optimized', 'the IR pipeline'],
  ])(
    'settings %s have the coverage of the source except for known differences',
    async (settings, named) => {
      const { files, text, notes } = await coverageOf(settings);
      expect(differencesFromTheirs(files)).toEqual(knownDifferences(settings));
      expect(notes).toEqual([expect.stringContaining(named)]);
      expect(text.split('\n')[0]).toBe(`# ${notes[0]}`);
    },
    60_000,
  );
});
