import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilationMembers, FileDocument, MemoryDocument } from '../../src/artifacts/json-document.ts';
import { JsonRangeError, JsonRangeScanner } from '../../src/json/json-ranges.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const keys = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'a', '', '\\', '"', 'ä\n', '\u2028'),
  fc.string({ unit: 'binary' }),
);
const objects = fc.dictionary(keys, fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue())));

/** Scans the text in chunks with these boundaries and parses each range. */
function scanned(text: string, cuts: readonly number[], depth: number): Map<string, unknown> {
  const bytes = Buffer.from(text);
  const found = new Map<string, unknown>();
  const scanner = new JsonRangeScanner(
    (path) => (path.length < depth ? 'enter' : 'take'),
    ({ path, start, end }) => found.set(JSON.stringify(path), JSON.parse(bytes.toString('utf8', start, end))),
  );
  const places = [
    0,
    ...cuts.map((cut) => cut % (bytes.length + 1)).sort((left, right) => left - right),
    bytes.length,
  ];
  for (const [index, place] of places.entries())
    scanner.write(bytes.subarray(place, places[index + 1] ?? place));
  scanner.end();
  return found;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

describe('JsonRangeScanner', () => {
  it('finds the members of the first level for any chunk boundaries', () => {
    const isSame = fc.property(
      objects,
      fc.array(fc.nat()),
      fc.constantFrom(undefined, 2, '\t'),
      (value, cuts, space) => {
        const expected = new Map(
          Object.entries(value).map(([name, member]) => [JSON.stringify([name]), member]),
        );
        expect(scanned(JSON.stringify(value, null, space), cuts, 1)).toEqual(expected);
      },
    );
    fc.assert(isSame, { numRuns: 500 });
  });

  it('finds the members of the second level', () => {
    const isSame = fc.property(objects, fc.array(fc.nat()), (value, cuts) => {
      const expected = new Map(
        Object.entries(value).flatMap(([name, member]) =>
          isObject(member)
            ? Object.entries(member).map(([below, leaf]) => [JSON.stringify([name, below]), leaf] as const)
            : [],
        ),
      );
      expect(scanned(JSON.stringify(value), cuts, 2)).toEqual(expected);
    });
    fc.assert(isSame, { numRuns: 500 });
  });

  it('rejects truncated text, and throws only JsonRangeError for any bytes', () => {
    const isRejected = fc.property(
      fc.array(objects, { minLength: 1, maxLength: 1 }),
      fc.nat(),
      ([value], at) => {
        const text = JSON.stringify(value);
        expect(() => scanned(text.slice(0, at % text.length), [], 2)).toThrow();
      },
    );
    fc.assert(isRejected, { numRuns: 300 });
    const isHarmless = fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\1 a') }), (text) => {
      const scanner = new JsonRangeScanner(
        () => 'enter',
        () => {},
      );
      try {
        scanner.write(Buffer.from(text));
        scanner.end();
      } catch (error) {
        expect(error).toBeInstanceOf(JsonRangeError);
      }
    });
    fc.assert(isHarmless, { numRuns: 1_000 });
  });

  it('rejects unterminated names', () => {
    const scanner = new JsonRangeScanner(
      () => 'enter',
      () => {},
    );
    expect(() => {
      for (let chunk = 0; chunk < 100; chunk++)
        scanner.write(Buffer.from(chunk === 0 ? '{"' : 'a'.repeat(10_000)));
    }).toThrow(JsonRangeError);
  });
});

describe('FileDocument', () => {
  it('returns the same contracts and sources as MemoryDocument', async () => {
    const folder = await temporaryDirectory();
    const names = fc.constantFrom('A', '__proto__', 'constructor', 'contracts/A.sol', 'input');
    const contract = fc.record({
      abi: fc.array(fc.jsonValue(), { maxLength: 2 }),
      evm: fc.record({ bytecode: fc.record({ object: fc.string(), opcodes: fc.string() }) }),
    });
    const compilation = fc.record({
      contracts: fc.dictionary(names, fc.dictionary(names, contract, { minKeys: 1 })),
      sources: fc.dictionary(names, fc.record({ id: fc.nat(), ast: fc.jsonValue() })),
    });
    const isSame = fc.asyncProperty(compilation, async (made) => {
      const value: unknown = JSON.parse(JSON.stringify(made));
      const path = join(folder, 'output.json');
      await writeFile(path, JSON.stringify(value));
      const [file, memory] = [await FileDocument.open(path, compilationMembers), new MemoryDocument(value)];
      for (const root of ['contracts', 'sources']) {
        expect(file.members([root])).toEqual(memory.members([root]));
        for (const name of memory.members([root])) {
          expect(file.members([root, name])).toEqual(memory.members([root, name]));
          for (const below of memory.members([root, name])) {
            for (const leaf of root === 'sources' ? [[]] : [['abi'], ['evm', 'bytecode', 'object']]) {
              const at = [root, name, below, ...leaf];
              expect(await file.read(at)).toEqual(await memory.read(at));
            }
          }
        }
      }
    });
    await fc.assert(isSame, { numRuns: 60 });
  });

  it('parses long values in chunks like JSON.parse', async () => {
    const path = join(await temporaryDirectory(), 'long.json');
    const leaf = { nodeType: 'Literal', src: '1:2:0', value: 'é"\n', parts: [1, null, true] };
    const value = { nodes: Array.from({ length: 20_000 }, (_, index) => ({ ...leaf, id: index })) };
    await writeFile(path, JSON.stringify({ ast: value, other: 1 }));
    const document = await FileDocument.open(path, () => 'take');
    expect(await document.read(['ast'])).toEqual(value);
    await writeFile(path, `{"ast": ["${'a'.repeat(2_000_000)}", oops]}`);
    const damaged = await FileDocument.open(path, () => 'take');
    await expect(damaged.read(['ast'])).rejects.toThrow(SyntaxError);
  });

  it('rejects a changed file and a file with too many members', async () => {
    const path = join(await temporaryDirectory(), 'a.json');
    await writeFile(path, '{"a":1}');
    const document = await FileDocument.open(path);
    await writeFile(path, '{"a":17}');
    await expect(document.read(['a'])).rejects.toThrow('has changed');
    await writeFile(path, `{${Array.from({ length: 100_001 }, (_, index) => `"${index}":1`).join(',')}}`);
    await expect(FileDocument.open(path)).rejects.toThrow('more than 100000 values');
  });
});
