/** Syntax highlighting of source text, by line. Solidity, Vyper and Yul share one set of keywords. */

/** A part of a line; `kind` is empty for plain text. */
export interface Piece {
  readonly text: string;
  readonly kind: '' | 'comment' | 'string' | 'number' | 'keyword' | 'type';
}

const KEYWORDS = [
  'abstract anonymous as assembly assert break case catch constant constructor continue contract def default delete do else',
  'emit enum error event external fallback final flag for from function global if immutable implements import in',
  'indexed interface internal is let leave library log mapping memory modifier new override payable pragma private public',
  'pure raise receive require return returns revert self storage calldata struct super switch this throw transient try',
  'type unchecked using view virtual while and or not pass True False true false',
];
const KEYWORD_SET = new Set(KEYWORDS.flatMap((words) => words.split(' ')));
const TYPE = /^(?:u?int\d*|bytes\d*|address|bool|string|String|Bytes|DynArray|HashMap|decimal|u?fixed\w*)$/;

/** Matches in this order: multi-line comments, line comments, strings, numbers, words. */
const SPAN =
  /(\/\*[\s\S]*?(?:\*\/|$)|"""[\s\S]*?(?:"""|$))|(\/\/[^\n]*|#[^\n]*)|("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(\b(?:0x[\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:e-?\d+)?)\b)|([A-Za-z_$][\w$]*)/g;

/** `from` is a keyword only in an import; elsewhere it is a common name of a variable. */
const IMPORTING = /from\s*(?:["']|[\w.]+\s+import\b)/y;

function isImporting(source: string, index: number): boolean {
  IMPORTING.lastIndex = index;
  return IMPORTING.test(source);
}

function kindOf(match: RegExpMatchArray & { readonly index: number }, source: string): Piece['kind'] {
  if (match[1] !== undefined || match[2] !== undefined) return 'comment';
  if (match[3] !== undefined) return 'string';
  if (match[4] !== undefined) return 'number';
  const word = match[5] ?? '';
  if (word === 'from' && !isImporting(source, match.index)) return '';
  return KEYWORD_SET.has(word) ? 'keyword' : TYPE.test(word) ? 'type' : '';
}

/** Returns the highlighted lines. The concatenated texts equal the source. */
export function highlightedLines(source: string): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [];
  let line: Piece[] = [];
  const add = (text: string, kind: Piece['kind']): void => {
    const [first = '', ...rest] = text.split('\n');
    if (first !== '') line.push({ text: first, kind });
    for (const next of rest) {
      lines.push(line);
      line = next === '' ? [] : [{ text: next, kind }];
    }
  };
  let end = 0;
  for (const match of source.matchAll(SPAN)) {
    const kind = kindOf(match, source);
    if (kind === '') continue;
    if (match.index > end) add(source.slice(end, match.index), '');
    add(match[0], kind);
    end = match.index + match[0].length;
  }
  add(source.slice(end), '');
  lines.push(line);
  return lines;
}
