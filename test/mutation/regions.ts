import ts from 'typescript';

/** A part of a source file that runs completely or not at all, except for its inner regions. */
export interface Region {
  readonly start: number;
  readonly end: number;
  /** The inserted code that reports the region as reached, with its positions. */
  readonly probes: readonly (readonly [position: number, text: (call: string) => string])[];
}

/** Returns the region of a single statement or of a block. */
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

/** Returns the regions after each `if` in a list of statements, because an `if` can return. */
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
    // Default values of parameters belong to the function.
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

/** Returns the regions of a TypeScript source, outer before inner regions. The import runs the code outside all regions. */
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

/** Returns the index of the innermost region at the position, or `undefined` if the import runs the position. */
export function regionAt(regions: readonly Region[], position: number): number | undefined {
  const index = regions.findLastIndex(({ start, end }) => start <= position && position < end);
  return index === -1 ? undefined : index;
}

/**
 * Returns the source with a call of `globalThis.reached` at the start of each region. The argument is the index of the region,
 * counted from `first`. Line numbers do not change.
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
  // At the same position, inner regions close before outer regions. Then outer regions open before inner regions.
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
