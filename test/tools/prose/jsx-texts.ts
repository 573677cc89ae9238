import ts from 'typescript';
import { PLACEHOLDER } from './mask.ts';
import type { LocatedText } from './passage.ts';

/** Elements inside a sentence. */
const INLINE = /^(?:a|abbr|b|code|em|i|kbd|mark|small|span|strong|time)$/;

/** True for an element that does not interrupt a sentence. */
export function isInline(element: ts.JsxElement): boolean {
  return INLINE.test(element.openingElement.tagName.getText());
}

/** Returns the texts of an element. Block elements and components split its text; inline elements do not. */
export function elementTexts(element: ts.JsxElement | ts.JsxFragment, file: ts.SourceFile): LocatedText[] {
  const texts: { text: string; line: number }[] = [];
  let open: { text: string; line: number } | undefined;
  const append = (text: string, position: number): void => {
    if (open === undefined) {
      open = { text: '', line: file.getLineAndCharacterOfPosition(position).line + 1 };
      texts.push(open);
    }
    open.text += text;
  };
  const read = (children: ts.NodeArray<ts.JsxChild>): void => {
    for (const child of children) {
      if (ts.isJsxText(child)) append(jsxText(child.text), child.pos + child.text.search(/\S|$/));
      else if (ts.isJsxExpression(child)) {
        if (child.expression === undefined) continue;
        const isSpace = ts.isStringLiteralLike(child.expression) && child.expression.text.trim() === '';
        append(isSpace ? ' ' : PLACEHOLDER, child.getStart(file));
      } else if (ts.isJsxElement(child) && isInline(child)) {
        if (child.openingElement.tagName.getText() === 'code') append(PLACEHOLDER, child.getStart(file));
        else read(child.children);
      } else open = undefined;
    }
  };
  read(element.children);
  return texts;
}

/** Joins lines like JSX: a line break with its indentation is one space, or none at an end. */
function jsxText(text: string): string {
  return text
    .replace(/^\s*\n\s*/, '')
    .replace(/\s*\n\s*$/, '')
    .replaceAll(/\s*\n\s*/g, ' ');
}
