import ts from 'typescript';
import { elementTexts, isInline } from './jsx-texts.ts';
import { isText, paragraphsOf, partsOf, textOf } from './literal-texts.ts';
import { withoutMarkup } from './mask.ts';
import type { Passage } from './passage.ts';
import { readsAsProse } from './reads-as-prose.ts';

/** `all` for programs. `names` for tests: only the names of tests and the messages of their errors. */
export type StringScope = 'all' | 'names';

/** Attributes of elements that hold no prose. */
const CODE_ATTRIBUTE = /^(?:class|className|style|id|d|href|src|key|type|role|points|viewBox|transform|for)$/;

/** Returns the prose of all string literals, templates and JSX texts. Concatenated strings are one text. */
export function passagesOfStrings(file: ts.SourceFile, kind: Passage['kind'], scope: StringScope): Passage[] {
  const passages: Passage[] = [];
  const lineOf = (node: ts.Node): number =>
    file.getLineAndCharacterOfPosition(node.getStart(file, false)).line + 1;
  const add = (text: string, line: number): void => {
    for (const paragraph of paragraphsOf(text, line)) {
      const prose = withoutMarkup(paragraph.text);
      if (readsAsProse(prose)) passages.push({ kind, prose, line: paragraph.line });
    }
  };
  const visit = (node: ts.Node): void => {
    if (isCode(node)) return;
    if (ts.isTaggedTemplateExpression(node)) {
      if (ts.isTemplateExpression(node.template))
        for (const { expression } of node.template.templateSpans) visit(expression);
      return;
    }
    if (isText(node)) {
      const parts = partsOf(node, file);
      if (scope === 'all' || isName(node)) add(textOf(parts, lineOf), lineOf(node));
      for (const part of parts) if (part.literal === undefined) visit(part.node);
      return;
    }
    if (ts.isJsxElement(node) || ts.isJsxFragment(node)) visitElement(node);
    else ts.forEachChild(node, visit);
  };
  const visitElement = (element: ts.JsxElement | ts.JsxFragment): void => {
    for (const { text, line } of elementTexts(element, file)) add(text, line);
    ts.forEachChild(element, (child) => {
      // An inline element is part of the text above; its attributes and expressions have texts of their own.
      if (ts.isJsxElement(child) && isInline(child)) visitInline(child);
      else if (!ts.isJsxText(child)) visit(child);
    });
  };
  const visitInline = (element: ts.JsxElement): void => {
    visit(element.openingElement);
    for (const child of element.children) {
      if (ts.isJsxElement(child) && isInline(child)) visitInline(child);
      else if (!ts.isJsxText(child)) visit(child);
    }
  };
  visit(file);
  return passages;
}

/** True for syntax whose strings are never prose: modules, types, names of members, attributes. */
function isCode(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return true;
  if (ts.isJsxAttribute(node)) return CODE_ATTRIBUTE.test(node.name.getText());
  if (!ts.isStringLiteralLike(node)) return false;
  if (ts.isPropertyAccessExpression(parent)) return parent.name.text === 'split';
  return ts.isPropertyAssignment(parent) ? parent.name === node : ts.isElementAccessExpression(parent);
}

/** True for the name of a test, and for the message of an error that a test throws. */
function isName({ parent }: ts.Node): boolean {
  if (ts.isNewExpression(parent)) return /Error$/.test(parent.expression.getText());
  if (!ts.isCallExpression(parent)) return false;
  return /^(?:describe|it|test|suite|bench)\b/.test(parent.expression.getText());
}
