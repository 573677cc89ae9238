const LONGEST_CELL = 100;

/** A text in one line that does not make all rows endless. */
function cellOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > LONGEST_CELL ? `${line.slice(0, LONGEST_CELL)}…` : line;
}

/**
 * A table with a row for each value, drawn as forge-std's `console.table` shows it. Rows are numbered where `keys` is
 * `null`; keys without a value and values without a key have an empty cell beside them.
 */
export function consoleTable(keys: readonly string[] | null, values: readonly string[]): string {
  const names = keys?.map(cellOf) ?? values.map((_, index) => String(index));
  const rows = Array.from({ length: Math.max(names.length, values.length) }, (_, index) => {
    return [names[index] ?? '', cellOf(values[index] ?? '')] as const;
  });
  const all = [['(index)', 'Values'] as const, ...rows];
  const left = Math.max(...all.map(([name]) => name.length));
  const right = Math.max(...all.map(([, value]) => value.length));
  const rule = (start: string, middle: string, end: string): string =>
    `${start}${'─'.repeat(left + 2)}${middle}${'─'.repeat(right + 2)}${end}`;
  const [heading, ...lines] = all.map(([name, value]) => `│ ${name.padEnd(left)} │ ${value.padEnd(right)} │`);
  return [rule('┌', '┬', '┐'), heading, rule('├', '┼', '┤'), ...lines, rule('└', '┴', '┘')].join('\n');
}
