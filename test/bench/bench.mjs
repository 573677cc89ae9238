// A small benchmark of the built node. It needs only the build and prints figures without a verdict.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { earlierFigures, recordFigures } from './history.mjs';
import { nodeRows } from './node-rows.mjs';
import { startRows } from './start-rows.mjs';

const USAGE = `Usage: npm run bench -- [--milliseconds <number>] [--starts <number>] [--history <file>] [--record]

Measures the built node: each row for so many milliseconds (default 2000), starts so many times (default 7). Beside each figure
stands its ratio to the earlier ones of the same processor and version of Node.js, above 1 for better: to the median of the last
five in the history, a file of comma-separated values (default test/bench/history.csv). --record adds the figures to it; do so
on a quiet machine.
`;

/** True for rates, which are better if higher. Times and sizes are better if lower. */
const ratioText = ({ value, unit }, earlier) =>
  earlier === undefined || value === undefined
    ? ''
    : (unit === '/s' ? value / earlier : earlier / value).toFixed(2);

async function run() {
  const { values } = parseArgs({
    options: {
      milliseconds: { type: 'string', default: '2000' },
      starts: { type: 'string', default: '7' },
      history: { type: 'string', default: fileURLToPath(new URL('./history.csv', import.meta.url)) },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [milliseconds, starts] = [values.milliseconds, values.starts].map(Number);
  if (values.help || !(milliseconds > 0) || !(starts >= 1)) {
    process.stdout.write(USAGE);
    return values.help ? 0 : 2;
  }
  const earlier = earlierFigures(values.history);
  const rows = [];
  for (const source of [startRows(starts), nodeRows(milliseconds)]) {
    for await (const row of source) {
      rows.push(row);
      const digits = row.value < 10 ? 3 : row.value < 100 ? 1 : 0;
      const value = row.value === undefined ? 'n/a' : row.value.toFixed(digits);
      const ratio = ratioText(row, earlier.get(row.name));
      process.stdout.write(`${row.name.padEnd(56)} ${value.padStart(9)} ${row.unit.padEnd(3)} ${ratio}\n`);
    }
  }
  if (values.record) recordFigures(values.history, rows);
  return 0;
}

process.exitCode = await run();
