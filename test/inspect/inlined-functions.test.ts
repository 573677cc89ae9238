import { describe, expect, it } from 'vitest';
import { SourceOutline } from '../../src/artifacts/source-outline.ts';
import { finish } from '../../src/primitives/steps.ts';
import { CodeCounter } from '../../src/reports/coverage/code-counter.ts';
import { FileProbes } from '../../src/reports/coverage/code-probes.ts';
import { type CountedFile, linkedFiles } from '../../src/reports/coverage/covered-files.ts';
import { fileCoverage, ItemCounts } from '../../src/reports/coverage/file-coverage.ts';
import {
  FileRanges,
  type FunctionItem,
  type FunctionUse,
  ItemLinks,
  type SourceItems,
  type StatementItem,
} from '../../src/reports/coverage/source-items.ts';
import { syntaxItems } from '../../src/reports/coverage/syntax-items.ts';

const SOURCE = `contract A {
  function outer() public {
    inner();
  }
  function inner() internal {
    count++;
  }
}
`;
const INNER = 7;

function countsOf(counter: CodeCounter, file: CountedFile): ItemCounts {
  return finish(counter.countsOf(file));
}

/** The position of a text in the source, in the format of syntax trees. */
function src(text: string, nth = 0): string {
  const at = nth === 0 ? SOURCE.indexOf(text) : SOURCE.lastIndexOf(text);
  return `${at}:${text.length}:0`;
}

function call(typeIdentifier: string): object {
  const expression = {
    nodeType: 'Identifier',
    src: src('inner'),
    referencedDeclaration: INNER,
    typeDescriptions: { typeIdentifier },
  };
  return { nodeType: 'FunctionCall', src: src('inner()'), expression };
}

const INTERNAL = 't_function_internal_nonpayable$__$returns$__$';

function functionNamed(name: string, id: number, statement: object, rest: object = {}): object {
  const [text = ''] = new RegExp(`function ${name}[^}]*}`).exec(SOURCE) ?? [];
  return {
    nodeType: 'FunctionDefinition',
    name,
    id,
    src: src(text),
    body: { nodeType: 'Block', src: src(text), statements: [statement] },
    ...rest,
  };
}

/**
 * How often `inner` ran without code of its own, if the statement of `outer` with this expression ran three
 * times.
 */
function timesOfInner(
  expression: object,
  { isExact = false, overridden = [] as readonly number[], inner = {} as object, hasOwnCode = false } = {},
): number | undefined {
  const statement = { nodeType: 'ExpressionStatement', src: src('inner()'), expression };
  const own = { nodeType: 'ExpressionStatement', src: src('count++'), ...inner };
  const nodes = [functionNamed('outer', 6, statement), functionNamed('inner', INNER, own)];
  const contract = { nodeType: 'ContractDefinition', name: 'A', src: `0:${SOURCE.length}:0`, nodes };
  const tree = { nodeType: 'SourceUnit', src: `0:${SOURCE.length}:0`, nodes: [contract] };
  const outline = finish(SourceOutline.read(SOURCE, null));
  const items = finish(syntaxItems(tree, outline));
  if (items === null) throw new Error('the tree was not read');
  const ranges = finish(FileRanges.of(items));
  const probes = new FileProbes(ranges);
  const start = SOURCE.indexOf('inner()');
  const probe = probes.of({ start, end: start + 'inner()'.length });
  probe.hasCode = true;
  probe.entries = 3;
  const place = SOURCE.indexOf('count++');
  probes.of({ start: place, end: place + 'count++'.length }).hasCode = hasOwnCode;
  const file: CountedFile = {
    ...{ name: 'A.sol', items, ranges, contracts: [] },
    ...{ links: new ItemLinks(items), counts: new ItemCounts(items) },
  };
  const counter = new CodeCounter({
    ...{ files: linkedFiles(new Map([[0, file]])), isExact, probesOf: () => probes },
    overridden: new Set(overridden),
  });
  const counted = fileCoverage('A.sol', items, countsOf(counter, file));
  const times = counted.functions.find(({ name }) => name === 'A.inner')?.times;
  expect(counted.lines.get(6)).toBe(times);
  return times;
}

describe('counts of an inlined function', () => {
  it('the counts equal the counts of the statements that call the function', () => {
    expect(timesOfInner(call(INTERNAL))).toBe(3);
    const negated = { nodeType: 'UnaryOperation', src: src('inner()'), subExpression: call(INTERNAL) };
    expect(timesOfInner(negated)).toBe(3);
  });

  it.each([
    ['&&', 'BinaryOperation'],
    ['||', 'BinaryOperation'],
  ])('the counts exclude calls on the right of %s', (operator, nodeType) => {
    const rightExpression = call(INTERNAL);
    expect(timesOfInner({ nodeType, operator, src: src('inner()'), rightExpression })).toBe(0);
    expect(timesOfInner({ nodeType, operator, src: src('inner()'), leftExpression: rightExpression })).toBe(
      3,
    );
  });

  it('the counts exclude calls on one side of a conditional, and message calls', () => {
    const conditional = { nodeType: 'Conditional', src: src('inner()'), trueExpression: call(INTERNAL) };
    expect(timesOfInner(conditional)).toBe(0);
    expect(timesOfInner(call('t_function_external_nonpayable$__$returns$__$'))).toBe(0);
  });

  it('the counts exclude functions that another function may override', () => {
    expect(timesOfInner(call(INTERNAL), { overridden: [INNER] })).toBe(0);
  });

  it('the counts exclude unoptimized code', () => {
    expect(timesOfInner(call(INTERNAL), { isExact: true })).toBe(0);
  });

  it('the counts include inlined calls if the code of the function did not run', () => {
    expect(timesOfInner(call(INTERNAL), { hasOwnCode: true })).toBe(3);
    expect(timesOfInner(call(INTERNAL), { hasOwnCode: true, overridden: [INNER] })).toBe(0);
  });

  it('the counts allow recursive functions', () => {
    expect(timesOfInner(call(INTERNAL), { inner: { expression: call(INTERNAL) } })).toBe(3);
  });
});

