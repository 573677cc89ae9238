/** The program that sets the base chain of a run of Mocha up, by the module that is its argument. */

import { announcedFacts } from './announced.ts';
import { setUp } from './run.ts';
import { laneAt } from './test-lane.ts';

const { url, root } = announcedFacts(process.env);
await setUp(process.argv[2] ?? '', laneAt(url, null), { root });
