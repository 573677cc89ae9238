// Reads hostile files from seeds: `npm run test:fuzz -- files --cases 10000 --seed 1`.

import { parseArgs } from 'node:util';
import { CHECKS, MAX_HEAP } from './check-files.ts';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
});
const cases = Math.ceil(Number(values.cases) / CHECKS.length);
const seed = Number(values.seed);
let highest = 0;
const first = process.memoryUsage().heapUsed;
for (const { name, run } of CHECKS) {
  await run({ cases, seed });
  highest = Math.max(highest, process.memoryUsage().heapUsed - first);
  process.stdout.write(`${cases} ${name}: no fault; ${Math.round(highest / 2 ** 20)} MiB of heap more\n`);
}
if (highest > MAX_HEAP) throw new Error(`the heap has grown by ${highest} bytes, more than ${MAX_HEAP}`);
