/** A run of prose that is read on its own: a paragraph, a list item, a table cell, a comment or a string. */
export interface Passage {
  /** `text` is read by users; `comments` are read by contributors. */
  readonly kind: 'text' | 'comments';
  /** The prose without markup. Its line breaks are the line breaks of the file. */
  readonly prose: string;
  /** The line of the first character in the file, from 1. */
  readonly line: number;
}

/** A text of the source before its markup is removed. */
export interface LocatedText {
  readonly text: string;
  /** The line of its first character, from 1. */
  readonly line: number;
}

/** Returns the line of a character of the passage in its file. */
export function lineAt({ prose, line }: Passage, offset: number): number {
  return line + breaksIn(prose.slice(0, offset));
}

/** Returns the number of line breaks in a text. */
export function breaksIn(text: string): number {
  return text.split('\n').length - 1;
}
