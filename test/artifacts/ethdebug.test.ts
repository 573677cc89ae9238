// The fixture is the output of solc 0.8.37. Its programs contain instruction ranges, but no variables.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CodeTemplate } from '../../src/artifacts/artifact.ts';
import { codeTemplate } from '../../src/artifacts/code-template.ts';
import { withProgram } from '../../src/artifacts/formats/ethdebug.ts';
import { SourceMap } from '../../src/artifacts/source-map.ts';
import { finish } from '../../src/primitives/steps.ts';
import { readFolders, readProject } from './artifact-reader.ts';

interface Side {
  sourceMap?: string;
  ethdebug?: { readonly instructions: readonly { readonly offset: number }[] };
}

interface Output {
  readonly contracts: Record<string, Record<string, { evm: { bytecode: Side; deployedBytecode: Side } }>>;
}

const FIXTURE = 'solc/0.8.37-ethdebug';

/**
 * Source ranges of the creation code and the deployed code at each program instruction, after a change of the
 * compiler output. The program of the creation code omits one instruction.
 */
async function rangesAfter(change: (side: Side) => void): Promise<unknown[]> {
  const output = readProject<Output>(`${FIXTURE}/output.json`);
  const { evm } = output.contracts['Linked.sol']?.Linked ?? {};
  if (evm === undefined) throw new Error('the fixture has another contract');
  const offsets = [evm.bytecode, evm.deployedBytecode].map((side) =>
    (side.ethdebug?.instructions ?? []).map(({ offset }) => offset),
  );
  change(evm.bytecode);
  change(evm.deployedBytecode);
  const { artifacts } = await readFolders();
  await artifacts.addCompilation(readProject(`${FIXTURE}/input.json`), output, '0.8.37');
  const contract = [...artifacts.contracts].find(({ name }) => name === 'Linked');
  const { creation = null, deployed = null } = (await contract?.load()) ?? {};
  artifacts.close();
  return [creation, deployed].map((code, side) => {
    const map = code === null ? null : finish(SourceMap.read(code));
    return (offsets[side] ?? []).map((pc) => [pc, map?.rangeAt(pc) ?? null]);
  });
}

function template(object: string, sourceMap: string | null = null): CodeTemplate {
  const made = codeTemplate({ object, sourceMap });
  if (made === null) throw new Error('no code');
  return made;
}

const codeAt = (offset: number, length: number, id: number = 0): object => ({
  code: { source: { id }, range: { offset, length } },
});

function rangesOf(code: CodeTemplate): unknown[] {
  const map = finish(SourceMap.read(code));
  return Array.from(code.bytes, (_, pc) => {
    const range = map?.rangeAt(pc) ?? null;
    return range === null ? null : [range.file, range.start, range.length];
  });
}

describe('an ETHDebug program', () => {
  it('replaces a missing source map', async () => {
    const expected = await rangesAfter(() => {});
    const text = 'list.length <= limit';
    const { sources } = readProject<{ sources: Record<string, { content: string }> }>(
      `${FIXTURE}/input.json`,
    );
    const start = sources['Linked.sol']?.content.indexOf(text) ?? -1;
    const condition = { file: 1, start, length: text.length };
    expect(expected).toEqual([expect.any(Array), expect.arrayContaining([[expect.any(Number), condition]])]);
    const placed = await rangesAfter((side) => {
      delete side.sourceMap;
    });
    expect(placed).toEqual(expected);
  });

  it('agrees with a coarse source map and with the full source map', async () => {
    const expected = await rangesAfter(() => {});
    const coarse = await rangesAfter((side) => {
      side.sourceMap = '0:500:1:-';
    });
    expect(coarse).toEqual(expected);
    const without = await rangesAfter((side) => {
      delete side.ethdebug;
    });
    expect(without).toEqual(expected);
  });

  it('is read with gathered contexts of the source only', () => {
    const program = {
      instructions: [
        { offset: 0, context: { gather: [codeAt(10, 30), codeAt(12, 5)] } },
        {
          offset: '0x02',
          context: {
            gather: [
              { frame: 'ir', ...codeAt(1, 1) },
              { frame: 'source', ...codeAt(50, 9, 3) },
            ],
          },
        },
        { offset: 3, context: { pick: [codeAt(1, 1), codeAt(2, 2)] } },
        { offset: 4 },
      ],
    };
    const ranges = rangesOf(finish(withProgram(template('6001505050'), program)));
    expect(ranges).toEqual([[0, 12, 5], null, [3, 50, 9], null, null]);
  });

  it('does not replace more precise ranges and jumps of the source map', () => {
    const code = template('56565b', '5:10:0:i;40:2:0:o;40:2:0:-');
    const instructions = [
      { offset: 0, context: codeAt(7, 3) },
      { offset: 1, context: codeAt(30, 20) },
    ];
    const read = finish(withProgram(code, { instructions }));
    expect(rangesOf(read)).toEqual([
      [0, 7, 3],
      [0, 40, 2],
      [0, 40, 2],
    ]);
    const map = finish(SourceMap.read(read));
    expect([0, 1, 2].map((pc) => map?.jumpAt(pc))).toEqual(['into', 'out', 'other']);
  });

  it('is ignored for code of more than 1 MiB', () => {
    const instructions = [{ offset: 0, context: codeAt(0, 1) }];
    for (const [size, isRead] of [
      [2 ** 20, true],
      [2 ** 20 + 1, false],
    ] as const) {
      const code = template('00'.repeat(size));
      const read = finish(withProgram(code, { instructions }));
      expect(read.sourceMap !== null).toBe(isRead);
    }
  });

  it('is read with at most 256 variables per context and 256 contexts per instruction', () => {
    const names = Array.from({ length: 300 }, (_, index) => ({ identifier: `v${index}` }));
    const gather = Array.from({ length: 300 }, (_, index) => ({ variables: [{ identifier: `c${index}` }] }));
    const instructions = [
      { offset: 0, context: { variables: names } },
      { offset: 1, context: { gather } },
    ];
    const { variables } = finish(withProgram(template('5050'), { instructions }));
    expect([0, 1].map((pc) => variables?.after.get(pc)?.length)).toEqual([256, 255]);
  });

  it('is read without an error for any JSON value', () => {
    const key = fc.constantFrom('context', 'code', 'source', 'range', 'offset', 'variables', 'gather', 'id');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }));
    const code = template('6001600201');
    const isHarmless = fc.property(value, value, (context, instructions) => {
      const read = finish(withProgram(code, { context, instructions }));
      expect(rangesOf(read)).toHaveLength(code.bytes.length);
      const list = [{ offset: 0, context: instructions }];
      expect(rangesOf(finish(withProgram(code, { context, instructions: list })))).toHaveLength(
        code.bytes.length,
      );
    });
    fc.assert(isHarmless, { numRuns: 500 });
  });
});
