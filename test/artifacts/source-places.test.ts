import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SourceMap } from '../../src/artifacts/source-map.ts';
import { SourceOutline } from '../../src/artifacts/source-outline.ts';
import { finish } from '../../src/primitives/steps.ts';

function outlineOf(text: string, vyperModule: string | null = null): SourceOutline {
  return finish(SourceOutline.read(text, vyperModule));
}

function mapOf(bytes: Uint8Array, sourceMap: string): SourceMap | null {
  return finish(SourceMap.read({ bytes, holes: [], sourceMap, variables: null }));
}

/** CPU time in milliseconds. */
function cpuTime(action: () => void): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('SourceMap', () => {
  it('inherits empty and missing fields from the previous entry', () => {
    const map = mapOf(Uint8Array.of(0x5f, 0x60, 0x01, 0x56, 0x5b), '1:2:0:-;;3:::i;:4:-1');
    expect(map?.rangeAt(0)).toEqual({ file: 0, start: 1, length: 2 });
    expect(map?.rangeAt(1)).toEqual({ file: 0, start: 1, length: 2 });
    expect(map?.rangeAt(2)).toBeNull();
    expect(map?.rangeAt(3)).toEqual({ file: 0, start: 3, length: 2 });
    expect(map?.jumpAt(3)).toBe('into');
    expect(map?.rangeAt(4)).toBeNull();
    expect(map?.rangeAt(5)).toBeNull();
  });

  it.each(['x:1:0', '1:NaN:0', '1:1:1e3', '99999999999:1:0', '4294967296:1:0', '0x10:1:0'])(
    'returns no range for the invalid entry %s',
    (entry) => {
      expect(mapOf(Uint8Array.of(0), entry)?.rangeAt(0)).toBeNull();
    },
  );

  it('returns null or non-negative integers for any text', () => {
    const field = fc.oneof(fc.constant(''), fc.integer().map(String), fc.string({ maxLength: 12 }));
    const entry = fc.array(field, { maxLength: 6 }).map((fields) => fields.join(':'));
    const garbage = fc.oneof(
      fc.string(),
      fc.array(entry, { maxLength: 40 }).map((entries) => entries.join(';')),
    );
    const property = fc.property(
      fc.uint8Array({ maxLength: 64 }),
      garbage,
      fc.integer(),
      (bytes, text, pc) => {
        const map = mapOf(bytes, text);
        for (const at of [...bytes.keys(), pc]) {
          const { file, start, length } = map?.rangeAt(at) ?? { file: 0, start: 0, length: 0 };
          expect([file, start, length].every((number) => Number.isInteger(number) && number >= 0)).toBe(true);
          expect(['into', 'out', 'other']).toContain(map?.jumpAt(at) ?? 'other');
        }
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  it('reads at most one entry per byte of code', () => {
    let work = 0;
    const template = { bytes: new Uint8Array(4), holes: [], variables: null };
    const task = SourceMap.read({ ...template, sourceMap: '1:1:0;'.repeat(2 ** 21) });
    let step = task.next();
    for (; step.done !== true; step = task.next()) work += step.value;
    const map = step.value;

    expect(map instanceof SourceMap && map.rangeAt(3)).toEqual({ file: 0, start: 1, length: 1 });
    expect(work).toBeLessThan(1_000);
  });
});

describe('the outline of a Solidity source', () => {
  const PIECES = [
    ...[
      'contract ',
      'library ',
      'function ',
      'modifier ',
      'constructor',
      'fallback',
      'receive',
      'abstract ',
      'A',
      'f',
    ],
    ...['{', '}', '(', ')', ';', '"', "'", '\\', '//', '/*', '*/', '\n', 'é', '𝕏', '\u0000', ' payable '],
  ];
  const source = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 200 }).map((pieces) => pieces.join('')),
  );

  it('has definitions within the text for any text', () => {
    const property = fc.property(
      source,
      fc.integer({ min: -5, max: 300 }),
      fc.integer({ min: -5, max: 300 }),
      (text, at, length) => {
        const outline = outlineOf(text);
        const size = Buffer.byteLength(text);
        for (const { start, end } of outline.definitions) {
          expect(start >= 0 && start <= end && end <= size).toBe(true);
        }
        const around = outline.functionAt(at);
        if (around !== null) expect(around.start <= at && at < around.end).toBe(true);
        expect(outline.functionAt(at)).toBe(innermost(outline, at));
        outline.contractAt(at);
        outline.functionOf(at, length);
        outline.textOf(at, length);
        const { line, column } = outline.positionOf(at);
        expect(line >= 1 && column >= 1).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 2000 });
  });

  /** Reference implementation of `functionAt` by linear search. */
  function innermost(outline: SourceOutline, at: number): unknown {
    const isContract = (kind: string): boolean => ['contract', 'library', 'interface'].includes(kind);
    const around = outline.definitions.filter(
      ({ kind, start, end }) => !isContract(kind) && start <= at && at < end,
    );
    return around.at(-1) ?? null;
  }

  it.each([
    ['quotes', '"\\'],
    ['escapes in a string', '\\"'],
    ['apostrophes', "'"],
    ['comments', '/*'],
    ['slashes', '/'],
    ['braces', '{'],
    ['contracts', 'contract A {} '],
    ['functions', 'contract A { function f() public { } } '],
    ['open contracts', 'contract A '],
    ['words', 'abstract '],
    ['spaces', 'contract        '],
  ])('is computed in linear time for repeated %s', (_, piece) => {
    const timeOf = (characters: number): number => {
      const text = `"${piece.repeat(characters / piece.length)}`;
      return cpuTime(() => {
        const outline = outlineOf(text);
        for (let at = 0; at < text.length; at += Math.ceil(text.length / 1000)) outline.functionAt(at);
      });
    };
    timeOf(1000);
    // A text of 32 times the length takes 1,024 times as long with quadratic time: minutes. The ten seconds
    // allow for a busy machine.
    const small = timeOf(25_000);
    expect(timeOf(800_000)).toBeLessThan(4 * 32 * small + 10_000);
  });

  it('is computed without a stack overflow for a line of ten million characters', () => {
    for (const piece of ['"', "'", '//', '/*']) {
      expect(outlineOf(`${piece}${'a'.repeat(10_000_000)}`).definitions).toEqual([]);
    }
  });
});

describe('the outline of a Vyper source', () => {
  const source = `# a comment
interface Other:
    def number() -> uint256: view

@deploy
def __init__(
    limit: uint256,
):
    assert limit > 3

@external
def small(amount: uint256):
    # indented
    assert amount > 1

# not indented
    self.total = amount
total: uint256
`;

  it('contains the functions with their bodies in one module', () => {
    const outline = outlineOf(source, 'Failing');
    expect(outline.definitions.map(({ kind, name, contract }) => [kind, name, contract])).toEqual([
      ['contract', 'Failing', null],
      ['constructor', 'constructor', 'Failing'],
      ['function', 'small', 'Failing'],
    ]);
    const nameAt = (text: string): string | null => outline.functionAt(source.indexOf(text))?.name ?? null;
    expect(nameAt('limit > 3')).toBe('constructor');
    expect(nameAt('amount > 1')).toBe('small');
    expect(nameAt('self.total')).toBe('small');
    expect(nameAt('total: uint256')).toBeNull();
    expect(nameAt('def number')).toBeNull();
    expect(outline.contractAt(source.indexOf('@deploy'))?.name).toBe('Failing');
  });

  it('has valid ranges for any text', () => {
    const property = fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.constantFrom('def f', '\n', ' ', '(', '):', '#', '@x')),
      (text, parts) => {
        const outline = outlineOf(text + parts.join(''), 'A');
        for (const { start, end } of outline.definitions) expect(end).toBeGreaterThanOrEqual(start);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});
