import { lineAt, type Passage } from './passage.ts';
import { PHRASES } from './phrases.ts';
import { type Sentence, sentencesOf, wordCount } from './sentences.ts';

/** The maximum number of words in a sentence. */
const MAXIMUM_WORDS = 25;

/** The number of words that a finding shows of a long sentence. */
const SHOWN_WORDS = 7;

/** A part of a sentence that breaks a rule of the guide. */
export interface Finding {
  readonly kind: Passage['kind'];
  /** The line in the file, from 1. */
  readonly line: number;
  /** The number of the rule. */
  readonly rule: number;
  readonly words: string;
  readonly remedy: string;
}

/** Returns the findings in a passage, by line. */
export function findingsIn(passage: Passage): Finding[] {
  return sentencesOf(passage.prose)
    .flatMap((sentence) => [...lengthFinding(passage, sentence), ...phraseFindings(passage, sentence)])
    .sort((a, b) => a.line - b.line);
}

function lengthFinding(passage: Passage, { text, offset }: Sentence): Finding[] {
  const count = wordCount(text);
  if (count <= MAXIMUM_WORDS) return [];
  const start = text.split(/\s+/).slice(0, SHOWN_WORDS).join(' ');
  const remedy = `${count} words; write sentences of at most ${MAXIMUM_WORDS}`;
  return [{ kind: passage.kind, line: lineAt(passage, offset), rule: 1, words: `${start} …`, remedy }];
}

/** Returns the phrases in a sentence. Of phrases that overlap, only the first of the table counts. */
function phraseFindings(passage: Passage, { text, offset }: Sentence): Finding[] {
  const taken: (readonly [start: number, end: number])[] = [];
  // `search` does not copy the pattern, as `matchAll` does, and most sentences have no phrase.
  return PHRASES.filter(({ pattern }) => text.search(pattern) !== -1).flatMap(({ rule, pattern, remedy }) =>
    Array.from(text.matchAll(pattern)).flatMap(({ 0: match, index }) => {
      const end = index + match.length;
      if (taken.some(([start, last]) => index < last && end > start)) return [];
      taken.push([index, end]);
      const words = match.trim().replaceAll(/\s+/g, ' ');
      return [{ kind: passage.kind, line: lineAt(passage, offset + index), rule, words, remedy }];
    }),
  );
}
