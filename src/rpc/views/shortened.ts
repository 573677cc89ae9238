/** The longest text of a value that is shown in a list. */
const LONGEST_TEXT = 1_000;

/** The most items of all lists of a value together. */
const MOST_ITEMS = 100;

/** Returns a text, the end of a long one replaced by `…`. */
export function shortenedText(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}

/**
 * Returns a copy of what is to be written as JSON in which long texts are cut and end with `…`, and of the items of lists, also those within
 * others, the first hundred are left, followed by the text `… 900 more`. So an answer has a bound, whatever a caller put into a call.
 */
export function shortened(value: unknown): unknown {
  let left = MOST_ITEMS;
  const copyOf = (part: unknown): unknown => {
    if (typeof part === 'string') return shortenedText(part);
    if (typeof part !== 'object' || part === null) return part;
    if (!Array.isArray(part))
      return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, copyOf(member)]));
    // Items of a list are counted before what is inside them, so that a long one does not take the place of its neighbours.
    const kept = Math.min(part.length, left);
    left -= kept;
    const items = part.slice(0, kept).map(copyOf);
    return kept === part.length ? items : [...items, `… ${part.length - kept} more`];
  };
  return copyOf(value);
}
