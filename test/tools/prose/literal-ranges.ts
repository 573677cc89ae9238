import ts from 'typescript';

/** Returns the literals of a file in order. Marks of comments inside them do not start a comment. */
export function literalRanges(file: ts.SourceFile): readonly ts.TextRange[] {
  const ranges: ts.TextRange[] = [];
  const visit = (node: ts.Node): void => {
    if (isLiteral(node)) ranges.push({ pos: node.getStart(file, false), end: node.end });
    else ts.forEachChild(node, visit);
  };
  visit(file);
  return ranges;
}

function isLiteral(node: ts.Node): boolean {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isRegularExpressionLiteral(node) ||
    ts.isJsxText(node)
  );
}
