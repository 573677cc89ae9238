import { describe, expect, it } from 'vitest';
import { SourceOutline } from '../../src/artifacts/source-outline.ts';
import { CodeCounter } from '../../src/inspect/coverage/code-counter.ts';
import { FileProbes } from '../../src/inspect/coverage/code-probes.ts';
import { type CountedFile, linkedFiles } from '../../src/inspect/coverage/covered-files.ts';
import { fileCoverage, ItemCounts } from '../../src/inspect/coverage/file-coverage.ts';
import { FileRanges, ItemLinks } from '../../src/inspect/coverage/source-items.ts';
import { syntaxItems } from '../../src/inspect/coverage/syntax-items.ts';
import { inOnePiece } from '../../src/primitives/work-pieces.ts';

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

/** The place of a text of the source, as syntax trees have it. */
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

/** How often `inner` ran, of which no code is left, when the statement of `outer`, with that expression in it, ran three times. */
function timesOfInner(
  expression: object,
  { isExact = false, overridden = [] as readonly number[], inner = {} as object, hasOwnCode = false } = {},
): number | undefined {
  const statement = { nodeType: 'ExpressionStatement', src: src('inner()'), expression };
  const own = { nodeType: 'ExpressionStatement', src: src('count++'), ...inner };
  const nodes = [functionNamed('outer', 6, statement), functionNamed('inner', INNER, own)];
  const contract = { nodeType: 'ContractDefinition', name: 'A', src: `0:${SOURCE.length}:0`, nodes };
  const tree = { nodeType: 'SourceUnit', src: `0:${SOURCE.length}:0`, nodes: [contract] };
  const items = inOnePiece((pieces) => {
    const outline = inOnePiece((more) => SourceOutline.read(SOURCE, null, more));
    return syntaxItems(tree, outline, pieces);
  });
  if (items === null) throw new Error('the tree was not read');
  const ranges = new FileRanges(items);
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
  const counted = fileCoverage('A.sol', items, counter.countsOf(file));
  const times = counted.functions.find(({ name }) => name === 'A.inner')?.times;
  expect(counted.lines.get(6)).toBe(times);
  return times;
}

describe('a function that the optimizer put where it is called', () => {
  it('ran as often as the statements that call it', () => {
    expect(timesOfInner(call(INTERNAL))).toBe(3);
    const negated = { nodeType: 'UnaryOperation', src: src('inner()'), subExpression: call(INTERNAL) };
    expect(timesOfInner(negated)).toBe(3);
  });

  it.each([
    ['&&', 'BinaryOperation'],
    ['||', 'BinaryOperation'],
  ])('is not taken to have run on the right of %s', (operator, nodeType) => {
    const rightExpression = call(INTERNAL);
    expect(timesOfInner({ nodeType, operator, src: src('inner()'), rightExpression })).toBe(0);
    expect(timesOfInner({ nodeType, operator, src: src('inner()'), leftExpression: rightExpression })).toBe(
      3,
    );
  });

  it('is not taken to have run on one side of a condition, nor by a message', () => {
    const conditional = { nodeType: 'Conditional', src: src('inner()'), trueExpression: call(INTERNAL) };
    expect(timesOfInner(conditional)).toBe(0);
    expect(timesOfInner(call('t_function_external_nonpayable$__$returns$__$'))).toBe(0);
  });

  it('is not taken to have run where another one may have run in its place', () => {
    expect(timesOfInner(call(INTERNAL), { overridden: [INNER] })).toBe(0);
  });

  it('is not looked for in code that no optimizer touched', () => {
    expect(timesOfInner(call(INTERNAL), { isExact: true })).toBe(0);
  });

  it('ran there too where it has code of its own, which did not run', () => {
    expect(timesOfInner(call(INTERNAL), { hasOwnCode: true })).toBe(3);
    expect(timesOfInner(call(INTERNAL), { hasOwnCode: true, overridden: [INNER] })).toBe(0);
  });

  it('may call itself', () => {
    expect(timesOfInner(call(INTERNAL), { inner: { expression: call(INTERNAL) } })).toBe(3);
  });
});
