import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PackedExamples, packExamples } from './packed-examples.ts';

let examples: PackedExamples;

beforeAll(() => {
  examples = packExamples();
});

afterAll(() => examples.remove());

/** Installing packages and starting a runner takes as long as the registry and the machine need. */
const LONG = { timeout: 600_000 };

/** The words about a failed test: what reverted, where in the source, and the page of its lane. */
const TOLD =
  /Error: reverted with custom error 'TooMuch\(asked: 5, held: 0\)'\n\s+at Vault\.withdraw \(contracts\/Vault\.sol:20:40\)\n\s+lane http:\/\/127\.0\.0\.1:\d+\/\S+\/_\/feed/;

/** Changes the text of a file of an example. */
function edit(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

describe('the example of Vitest', () => {
  it('passes, with a lane for each file and test, and writes one gas report for all', LONG, async () => {
    examples.install('vitest');
    const { code, output } = await examples.run('vitest', 'npm', ['test']);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/Tests {2}6 passed/) });
    const report = JSON.parse(readFileSync(examples.path('vitest', 'gas.json'), 'utf8'));
    // The deployment on the base chain, and a deposit on each of four lanes.
    expect(report.transactions.calls).toBe(5);
  });

  it('tells why a test failed', LONG, async () => {
    edit(examples.path('vitest', 'test', 'lanes.test.ts'), 'rejects.toThrow(/TooMuch/)', 'resolves.toBe(5n)');
    edit(examples.path('vitest', 'test', 'snapshots.test.ts'), 'toBe(0n)', 'toBe(1n)');
    const { code, output } = await examples.run('vitest', 'npm', ['test']);
    expect(code).toBe(1);
    expect(output).toMatch(TOLD);
    expect(output).toMatch(
      /snapshots\.test\.ts > a vault > is empty again for the next test\n {2}Nothing failed on the chain/,
    );
  });
});
