import { withoutMarkup } from './mask.ts';
import type { Passage } from './passage.ts';

const FENCE = /^\s*(`{3,}|~{3,})/;
const LIST_ITEM = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ x]\]\s+)?/;
const HEADING = /^\s*#{1,6}\s+/;
const QUOTE = /^\s*(?:>\s?)+/;
const DELIMITER_ROW = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const LINK_DEFINITION = /^\s*\[[^\]]+\]:\s/;
const RULE_OR_UNDERLINE = /^\s*(?:={2,}|-{2,}|\*{3,}|_{3,})\s*$/;

interface Block {
  readonly line: number;
  readonly lines: string[];
}

/** Returns the prose of a Markdown page. Each heading, list item and table cell is a passage. */
export function passagesOfMarkdown(source: string, kind: Passage['kind'], firstLine = 1): Passage[] {
  return blocksOf(withoutHidden(source)).flatMap(({ line, lines }) => {
    const prose = withoutMarkup(lines.join('\n'));
    return /\p{L}/u.test(prose) ? [{ kind, prose, line: line + firstLine - 1 }] : [];
  });
}

/** Removes the front matter and the HTML comments, and keeps the line breaks. */
function withoutHidden(source: string): string {
  const blank = (match: string): string => match.replaceAll(/[^\n]/g, '');
  return source
    .replaceAll('\r\n', '\n')
    .replace(/^---\n[\s\S]*?\n---(?=\n|$)/, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank);
}

function blocksOf(source: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let fence: string | undefined;
  let indentIsCode = true;
  for (const [index, text] of source.split('\n').entries()) {
    const line = index + 1;
    const mark = FENCE.exec(text)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      continue;
    }
    const isCode = indentIsCode && open === undefined && /^(?: {4}|\t)/.test(text);
    if (mark !== undefined) fence = mark;
    if (mark !== undefined || text.trim() === '' || isCode || RULE_OR_UNDERLINE.test(text)) {
      open = undefined;
      continue;
    }
    if (LINK_DEFINITION.test(text)) continue;
    const content = text.replace(QUOTE, '');
    if (content.trimStart().startsWith('|')) {
      if (!DELIMITER_ROW.test(content))
        blocks.push(...cellsOf(content).map((cell) => ({ line, lines: [cell] })));
      open = undefined;
    } else if (HEADING.test(content)) {
      blocks.push({ line, lines: [content.replace(HEADING, '')] });
      [open, indentIsCode] = [undefined, true];
    } else if (LIST_ITEM.test(content) || open === undefined) {
      // A paragraph behind a list item may belong to the item, so that its indentation is not code.
      indentIsCode = !LIST_ITEM.test(content) && !/^\s/.test(content);
      open = { line, lines: [content.replace(LIST_ITEM, '').trimStart()] };
      blocks.push(open);
    } else open.lines.push(content.trimStart());
  }
  return blocks;
}

/** Splits a table row at its bars. Bars in code or behind a backslash belong to a cell. */
function cellsOf(row: string): string[] {
  const cells = row.trim().match(/(?:\\.|`[^`]*`|[^|\\`]|`)+/g) ?? [];
  return cells.map((cell) => cell.replaceAll('\\|', '|'));
}
