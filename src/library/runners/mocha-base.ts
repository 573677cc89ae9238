/** Sets up the base chain of a Mocha run with the module in its argument. */

import { setUp } from './run.ts';
import { announcedFacts } from './run-facts.ts';
import { laneAt } from './test-lane.ts';

const { url, root } = announcedFacts(process.env);
await setUp(process.argv[2] ?? '', laneAt(url, null), { root });
