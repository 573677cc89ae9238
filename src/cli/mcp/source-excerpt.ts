/** Shows the lines of a source around a place. */

/** Lines before and behind the place. */
const AROUND = 4;

/** Returns the lines around one, with their numbers and a mark at it; `null` where the source has no such line. */
export function sourceExcerpt(content: string, line: number, column: number | null): string | null {
  const lines = content.split(/\r?\n/);
  if (line < 1 || line > lines.length) return null;
  const first = Math.max(1, line - AROUND);
  const last = Math.min(lines.length, line + AROUND);
  const width = String(last).length;
  const shown: string[] = [];
  for (let number = first; number <= last; number++) {
    const mark = number === line ? '>' : ' ';
    shown.push(`${mark} ${String(number).padStart(width)} | ${lines[number - 1] ?? ''}`.trimEnd());
    if (number === line && column !== null)
      shown.push(`  ${' '.repeat(width)} | ${' '.repeat(Math.max(0, column - 1))}^`);
  }
  return shown.join('\n');
}