interface MadeFunction {
  readonly declaration: number;
  /** The declarations that its statements call, in order. */
  readonly calls: readonly number[];
}

/** A file of functions with one statement per call, in sequence or nested. */
function fileOf(name: string, made: readonly MadeFunction[], isNested = false): CountedFile {
  const statements: StatementItem[] = [];
  const calls: FunctionUse[] = [];
  const functions = made.map(({ declaration, calls: called }, index): FunctionItem => {
    const first = statements.length;
    for (const [at, target] of called.entries()) {
      const user = statements.length;
      const span = { start: user * 10, end: user * 10 + 5 };
      const before = at === 0 || isNested ? -1 : user - 1;
      const isInside = at > 0 && isNested;
      const entry = isInside
        ? ({ kind: 'statement', index: user - 1 } as const)
        : ({ kind: 'function', index } as const);
      statements.push({ line: user + 1, span, isLoop: false, isEnd: false, before, entry });
      calls.push({ declaration: target, user });
    }
    const span = { start: 10 * first, end: 10 * statements.length };
    const rest = { selector: null, hasModifiers: false, kind: 'function', overrides: [] } as const;
    return { line: first + 1, name: `f${declaration}`, span, first, declaration, ...rest };
  });
  const items: SourceItems = { contracts: [], statements, functions, branches: [], calls, modified: [] };
  const [ranges, links, counts] = [finish(FileRanges.of(items)), new ItemLinks(items), new ItemCounts(items)];
  return { name, items, ranges, links, counts, contracts: [] };
}

/** Counts files. In the first file, the statement at the index ran three times. Other code does not exist. */
function counterOf(files: readonly CountedFile[], index: number): CodeCounter {
  const probes = new Map(files.map((file) => [file, new FileProbes(file.ranges)] as const));
  const [first] = files;
  const span = first?.items.statements[index]?.span;
  if (first === undefined || span === undefined) throw new Error('no such statement');
  const probe = probes.get(first)?.of(span);
  Object.assign(probe ?? {}, { hasCode: true, entries: 3, completions: 3 });
  return new CodeCounter({
    ...{ isExact: false, overridden: new Set<number>() },
    files: linkedFiles(new Map(files.entries())),
    probesOf: (file) => probes.get(file) ?? new FileProbes(file.ranges),
  });
}

describe('counts of inlined functions across files', () => {
  it('the counts include calls from other files transitively', () => {
    const files = [
      fileOf('A.sol', [{ declaration: 1, calls: [2, 3] }]),
      fileOf('B.sol', [{ declaration: 2, calls: [3] }]),
      fileOf('C.sol', [{ declaration: 3, calls: [9] }]),
    ];
    const counter = counterOf(files, 0);
    expect(files.map((file) => countsOf(counter, file).functions)).toEqual([[3], [3], [6]]);
  });

  it('the counts do not follow endless chains of calls', () => {
    const others = Array.from({ length: 5_000 }, (_, index) => ({
      declaration: index + 2,
      calls: [index + 3],
    }));
    const files = [fileOf('A.sol', [{ declaration: 1, calls: [2] }]), fileOf('B.sol', others.toReversed())];
    const [, second] = files;
    const counter = counterOf(files, 0);
    const times = second === undefined ? [] : countsOf(counter, second).functions;
    expect(times.at(-1)).toBe(3);
    expect(times[0]).toBe(0);
  });

  it('the counts do not follow endlessly nested blocks', () => {
    const others = Array.from({ length: 190 }, (_, index) => ({
      declaration: index + 2,
      calls: [...Array.from({ length: 100 }, () => 9_999), index + 3],
    }));
    const [first, second] = [
      fileOf('A.sol', [{ declaration: 1, calls: [2] }]),
      fileOf('B.sol', others.toReversed(), true),
    ];
    const times = countsOf(counterOf([first, second], 0), second).functions;
    expect(times.at(-1)).toBe(3);
    expect(times[0]).toBe(0);
  });

  it('the counts include the statements of a long block', () => {
    const calls = Array.from({ length: 20_000 }, () => 9);
    const file = fileOf('A.sol', [{ declaration: 1, calls }]);
    const { statements } = countsOf(counterOf([file], 0), file);
    expect(new Set(statements)).toEqual(new Set([3]));
  });
});
