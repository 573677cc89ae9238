// The figures of earlier measurements: a CSV file with one line per figure, to plot or compare.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const HEADING = 'time,commit,processor,node,row,value,unit';
/** Number of earlier figures in a comparison, because a single one may be an outlier. */
const COMPARED = 5;

/** The text without separators. */
const plain = (text) => text.replaceAll(/[,\n"]/g, ' ').trim();

/** The machine of the measurement, as one value of the file. */
const processor = () => plain(`${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`);

function commit() {
  try {
    const git = (...words) => execFileSync('git', words, { encoding: 'utf8' }).trim();
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+');
  } catch {
    return 'unknown';
  }
}

/** Returns the median of the last figures with the same processor and Node.js version, by row name. */
export function earlierFigures(file) {
  const figures = new Map();
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  for (const line of lines.slice(1)) {
    const [, , machine, node, row, value] = line.split(',');
    if (machine !== processor() || node !== process.version) continue;
    figures.set(row, [...(figures.get(row) ?? []), Number(value)]);
  }
  const medians = new Map();
  for (const [row, values] of figures) {
    const last = values.slice(-COMPARED).sort((left, right) => left - right);
    medians.set(row, last[last.length >> 1]);
  }
  return medians;
}

/**
 * Appends the figures to the file, and creates it if absent. A commit with uncommitted changes ends in `+`.
 */
export function recordFigures(file, rows) {
  if (!existsSync(file)) appendFileSync(file, `${HEADING}\n`);
  const about = [new Date().toISOString(), commit(), processor(), process.version].join(',');
  for (const { name, value, unit } of rows)
    if (value !== undefined)
      appendFileSync(file, `${about},${plain(name)},${value.toPrecision(5)},${unit}\n`);
}
