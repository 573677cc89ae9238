import ts from 'typescript';

/** A part of a source file that runs as a whole or not at all, apart from what inner regions hold. */
export interface Region {
  readonly start: number;
  readonly end: number;
  /** The text that reports the region as reached, where it goes in. */
  readonly probes: readonly (readonly [position: number, text: (call: string) => string])[];
}

/** Reports a statement that stands alone, or is a block. */
function regionOfStatement(statement: ts.Statement, file: ts.SourceFile): Region {
  const start = statement.getStart(file);
  const { end } = statement;
  const probes: Region['probes'] = ts.isBlock(statement)
    ? [[start + 1, (call) => `${call};`]]
    : [
        [start, (call) => `{${call};`],
        [end, () => '}'],
      ];
  return { start, end, probes };
}

function regionOfExpression(expression: ts.Expression, file: ts.SourceFile): Region {
  const start = expression.getStart(file);
  const { end } = expression;
  return {
    start,
    end,
    probes: [
      [start, (call) => `(${call},`],
      [end, () => ')'],
    ],
  };
}

/** Returns what follows an `if` in a list of statements: it may return. */
function restsOf(statements: readonly ts.Statement[], file: ts.SourceFile): Region[] {
  const end = statements.at(-1)?.end ?? 0;
  return statements.slice(1).flatMap((statement, before) => {
    const previous = statements[before];
    if (previous === undefined || !ts.isIfStatement(previous)) return [];
    const start = statement.getStart(file);
    return [{ start, end, probes: [[start, (call: string) => `${call};`]] as const }];
  });
}

/** Returns the regions that a node itself starts. */
function regionsAt(node: ts.Node, file: ts.SourceFile): Region[] {
  if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
    // The values that parameters have by default belong to the function.
    const inner = ts.isBlock(node.body)
      ? regionOfStatement(node.body, file)
      : regionOfExpression(node.body, file);
    return [{ ...inner, start: node.getStart(file), end: node.end }];
  }
  if (ts.isIfStatement(node)) {
    const { thenStatement, elseStatement } = node;
    const branches = elseStatement === undefined ? [thenStatement] : [thenStatement, elseStatement];
    return branches.map((branch) => regionOfStatement(branch, file));
  }
  if (ts.isIterationStatement(node, false)) return [regionOfStatement(node.statement, file)];
  if (ts.isConditionalExpression(node))
    return [node.whenTrue, node.whenFalse].map((arm) => regionOfExpression(arm, file));
  if (ts.isBlock(node)) return restsOf(node.statements, file);
  if (ts.isCaseOrDefaultClause(node)) {
    const first = node.statements[0];
    if (first === undefined) return [];
    const start = first.getStart(file);
    const whole: Region = { start, end: node.end, probes: [[start, (call) => `${call};`]] };
    return [whole, ...restsOf(node.statements, file)];
  }
  return [];
}

/** Returns the regions of a TypeScript source, outer ones before those inside them. What is in none runs with the import. */
export function regionsOf(source: string): Region[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.ES2022, true);
  const regions: Region[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    regions.push(...regionsAt(node, file));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return regions;
}

/** Returns the index of the innermost region that holds the position, or `undefined` when the import runs it. */
export function regionAt(regions: readonly Region[], position: number): number | undefined {
  const index = regions.findLastIndex(({ start, end }) => start <= position && position < end);
  return index === -1 ? undefined : index;
}

/**
 * Returns the source with a call of `globalThis.reached` at the beginning of each region, which gets the region's index
 * counted from `first`. Lines stay where they are.
 */
export function withProbes(source: string, first: number): string {
  const probes = regionsOf(source).flatMap((region, index) =>
    region.probes.map(([position, text]) => ({
      position,
      text: text(`globalThis.reached?.(${first + index})`),
      width: region.end - region.start,
      closes: region.probes.length > 1 && position === region.end,
    })),
  );
  // At one place inner regions close before outer ones, and then outer ones open before inner ones.
  probes.sort((left, right) => {
    if (left.position !== right.position) return left.position - right.position;
    if (left.closes !== right.closes) return left.closes ? -1 : 1;
    return left.closes ? left.width - right.width : right.width - left.width;
  });
  let end = 0;
  const pieces = probes.map(({ position, text }) => {
    const piece = source.slice(end, position) + text;
    end = position;
    return piece;
  });
  return pieces.join('') + source.slice(end);
}
