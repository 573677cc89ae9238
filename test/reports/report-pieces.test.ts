import { describe, expect, it } from 'vitest';
import { SourceMap } from '../../src/artifacts/source-map.ts';
import { SourceOutline } from '../../src/artifacts/source-outline.ts';
import { CodeCounts } from '../../src/evm/execution-counts.ts';
import { finish } from '../../src/primitives/steps.ts';
import { countDecisions } from '../../src/reports/coverage/code-decisions.ts';
import { CodeFlow } from '../../src/reports/coverage/code-flow.ts';
import { countPlaces, FileProbes, type Reading } from '../../src/reports/coverage/code-probes.ts';
import { type LcovFile, lcovText, mergeLcov } from '../../src/reports/coverage/lcov.ts';
import { outlineItems } from '../../src/reports/coverage/outline-items.ts';
import { FileRanges } from '../../src/reports/coverage/source-items.ts';
import { collapsedStacks, profileContent, speedscope } from '../../src/reports/profile/profile-forms.ts';
import type { Task } from '../../src/scheduling/task.ts';

/** Runs the task, and counts its yields. */
async function turnsOf<Result>(
  work: () => Task<Result>,
): Promise<{ readonly result: Result; readonly turns: number }> {
  const task = work();
  let turns = 0;
  for (let step = task.next(); ; step = task.next()) {
    if (step.done === true) return { result: step.value, turns };
    turns++;
    await step.value;
  }
}

const MAX_CODE_SIZE = 24_576;
const SOURCE = 'contract A {\n  function f(uint256 a) public {\n    require(a > 1);\n  }\n}\n';

function outlineOf(text: string): SourceOutline {
  return finish(SourceOutline.read(text, null));
}

/** Code of the maximum size with jumps, which belongs to one source statement. */
function largestCode(): Reading {
  // PUSH2 0, JUMPI, JUMPDEST
  const code = Uint8Array.from(
    { length: MAX_CODE_SIZE },
    (_, index) => [0x61, 0, 0, 0x57, 0x5b][index % 5] ?? 0,
  );
  const start = SOURCE.indexOf('require');
  const sourceMap = `${start}:${'require(a > 1)'.length}:0:-${';'.repeat(MAX_CODE_SIZE)}`;
  const map = finish(SourceMap.read({ bytes: code, holes: [], sourceMap, variables: null }));
  if (map === null) throw new Error('no source map');
  const counted = new CodeCounts('deployed', code, new Uint8Array(32));
  counted.add([{ start: 0, end: code.length, times: 1 }]);
  const counts = counted.opcodes();
  const flow = finish(CodeFlow.of(code, counts, map));
  const items = finish(outlineItems(SOURCE, outlineOf(SOURCE)));
  const probes = new FileProbes(finish(FileRanges.of(items)));
  const origin = { optimizer: true, viaIR: false, isVyper: false };
  return { flow, map, counts, code, files: new Map([[0, probes]]), origin };
}

describe('counting the largest code', () => {
  it('each part of counting yields', async () => {
    const reading = largestCode();
    const { code, counts, map } = reading;
    expect((await turnsOf(() => CodeFlow.of(code, counts, map))).turns).toBeGreaterThan(4);
    expect((await turnsOf(() => countPlaces(reading))).turns).toBeGreaterThan(4);
    expect((await turnsOf(() => countDecisions(reading))).turns).toBeGreaterThan(4);
  });
});

describe('reading a long source', () => {
  it.each([
    ['Solidity', SOURCE, null],
    ['Vyper', '@external\ndef f(a: uint256):\n    assert a > 1\n', 'A'],
  ])('reading a long %s source yields', async (_, text, vyperModule) => {
    const long = text.repeat(4_000);
    const { result, turns } = await turnsOf(() => SourceOutline.read(long, vyperModule));
    expect(result.definitions.filter(({ kind }) => kind === 'function')).toHaveLength(4_000);
    expect(turns).toBeGreaterThan(5);
    if (vyperModule !== null) return;
    const items = await turnsOf(() => outlineItems(long, result));
    expect(items.result.functions).toHaveLength(4_000);
    expect(items.turns).toBeGreaterThan(5);
  });
});

describe('lcov file of many sources', () => {
  it('merging and writing coverage yields', async () => {
    const lines = new Map(Array.from({ length: 300 }, (_, index) => [index + 1, index] as const));
    const files: LcovFile[] = Array.from({ length: 100 }, (_, index) => {
      return { name: `contracts/C${index}.sol`, lines, functions: [], branches: [] };
    });
    const merged = await turnsOf(() => mergeLcov(files));
    const text = await turnsOf(() => lcovText(merged.result, ['a comment']));
    expect(merged.result).toHaveLength(files.length);
    expect(merged.turns).toBeGreaterThan(20);
    expect(text.turns).toBeGreaterThan(10);
    expect(text.result).toBe(finish(lcovText(merged.result, ['a comment'])));
  });
});

describe('profile of many stacks', () => {
  it('writing profile files yields', async () => {
    const samples = Array.from({ length: 10_000 }, (_, index) => ({
      calls: ['A.f', `B.g${index}`],
      line: null,
      gas: 1n,
    }));
    const file = await turnsOf(() => speedscope(samples, 'many'));
    const text = await turnsOf(() => collapsedStacks(samples));
    expect(file.result.profiles.map(({ endValue }) => endValue)).toEqual([10_000, 10_000]);
    expect(text.result.split('\n')).toHaveLength(10_001);
    expect(file.turns).toBeGreaterThan(10);
    expect(text.turns).toBeGreaterThan(5);
    const written = await profileContent('gas.json', {
      transactions: 5,
      total: 10_000n,
      samples,
      omitted: 0,
    });
    expect(JSON.parse(written)).toEqual({ ...file.result, name: 'Gas of 5 transactions' });
    expect(written.endsWith('}\n')).toBe(true);
  });
});
