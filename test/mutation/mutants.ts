import ts from 'typescript';

/** A change of one place of a source file that a test should detect. */
export interface Mutant {
  /** The line, counted from 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly original: string;
  readonly replacement: string;
}

const { SyntaxKind } = ts;

/** The replacements of each binary operator. */
const OPERATORS: ReadonlyMap<ts.SyntaxKind, readonly string[]> = new Map([
  [SyntaxKind.LessThanToken, ['<=', '>=']],
  [SyntaxKind.LessThanEqualsToken, ['<', '>']],
  [SyntaxKind.GreaterThanToken, ['>=', '<=']],
  [SyntaxKind.GreaterThanEqualsToken, ['>', '<']],
  [SyntaxKind.EqualsEqualsEqualsToken, ['!==']],
  [SyntaxKind.ExclamationEqualsEqualsToken, ['===']],
  [SyntaxKind.AmpersandAmpersandToken, ['||']],
  [SyntaxKind.BarBarToken, ['&&']],
  [SyntaxKind.PlusToken, ['-']],
  [SyntaxKind.MinusToken, ['+']],
  [SyntaxKind.AsteriskToken, ['+']],
  [SyntaxKind.PlusEqualsToken, ['-=']],
  [SyntaxKind.MinusEqualsToken, ['+=']],
]);

/** The names of properties with values for people or tests only: examples, descriptions, messages. */
const WORDS = new Set(['example', 'examples', 'description', 'summary', 'expected', 'message']);

/** The names of constants that are limits. No code depends on one more. */
const BOUND = /^(MAX|GREATEST|DEEPEST|WIDEST)(_|$)/;
/** The names of constants that set the size of time slices and intervals. No answer depends on them. */
const PACE = /_(WORK|AT_ONCE|PER_TURN|INTERVAL)$|(^|_)PAUSE$/;

/** Returns the name of the constant whose value contains the node, or the empty string. */
function constantAround(node: ts.Node): string {
  let around = node.parent;
  while (ts.isBinaryExpression(around) || ts.isParenthesizedExpression(around)) around = around.parent;
  return ts.isVariableDeclaration(around) ? around.name.getText() : '';
}

/** True for a comparison with a limit on either side. */
function isBoundary({ left, right }: ts.BinaryExpression): boolean {
  return [left, right].some((side) => ts.isIdentifier(side) && BOUND.test(side.text));
}

/** Pairs of operators that differ only if both sides are equal. */
const AT_EQUALITY: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
]);

/** Returns the replacement of a number: twice a limit, or the next number. */
function otherNumber(node: ts.NumericLiteral | ts.BigIntLiteral): string {
  const operator = BOUND.test(constantAround(node)) ? '* 2' : '+ 1';
  return `(${node.text} ${operator}${ts.isBigIntLiteral(node) ? 'n' : ''})`;
}

/** True for nodes that no test checks: types, imports, text for people, and the size of time slices. */
function isSkipped(node: ts.Node): boolean {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return true;
  if (ts.isTypeAliasDeclaration(node) || ts.isTemplateExpression(node)) return true;
  if (ts.isVariableDeclaration(node) && PACE.test(node.name.getText())) return true;
  return ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && WORDS.has(node.name.text);
}

function isString(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** True for a number that is the name of a member, as in `{ 1: 'one' }`. An expression is not allowed there. */
function isNameOfMember(node: ts.NumericLiteral | ts.BigIntLiteral): boolean {
  const { parent } = node;
  return (
    ('name' in parent && parent.name === node) || ('propertyName' in parent && parent.propertyName === node)
  );
}

/** True for `list[index]`, also with members after it: `list[index]?.size`. */
function isItem(node: ts.Expression): boolean {
  if (ts.isPropertyAccessExpression(node)) return isItem(node.expression);
  return ts.isElementAccessExpression(node);
}

/** True for a number in a default after `list[index] ??` or in `[name = 0]`. The types require it even if the list has the item. */
function standsForNothing(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === SyntaxKind.QuestionQuestionToken)
    return parent.right === node && isItem(parent.left);
  if (ts.isBindingElement(parent)) return ts.isArrayBindingPattern(parent.parent);
  const isAround =
    ts.isPrefixUnaryExpression(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isObjectLiteralExpression(parent) ||
    ts.isArrayLiteralExpression(parent);
  return isAround && standsForNothing(parent);
}

/** Returns the replacements of one node without its children, with the replaced part. */
function changesOf(node: ts.Node): readonly (readonly [part: ts.Node, replacement: string])[] {
  if (ts.isBinaryExpression(node)) {
    const { left, operatorToken, right } = node;
    if (operatorToken.kind === SyntaxKind.PlusToken && (isString(left) || isString(right))) return [];
    const others = OPERATORS.get(operatorToken.kind) ?? [];
    const unwanted = isBoundary(node) ? AT_EQUALITY.get(operatorToken.kind) : undefined;
    return others.filter((other) => other !== unwanted).map((other) => [operatorToken, other]);
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
    return [[node, node.operand.getText()]];
  if (ts.isNumericLiteral(node) || ts.isBigIntLiteral(node))
    return isNameOfMember(node) || standsForNothing(node) ? [] : [[node, otherNumber(node)]];
  if (node.kind === SyntaxKind.TrueKeyword) return [[node, 'false']];
  if (node.kind === SyntaxKind.FalseKeyword) return [[node, 'true']];
  if (ts.isIfStatement(node)) return [[node.expression, `!(${node.expression.getText()})`]];
  if (ts.isConditionalExpression(node)) return [[node.condition, `!(${node.condition.getText()})`]];
  if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) return [[node, ';']];
  return [];
}

/** Returns every mutant of a TypeScript source, in the order of the places. */
export function mutantsOf(source: string): Mutant[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.ES2022, true);
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (isSkipped(node)) return;
    for (const [part, replacement] of changesOf(node)) {
      const start = part.getStart(file);
      const line = file.getLineAndCharacterOfPosition(start).line + 1;
      mutants.push({ line, start, end: part.end, original: part.getText(file), replacement });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return mutants;
}

/** Returns the source with the mutant's change. */
export function applyMutant(source: string, { start, end, replacement }: Mutant): string {
  return source.slice(0, start) + replacement + source.slice(end);
}
