import { parseArgs } from 'node:util';
import { compareForks } from './compare-fork.ts';

const USAGE = `Usage: npm run test:fuzz -- forks [--cases <count>] [--seed <first seed>]

Sends random transactions to a node and to a fork of it: with hints, without, and with wrong hints. Prints differences in receipts,
traces, and the touched accounts and slots.`;

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
const [cases, seed] = [Number(values.cases), Number(values.seed)];
if (values.help || !Number.isSafeInteger(cases) || !Number.isSafeInteger(seed)) {
  process.stdout.write(`${USAGE}\n`);
  process.exitCode = values.help ? 0 : 2;
} else {
  let differences = 0;
  await compareForks(seed, cases, (difference) => {
    differences++;
    process.stdout.write(`${difference}\n`);
  });
  process.stdout.write(`${cases} cases, ${differences} differ\n`);
  process.exitCode = differences > 0 ? 1 : 0;
}
