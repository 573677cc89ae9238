export interface Sentence {
  readonly text: string;
  /** The index of the first character in the passage. */
  readonly offset: number;
}

/** The end of a sentence: its mark, closing quotes or brackets, then a space. */
const END = /[.!?]+["'”’)\]*_]*(?=\s|$)/g;

/** Abbreviations whose full stop ends no sentence. */
const ABBREVIATION = /(?:^|[\s(["'])(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|fig|sec|[A-Z])\.$/i;

/** Splits prose into sentences. A semicolon or a colon does not end one. */
export function sentencesOf(prose: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  for (const { 0: mark, index } of prose.matchAll(END)) {
    const end = index + mark.length;
    if (isInside(prose.slice(start, end), prose.slice(end))) continue;
    sentences.push(...trimmed(prose.slice(start, end), start));
    start = end;
  }
  return [...sentences, ...trimmed(prose.slice(start), start)];
}

/** True if the mark at the end of `before` belongs to an abbreviation or to an ellipsis in a sentence. */
function isInside(before: string, after: string): boolean {
  if (after.trim() === '') return false;
  if (/\.{2,}["')\]]*$/.test(before)) return !/^\s+["'(]?[A-Z]/.test(after);
  return ABBREVIATION.test(before);
}

function trimmed(text: string, start: number): Sentence[] {
  const prose = text.trim();
  return prose === '' ? [] : [{ text: prose, offset: start + text.indexOf(prose) }];
}

/** Counts words. A number, a hyphenated word and a placeholder count as one word each. */
export function wordCount(sentence: string): number {
  return sentence.split(/[\s—–…]+/).filter((token) => /[\p{L}\p{N}]/u.test(token)).length;
}
